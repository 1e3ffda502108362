// Builds binaries out of a published Go module, without a checkout of its repository: a wrapper module requires it,
// repeats the replacements that name a version (a main module's `replace` lines do not travel) and imports the packages.
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Architecture, GoBuild } from "./artefact.js";
import { exists, hashOf, isSealed, seal, writeAtomic } from "./cache.js";
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
const secondsSince = (begun: number): string => `${((Date.now() - begun) / 1000).toFixed(0)} s`;

/** Names everything that decides what the binaries are, apart from Go itself. */
export const recipeOf = (build: GoBuild): string => hashOf(build);

async function prepare(root: string, work: string, build: GoBuild, signal: AbortSignal): Promise<void> {
  if (await exists(join(work, "tidy.done"))) return;
  await mkdir(work, { recursive: true });
  const listed = await runProgram("go", ["mod", "download", "-json", `${build.module}@${build.version}`], { cwd: root, signal });
  const { Dir } = JSON.parse(listed) as { Dir: string };
  const upstream = await readFile(join(Dir, "go.mod"), "utf8");
  await writeFile(join(work, "go.mod"), wrapperGoMod(upstream, build.module, build.version));
  const imports = build.packages.map((p) => `\t_ "${importPath(build, p.path)}"\n`).join("");
  await writeFile(join(work, "tools.go"), `//go:build tools\n\npackage build\n\nimport (\n${imports})\n`);
  await runProgram("go", ["mod", "tidy"], { cwd: work, signal });
  await writeAtomic(join(work, "tidy.done"), "");
}

const minCompilerBytes = 1 << 30;

/**
 * A compiler lives for seconds; collecting its garbage is a quarter of its time. So it collects only when it reaches its
 * share of the memory, where that is enough for the largest packages (1.1 GB). What the user set stays.
 */
export function compilerEnv(
  availableBytes: number,
  processors: number,
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  // one share for the go command and the rest of the computer
  const share = Math.floor(availableBytes / (processors + 1));
  if (share < minCompilerBytes || env.GOGC !== undefined || env.GOMEMLIMIT !== undefined) return {};
  return { GOGC: "off", GOMEMLIMIT: String(share) };
}

/** Tells of binaries as the linker finishes them; one call of `go build` makes them all. */
function watch(folder: string, tell: (name: string) => void): () => void {
  const seen = new Set<string>();
  const timer = setInterval(() => {
    readdir(folder).then(
      (names) => {
        for (const name of names) {
          if (!seen.has(name)) tell(name);
          seen.add(name);
        }
      },
      () => {
        // the folder appears with the first binary
      },
    );
  }, 1000);
  timer.unref();
  return () => clearInterval(timer);
}

/** Folder with the built binaries; built at most once per recipe and architecture. */
export async function buildGoModule(
  root: string,
  build: GoBuild,
  arch: Architecture,
  wanted: readonly string[],
  log: (line: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const work = join(root, "go", `${build.module.replaceAll("/", "_")}@${build.version}-${recipeOf(build)}`);
  const out = join(work, arch);
  await mkdir(out, { recursive: true });
  const missing: (typeof build.packages)[number][] = [];
  for (const p of build.packages) if (wanted.includes(p.name) && !(await isSealed(join(out, p.name)))) missing.push(p);
  const [first] = missing;
  if (!first) return out;
  const what = `${build.module} ${build.version}`;
  const begun = Date.now();
  log(`building ${missing.map((p) => p.name).join(", ")} from ${what}`);
  await prepare(root, work, build, signal);
  const stamps = Object.entries(build.stamp ?? {}).map(([name, value]) => `-X ${name}=${value}`);
  const part = join(work, `${arch}.${process.pid}.part`);
  await mkdir(part, { recursive: true });
  // one call for all, so that the linker of one binary and the compiler of the next share the processors
  const single = missing.length === 1;
  // the linker drops what debuggers read (-w): the compiler need not write it either
  const args = [
    "build",
    "-trimpath",
    "-gcflags=all=-dwarf=false",
    "-ldflags",
    ["-s", "-w", ...stamps].join(" "),
    ...(build.tags ? ["-tags", build.tags] : []),
  ];
  const stop = single ? () => {} : watch(part, (name) => log(`  ${name} after ${secondsSince(begun)}`));
  try {
    await runProgram(
      "go",
      [...args, "-o", single ? join(part, first.name) : `${part}/`, ...missing.map((p) => importPath(build, p.path))],
      {
        cwd: work,
        signal,
        env: {
          ...compilerEnv(process.availableMemory(), availableParallelism(), process.env),
          ...{ CGO_ENABLED: build.cgo ? "1" : "0", GOOS: "linux", GOARCH: arch, GOFLAGS: "-mod=readonly", GOWORK: "off" },
        },
      },
    );
    for (const { name } of missing) {
      await rename(join(part, name), join(out, name));
      await seal(join(out, name));
    }
  } finally {
    stop();
    await rm(part, { recursive: true, force: true });
  }
  log(`built ${missing.map((p) => p.name).join(", ")} from ${what} in ${secondsSince(begun)}`);
  return out;
}
