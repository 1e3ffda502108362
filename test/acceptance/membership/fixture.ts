// A whole synthesized stack under a real terraform, over a cluster that stands in.

import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import type { ClusterProps } from "../../../constructs/index.js";
import type { NodeGroupProps } from "../../../constructs/spec/gen/spec.js";
import type { Provider } from "../../../provider/framework/resource.js";
import { type StandInCloud, standInCloud } from "../../support/stand-in/cloud.js";
import type { Timing } from "../../support/stand-in/machines.js";
import { synth } from "../../support/synth.js";
import { type Workspace, type WorkspaceOptions, workspace } from "../../support/terraform.js";

export interface Wanted {
  readonly controlPlanes?: 1 | 3 | 5;
  readonly workers?: number;
  readonly props?: Partial<ClusterProps>;
  readonly group?: Partial<NodeGroupProps>;
  /** Limits written on every membership and the barrier. */
  readonly timeouts?: { readonly create?: string; readonly update?: string; readonly delete?: string };
  /** What a hand does to the synthesized stack. */
  readonly edit?: (json: Json) => void;
}
export interface Fixture {
  readonly cloud: StandInCloud;
  readonly w: Workspace;
  /** Synthesizes and writes the stack. */
  want(wanted: Wanted): void;
  close(): Promise<void>;
}

export type Json = Record<string, Record<string, Record<string, Record<string, unknown>>>>;

export interface FixtureOptions extends Pick<WorkspaceOptions, "engine" | "program"> {
  readonly timing?: Partial<Timing>;
  /** What a test puts between terraform and the provider. */
  readonly around?: (provider: Provider) => Provider;
}

export async function fixture({ timing, around = (provider) => provider, ...engine }: FixtureOptions = {}): Promise<Fixture> {
  const port = await freePort();
  const cloud = await standInCloud({ port, ...(timing ? { timing } : {}) });
  const w = await workspace({ provider: around(cloud.provider), ...engine });
  return {
    cloud,
    w,
    want({ controlPlanes = 1, workers = 0, props = {}, group = {}, timeouts, edit }) {
      const groups = workers > 0 ? { w: { scalingConfig: { desiredSize: workers, maxSize: 20 }, ...group } as NodeGroupProps } : {};
      const all = {
        iaas: { local: { publishedPort: port } },
        deletionProtection: false,
        controlPlane: { replicas: controlPlanes },
        ...props,
      };
      const json = synth("local", all as Partial<ClusterProps>, groups) as unknown as Json;
      for (const type of ["honest_node", "honest_barrier"]) {
        for (const resource of Object.values(json.resource?.[type] ?? {})) if (timeouts) resource.timeouts = timeouts;
      }
      edit?.(json);
      w.write({ "cdk.tf.json": json });
    },
    async close() {
      await w.close();
      await cloud.close();
    },
  };
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** Most control planes that were down at once. */
export function mostDown(f: Pick<Fixture, "cloud">): number {
  const down = new Set<string>();
  let most = 0;
  for (const event of f.cloud.cluster.machines.events) {
    const [what, name = ""] = event.split(" ");
    if (!name.includes("-cp-")) continue;
    if (what === "stop") down.add(name);
    if (what === "register") down.delete(name);
    most = Math.max(most, down.size);
  }
  return most;
}
