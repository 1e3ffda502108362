// User-data as cloud-init reads it: a MIME message whose first part teaches cloud-init what to do with the others. Same
// inputs, same bytes: the boundary is fixed and the order is by name.

import { canonicalJson, type UserDataPart } from "../../constructs/blueprint/machine-spec.js";
import { mimeBoundary } from "../../constructs/spec/rules/groups.js";

const boundary = mimeBoundary;

// a part of this type has to be there for cloud-init to run its modules as usual; nothing of the image is changed by it
const cloudConfig = "#cloud-config\npackage_update: false\n";

interface Part {
  readonly type: string;
  readonly filename: string;
  readonly body: string;
  readonly encoding?: "base64";
}

/** ASCII only: a part with other bytes would need an encoding that compresses badly. */
const ascii = (text: string): string =>
  text.replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** The user's own, in the order of their names. Other than ASCII travels as base64. */
const extraPart = ([filename, { content_type: type, content }]: readonly [string, UserDataPart]): Part =>
  Buffer.byteLength(content) === content.length
    ? { type, filename, body: content }
    : { type: `${type}; charset="utf-8"`, filename, body: Buffer.from(content).toString("base64"), encoding: "base64" };

export function composeMime(
  sources: Readonly<Record<string, string>>,
  document: Record<string, unknown>,
  extra: Readonly<Record<string, UserDataPart>> = {},
): string {
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
    ...Object.entries(extra)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(extraPart),
  ];
  const head = `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="${boundary}"\n\n`;
  const bodies = parts.map(
    (part) =>
      `--${boundary}\nContent-Type: ${part.type}\n${part.encoding ? `Content-Transfer-Encoding: ${part.encoding}\n` : ""}Content-Disposition: attachment; filename="${part.filename}"\n\n${part.body}\n`,
  );
  return `${head}${bodies.join("")}--${boundary}--\n`;
}
