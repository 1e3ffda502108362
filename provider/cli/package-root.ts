// The folder of the installed package: the tool runs as dist/cli/honest-paas.js or from its sources.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

export function packageRoot(start: string = import.meta.dirname): string {
  for (let folder = start; ; folder = dirname(folder)) {
    const file = join(folder, "package.json");
    if (existsSync(file) && (JSON.parse(readFileSync(file, "utf8")) as { name?: string }).name === "honest-paas") return folder;
    if (dirname(folder) === folder) throw new Error(`no package honest-paas above ${start}`);
  }
}
