// What a stack tells the command line and pipelines. Fixed names, so that `terraform output -json` in the stack's folder is
// enough for honest-paas kubeconfig; a second cluster of a stack has its name behind them.
import { Lazy, TerraformOutput, TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { barrierName, pkiName } from "../iaas/own.js";
import type { AddressOf } from "./render.js";

export interface OutputsConfig {
  readonly cluster: string;
  readonly endpoint: string;
  readonly serverName: string | null;
  readonly addressOf: AddressOf;
  /** Names of all boot resources, asked for at synth. */
  readonly boots: () => readonly string[];
}

export class Outputs extends Construct {
  constructor(scope: Construct, id: string, config: OutputsConfig) {
    super(scope, id);
    const { cluster, endpoint, serverName, addressOf } = config;
    const suffix = clustersOf(this).indexOf(cluster) === 0 ? "" : `_${cluster.replaceAll("-", "_")}`;
    const attribute = (resource: string, name: string) => `\${${addressOf(resource)}.${name}}`;
    const make = (name: string, description: string, value: unknown, sensitive: boolean) => {
      const output = new TerraformOutput(this, name, { value, description, sensitive });
      output.overrideLogicalId(`honest_${name}${suffix}`);
    };
    make("endpoint", "URL of the Kubernetes API.", endpoint, false);
    make(
      "access",
      "What honest-paas kubeconfig makes a kubeconfig from.",
      {
        cluster,
        endpoint,
        ...(serverName === null ? {} : { server_name: serverName }),
        ca_bundle: attribute(pkiName, "ca_bundle"),
        client_ca_cert: attribute(pkiName, "client_ca_cert"),
        client_ca_key: attribute(pkiName, "client_ca_key"),
      },
      true,
    );
    make("complete", "True when the cluster has been handed over.", attribute(barrierName, "complete"), false);
    const sum = () =>
      `\${sum([${config
        .boots()
        .map((boot) => `${addressOf(boot)}.pending_count`)
        .join(", ")}])}`;
    make(
      "pending_count",
      "Machines that wait for their turn to take a new release; apply again until it is 0.",
      Lazy.anyValue({ produce: sum }),
      false,
    );
  }
}

const mark = Symbol.for("honest-paas/clusters");

/** Names of the clusters of a stack, in the order in which they were made; kept on the stack itself. */
export function clustersOf(scope: Construct): string[] {
  const stack = TerraformStack.of(scope) as TerraformStack & { [mark]?: string[] };
  const known = stack[mark] ?? [];
  if (!stack[mark]) Object.defineProperty(stack, mark, { value: known });
  return known;
}
