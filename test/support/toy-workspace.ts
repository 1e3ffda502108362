// The toy provider in a workspace: what the tests of the protocol begin with.
import { afterEach } from "vitest";
import type { Provider, Resource } from "../../provider/framework/resource.js";
import { type Workspace, workspace } from "./terraform.js";
import { type Toy, toyProvider } from "./toy-provider.js";

const source = "honest-paas/toy";
const head = `terraform {\n required_providers {\n  toy = { source = "${source}" }\n }\n}\n`;

export interface ToyWorkspace {
  readonly toy: Toy;
  readonly w: Workspace;
  /** Blocks of HCL after the one that names the provider. */
  write(body: string): void;
  /** The attributes of toy_thing.a. */
  thing(attributes: string): void;
}

/** To be called once in a test file: closes after each test what it opened. */
export function toyWorkspaces(): (overrides?: Partial<Resource>, others?: Partial<Provider>) => Promise<ToyWorkspace> {
  const open: Workspace[] = [];
  afterEach(async () => {
    for (const w of open.splice(0)) await w.close();
  });
  return async (overrides = {}, others = {}) => {
    const toy = toyProvider(overrides, others);
    const w = await workspace({ provider: toy.provider, source });
    open.push(w);
    const write = (body: string): void => w.write({ "main.tf": head + body });
    const thing = (attributes: string): void => write(`resource "toy_thing" "a" {\n${attributes}\n}\n`);
    thing('name = "n"');
    await w.init();
    return { toy, w, write, thing };
  };
}
