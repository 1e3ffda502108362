// A cluster of a program of the test's own, where the demo has no flag for what the test is about: synthesised by the
// built package in a folder of its own, applied by terraform.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { mirroredBinary } from "../../provider/mirror/build.js";
import { cacheRoot } from "../../provider/mirror/cache.js";
import { componentsOf } from "../../provider/mirror/versions.js";
import { type Finished, type RunOptions, run } from "./demo-project.js";

const root = resolve(import.meta.dirname, "../..");

export interface ProgramProject {
  readonly dir: string;
  /** Folder of the synthesized stack. */
  readonly stack: string;
  /** Writes the program for these props of Cluster, runs it and initialises terraform. */
  synth(props: object): Promise<void>;
  terraform(args: readonly string[], options?: RunOptions): Promise<Finished>;
  apply(): Promise<Finished>;
  /** The kit's tool in the stack's folder. */
  tool(args: readonly string[], options?: RunOptions): Promise<Finished>;
  kubectl(args: readonly string[], options?: RunOptions): Promise<Finished>;
  destroy(): Promise<void>;
}

/** Fails with everything the program said. */
async function must(what: string, ending: Promise<Finished>): Promise<Finished> {
  const done = await ending;
  if (done.code !== 0) throw new Error(`${what} ended with ${done.code}:\n${done.stdout}\n${done.stderr}`);
  return done;
}

export function programProject(name: string, version: string): ProgramProject {
  const dir = mkdtempSync(join(tmpdir(), `honest-${name}-`));
  const stack = join(dir, "cdktf.out", "stacks", name);
  const imported = (path: string): string => JSON.stringify(pathToFileURL(join(root, path)).href);
  let kubectl: string | undefined;
  const terraform = (args: readonly string[], options?: RunOptions) => run("terraform", args, { cwd: stack, ...options });
  return {
    dir,
    stack,
    async synth(props) {
      const lines = [
        `import cdktf from ${imported("node_modules/cdktf/lib/index.js")};`,
        `import { Cluster } from ${imported("dist/index.js")};`,
        "const app = new cdktf.App();",
        `const stack = new cdktf.TerraformStack(app, ${JSON.stringify(name)});`,
        `new Cluster(stack, ${JSON.stringify(name)}, ${JSON.stringify({ version, ...props })});`,
        "app.synth();",
      ];
      writeFileSync(join(dir, "main.mjs"), `${lines.join("\n")}\n`);
      await must("the program", run(process.execPath, ["main.mjs"], { cwd: dir }));
      await must("terraform init", terraform(["init", "-no-color", "-input=false"]));
    },
    terraform,
    apply: () => must("terraform apply", terraform(["apply", "-auto-approve", "-no-color", "-input=false"])),
    tool: (args, options) => run(process.execPath, [join(root, "dist/cli/honest-paas.js"), ...args], { cwd: stack, ...options }),
    async kubectl(args, options) {
      const file = join(dir, "kubeconfig");
      if (kubectl === undefined) {
        const made = await must("kubeconfig", run(process.execPath, [join(root, "dist/cli/honest-paas.js"), "kubeconfig"], { cwd: stack }));
        writeFileSync(file, made.stdout, { mode: 0o600 });
        const components = componentsOf(version);
        kubectl = (components && (await mirroredBinary(components, "kubectl", join(cacheRoot(), "mirror")))) ?? "kubectl";
      }
      return run(kubectl, ["--kubeconfig", file, ...args], options);
    },
    async destroy() {
      await must("terraform destroy", terraform(["destroy", "-auto-approve", "-no-color", "-input=false"]));
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
