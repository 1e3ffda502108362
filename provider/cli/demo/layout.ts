// Files of a demo: everything below .honest/demo of the current folder.
import { join } from "node:path";

export interface Layout {
  readonly folder: string;
  readonly name: string;
  /** cdktf writes the program's stacks here. */
  readonly output: string;
  readonly stack: string;
  readonly plan: string;
  readonly log: string;
  /** What the provider waits for, line by line. */
  readonly progress: string;
  readonly pid: string;
  readonly settings: string;
  readonly kubectl: string;
  readonly kubeconfig: string;
  readonly lock: string;
}

/** HONEST_DEMO_NAME is the cluster's name: demos of two folders may stand side by side under two names. */
export function layoutOf(cwd: string, env: Readonly<Record<string, string | undefined>>): Layout {
  const folder = join(cwd, ".honest", "demo");
  const name = env.HONEST_DEMO_NAME || "demo";
  const output = join(folder, "cdktf.out");
  return {
    folder,
    name,
    output,
    stack: join(output, "stacks", name),
    plan: join(folder, "demo.tfplan"),
    log: join(folder, "terraform.log"),
    progress: join(folder, "progress.log"),
    pid: join(folder, "terraform.pid"),
    settings: join(folder, "settings.json"),
    kubectl: join(folder, "bin", "kubectl"),
    kubeconfig: join(folder, "kubeconfig"),
    lock: join(cwd, ".honest", "demo.lock"),
  };
}
