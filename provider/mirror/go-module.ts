// Builds binaries out of a published Go module, without a checkout of its repository: a wrapper module requires it,
// repeats the replacements that name a version (a main module's `replace` lines do not travel) and imports the packages.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Architecture, GoBuild } from "./artefact.js";
import { exists } from "./cache.js";
import { runProgram } from "./program.js";

/**
 * go.mod of the wrapper. Kubernetes names its staging modules by local folders; on the module proxy they are published
 * as v0.MINOR.PATCH, so those replacements are rewritten to that.
 */
export function wrapperGoMod(upstreamGoMod: string, module: string, version: string): string {
  const go = /^go (\S+)/m.exec(upstreamGoMod)?.[1] ?? "1.24";
  const lines = upstreamGoMod.split("\n").map((line) => line.trim().replace(/^replace\s+/, ""));
  const replaces = lines.filter((line) => /^\S+( v\S+)? => [^.\s]\S* v\S+$/.test(line));
  if (module === "k8s.io/kubernetes") {
    const staging = version.replace(/^v1\./, "v0.");
    const local = lines.map((line) => /^(\S+) => \.\/staging\/src\//.exec(line)?.[1]).filter((m) => m !== undefined);
    const zero = lines.map((line) => /^(k8s\.io\/\S+) v0\.0\.0$/.exec(line.replace(/\s*\/\/.*$/, ""))?.[1]).filter((m) => m !== undefined);
    for (const name of new Set([...local, ...zero])) replaces.push(`${name} => ${name} ${staging}`);
  }
  return `module honest-paas.dev/build\n\ngo ${go}\n\nrequire ${module} ${version}\n\nreplace (\n${replaces.map((r) => `\t${r}\n`).join("")})\n`;
}

const importPath = (build: GoBuild, path: string): string => (path ? `${build.module}/${path}` : build.module);

/** Folder with the built binaries; built at most once per module version and architecture. */
export async function buildGoModule(
  root: string,
  build: GoBuild,
  arch: Architecture,
  wanted: readonly string[],
  log: (line: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const work = join(root, "go", `${build.module.replaceAll("/", "_")}@${build.version}`);
  const out = join(work, arch);
  await mkdir(out, { recursive: true });
  if (!(await exists(join(work, "tidy.done")))) {
    const downloaded = JSON.parse(
      await runProgram("go", ["mod", "download", "-json", `${build.module}@${build.version}`], { cwd: root, signal }),
    ) as {
      Dir: string;
    };
    await writeFile(
      join(work, "go.mod"),
      wrapperGoMod(await readFile(join(downloaded.Dir, "go.mod"), "utf8"), build.module, build.version),
    );
    const imports = build.packages.map((p) => `\t_ "${importPath(build, p.path)}"\n`).join("");
    await writeFile(join(work, "tools.go"), `//go:build tools\n\npackage build\n\nimport (\n${imports})\n`);
    await runProgram("go", ["mod", "tidy"], { cwd: work, signal });
    await writeFile(join(work, "tidy.done"), "");
  }
  const stamps = Object.entries(build.stamp ?? {}).map(([name, value]) => `-X ${name}=${value}`);
  for (const { path, name } of build.packages) {
    if (!wanted.includes(name) || (await exists(join(out, name)))) continue;
    const begun = Date.now();
    const args = ["build", "-trimpath", "-ldflags", ["-s", "-w", ...stamps].join(" ")];
    if (build.tags) args.push("-tags", build.tags);
    await runProgram("go", [...args, "-o", join(out, `${name}.part`), importPath(build, path)], {
      cwd: work,
      signal,
      env: { CGO_ENABLED: build.cgo ? "1" : "0", GOOS: "linux", GOARCH: arch },
    });
    const { rename } = await import("node:fs/promises");
    await rename(join(out, `${name}.part`), join(out, name));
    log(`built ${name} ${build.version} in ${((Date.now() - begun) / 1000).toFixed(0)} s`);
  }
  return out;
}
