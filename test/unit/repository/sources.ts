// The repository's own sources, as the tests of this folder see them.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";

export const root = resolve(import.meta.dirname, "../../..");

export interface Source {
  /** Below the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

const skipped = /(^|\/)(node_modules|dist|dist\.next|dist\.old|cdktf\.out|__pycache__|coverage|\.honest|\.terraform|\.git)$/;

function* walk(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !skipped.test(path)) yield* walk(path);
    else if (entry.isFile()) yield path;
  }
}

export const sources = (folders: readonly string[], ending: RegExp): readonly Source[] =>
  folders.flatMap((folder) =>
    [...walk(join(root, folder))]
      .filter((path) => ending.test(path))
      .map((path) => ({ path: relative(root, path), text: readFileSync(path, "utf8") })),
  );

/** What a file imports: packages by name, files of ours by their path below the repository. */
export function importsOf({ path, text }: Source): readonly string[] {
  const found = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
  return found.map((specifier) =>
    specifier.startsWith(".") ? relative(root, resolve(root, dirname(path), specifier)).replace(/\.js$/, ".ts") : specifier,
  );
}
