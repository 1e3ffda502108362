// honest_cluster and groups under a real terraform, over a cluster that stands in.
import { join } from "node:path";
import { type StandInCloud, standInCloud } from "../../support/stand-in/cloud.js";
import type { Timing } from "../../support/stand-in/machines.js";
import { type StateResource, type Workspace, type WorkspaceOptions, workspace } from "../../support/terraform.js";
import { freePort } from "../membership/fixture.js";

export interface Wanted {
  readonly cluster?: object;
  /** By name: the group's arguments. */
  readonly groups?: Readonly<Record<string, object>>;
}
export interface Managed {
  readonly cloud: StandInCloud;
  readonly w: Workspace;
  want(wanted: Wanted): void;
  /** Attributes of a resource, "honest_cluster.this". */
  state(address: string): Promise<Readonly<Record<string, unknown>>>;
  /** "create cp/a/machine", of all resources together, without what stays. */
  blocks(of: readonly { readonly blocks?: unknown }[]): readonly string[];
  close(): Promise<void>;
}

export interface Block {
  readonly name: string;
  readonly action: string;
}

export async function managed(
  options: Pick<WorkspaceOptions, "engine" | "program"> & { readonly timing?: Partial<Timing> } = {},
): Promise<Managed> {
  const { timing, ...engine } = options;
  const port = await freePort();
  const cloud = await standInCloud({ port, ...(timing ? { timing } : {}) });
  const w = await workspace({ provider: cloud.provider, ...engine });
  // the provider lives in this process: its files belong below the workspace, as they would with terraform's folder
  process.env.TF_DATA_DIR = join(w.dir, ".terraform");
  const find = async (address: string): Promise<StateResource> => {
    const found = (await w.resources()).find((resource) => resource.address === address);
    if (!found) throw new Error(`no ${address} in the state`);
    return found;
  };
  return {
    cloud,
    w,
    want({ cluster = {}, groups = {} }) {
      w.write({
        "main.tf.json": {
          terraform: { required_providers: { honest: { source: "honest-paas/honest" } } },
          resource: {
            honest_cluster: {
              this: { name: "demo", version: "1.36.3", iaas: { local: { published_port: port } }, deletion_protection: false, ...cluster },
            },
            ...(Object.keys(groups).length > 0
              ? {
                  honest_node_group: Object.fromEntries(
                    Object.entries(groups).map(([name, group]) => [
                      name,
                      { cluster: "$" + "{honest_cluster.this.handle}", name, scaling_config: { desired_size: 1 }, ...group },
                    ]),
                  ),
                }
              : {}),
          },
        },
      });
    },
    state: async (address) => (await find(address)).values,
    blocks: (of) =>
      of.flatMap(({ blocks }) =>
        ((blocks ?? []) as readonly Block[]).filter(({ action }) => action !== "no-op").map(({ action, name }) => `${action} ${name}`),
      ),
    async close() {
      delete process.env.TF_DATA_DIR;
      await w.close();
      await cloud.close();
    },
  };
}
