// User-data as cloud-init reads it: a MIME message whose first part teaches cloud-init what to do with the others. Same
// inputs, same bytes: the boundary is fixed and the order is by name.
import { canonicalJson } from "../../constructs/blueprint/machine-spec.js";

const boundary = "==honest-paas==";

// a part of this type has to be there for cloud-init to run its modules as usual; nothing of the image is changed by it
const cloudConfig = "#cloud-config\npackage_update: false\n";

interface Part {
  readonly type: string;
  readonly filename: string;
  readonly body: string;
}

/** ASCII only: a part with other bytes would need an encoding that compresses badly. */
const ascii = (text: string): string =>
  text.replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

export function composeMime(sources: Readonly<Record<string, string>>, document: Record<string, unknown>): string {
  const source = (name: string): string => sources[name] ?? "";
  const packageFiles = Object.keys(sources)
    .filter((name) => name.startsWith("honest/"))
    .sort();
  const parts: readonly Part[] = [
    { type: "text/part-handler", filename: "part_handler.py", body: source("part_handler.py") },
    { type: "text/x-honest-module", filename: "cc_honest.py", body: source("cc_honest.py") },
    ...packageFiles.map((name) => ({ type: "text/x-honest-package", filename: name.slice("honest/".length), body: source(name) })),
    { type: "text/x-honest-boot", filename: "boot.json", body: ascii(canonicalJson(document)) },
    { type: "text/cloud-config", filename: "cloud.cfg", body: cloudConfig },
  ];
  const head = `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="${boundary}"\n\n`;
  const bodies = parts.map(
    (part) => `--${boundary}\nContent-Type: ${part.type}\nContent-Disposition: attachment; filename="${part.filename}"\n\n${part.body}\n`,
  );
  return `${head}${bodies.join("")}--${boundary}--\n`;
}
