// The provider of the kit, in a stack. A cluster makes one when the stack has none.

import { join } from "node:path";
import { TerraformStack } from "cdktf";
import type { Construct, IConstruct } from "constructs";
import { honestProviderConfig, ProviderElement } from "./element.js";
import { installProvider } from "./install-provider.js";
import { bundledProvider } from "./package.js";

export interface HonestProviderProps {
  /**
   * Docker engine of the local IaaS, "unix:///path" or "tcp://host:port".
   * @default - environment variable DOCKER_HOST of terraform, else unix:///var/run/docker.sock
   */
  readonly dockerHost?: string | undefined;
  /**
   * Folder for built artefacts and machine images.
   * @default - environment variable HONEST_PAAS_CACHE of terraform, else ~/.cache/honest-paas
   */
  readonly cacheDir?: string | undefined;
  /** Name that tells two providers of one stack apart. */
  readonly alias?: string | undefined;
  /**
   * Whether synth puts the provider of this package into the stack's folder, so that terraform needs no registry.
   * @default true
   */
  readonly install?: boolean | undefined;
}

/** CDKTF calls what stands under this symbol when the stack's folder is written; assets use it too. */
const customSynthesis = Symbol.for("cdktf/customSynthesis");

interface Session {
  readonly outdir: string;
  readonly manifest: { forStack(stack: TerraformStack): { readonly workingDirectory: string } };
}

export class HonestProvider extends ProviderElement {
  constructor(scope: Construct, id: string, props: HonestProviderProps = {}) {
    super(scope, id, honestProviderConfig({ docker_host: props.dockerHost, cache_dir: props.cacheDir }, props.alias));
    if (props.install === false) return;
    Object.defineProperty(this, customSynthesis, {
      value: {
        onSynthesize: ({ outdir, manifest }: Session) => {
          const { workingDirectory } = manifest.forStack(TerraformStack.of(this));
          installProvider(bundledProvider(), join(outdir, workingDirectory));
        },
      },
    });
  }
}

/** The stack's provider of a type without an alias, made by `make` when there is none. */
export function providerIn(scope: Construct, type: string, make: (stack: Construct) => ProviderElement): ProviderElement {
  const stack = TerraformStack.of(scope);
  const found = stack.node.findAll().find((construct) => isProvider(construct, type));
  return found ? (found as ProviderElement) : make(stack);
}

const isProvider = (construct: IConstruct, type: string): boolean => {
  const { terraformResourceType, terraformProviderSource, alias } = construct as Partial<ProviderElement>;
  return terraformProviderSource !== undefined && terraformResourceType === type && alias === undefined;
};
