// What building needs on this computer. Looked for before the first minute is spent, and all of it named at once.
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";

export interface Tool {
  /** A program on PATH, or a file. */
  readonly needs: string;
  /** Debian's and Ubuntu's package. */
  readonly package: string;
}

const go: Tool = { needs: "go", package: "golang-go (1.21 or newer; it fetches the version a module asks for)" };
const c: readonly Tool[] = [
  { needs: "gcc", package: "gcc" },
  { needs: "pkg-config", package: "pkg-config" },
  { needs: "/usr/include/seccomp.h", package: "libseccomp-dev" },
  { needs: "/usr/include/stdlib.h", package: "libc6-dev" },
];
const debian: Tool = { needs: "mmdebstrap", package: "mmdebstrap" };

export const buildTools: readonly Tool[] = [go, ...c, debian];

const reachable = (path: string, mode: number): Promise<boolean> =>
  access(path, mode).then(
    () => true,
    () => false,
  );

export async function isThere(tool: Tool, path = process.env.PATH ?? ""): Promise<boolean> {
  if (tool.needs.startsWith("/")) return reachable(tool.needs, constants.R_OK);
  for (const folder of path.split(delimiter)) if (folder && (await reachable(join(folder, tool.needs), constants.X_OK))) return true;
  return false;
}

export const hasDebianTool = (): Promise<boolean> => isThere(debian);

/** Undefined when all is there, else a sentence that names what is missing. */
export async function missingTools(tools: readonly Tool[] = buildTools, path?: string): Promise<string | undefined> {
  const missing: Tool[] = [];
  for (const tool of tools) if (!(await isThere(tool, path))) missing.push(tool);
  if (missing.length === 0) return undefined;
  const list = missing.map((t) => t.needs).join(", ");
  return `building from Go modules needs ${list}, missing on this computer (Debian packages: ${missing.map((t) => t.package).join(", ")})`;
}
