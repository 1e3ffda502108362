// A cluster whose certificates live three minutes, and what tests of them ask it.
import { connect, type KubeClient } from "../../provider/kube/client.js";
import { issueClient } from "../../provider/pki/issue.js";
import { type ProgramProject, programProject } from "./program-project.js";

export interface NodeView {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly status: { readonly conditions: readonly { readonly type: string; readonly status: string }[] };
}
export interface CertificateReport {
  readonly items: Readonly<Record<string, { readonly not_after?: string; readonly served?: string }>>;
  readonly problem: string | null;
}

export const isReady = (node: NodeView): boolean => node.status.conditions.some((c) => c.type === "Ready" && c.status === "True");

/** What the node's agent said last; null when it has said nothing yet. */
export const certificatesOf = (node: NodeView): CertificateReport | null =>
  JSON.parse(node.metadata.annotations?.["honest-paas.dev/certificates"] ?? "null") as CertificateReport | null;

export interface ShortLived {
  readonly project: ProgramProject;
  /** The first one's name. */
  readonly controlPlane: string;
  /** Names of all control planes. */
  readonly controlPlanes: readonly string[];
  readonly client: KubeClient;
  /** Names of the workers. */
  readonly workers: readonly string[];
  nodes(): Promise<readonly NodeView[]>;
  synth(lifetime: string): Promise<void>;
  plan(): ReturnType<ProgramProject["terraform"]>;
  close(): Promise<void>;
}

/** Made by an apply. `replicas`: control planes, at most 3. */
export async function shortLivedCluster(name: string, replicas: number, workerCount: number): Promise<ShortLived> {
  const project = programProject(name, "1.36.3");
  const synth = (lifetime: string): Promise<void> =>
    project.synth({
      iaas: { local: {} },
      deletionProtection: false,
      controlPlane: { replicas },
      certificates: { lifetime },
      nodeGroups: { w: { scalingConfig: { desiredSize: workerCount } } },
    });
  try {
    await synth("3m");
    await project.apply();
  } catch (cause) {
    await project.destroy();
    throw cause;
  }
  const output = await project.terraform(["output", "-json", "honest_access"]);
  const client = connect(JSON.parse(output.stdout), {
    issue: issueClient,
  });
  const nodes = async (): Promise<readonly NodeView[]> => {
    const listed = await client.list("v1", "Node", { timeoutMs: 5_000 });
    if (!listed.ok) throw new Error(listed.failure.message);
    return listed.value as unknown as readonly NodeView[];
  };
  const controlPlanes = ["a", "b", "c"].slice(0, replicas).map((letter) => `${name}-cp-${letter}`);
  return {
    project,
    controlPlane: `${name}-cp-a`,
    controlPlanes,
    client,
    workers: (await nodes()).map((node) => node.metadata.name).filter((node) => !controlPlanes.includes(node)),
    nodes,
    synth,
    plan: () => project.terraform(["plan", "-detailed-exitcode", "-no-color", "-input=false"]),
    async close() {
      await client.close();
      await project.destroy();
    },
  };
}
