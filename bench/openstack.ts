// Birth of a cluster's blocks on a real OpenStack API: the kit's stack against the same vendor resources alone, with the
// same arguments and no resource of ours between them. Turn about, in one lab.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStage, type Stage } from "../test/acceptance/openstack/fixture.js";
import { mirrorConfig, openStackProvider } from "../test/support/openstack/provider.js";
import { type Figures, figures, ratios, word } from "./figures.js";
import { output } from "./process.js";
import type { Section } from "./section.js";

export interface OpenStackApply {
  /** How many vendor resources; the kit's own come on top. */
  readonly resources: number;
  /** Seconds. */
  readonly kit: Figures;
  readonly plain: Figures;
  readonly ratio: Figures;
}

type Json = Record<string, Record<string, Record<string, Record<string, unknown>>>>;

/** The stack without resources of ours: what they gave to others is written in their place. */
export function plainStack(stack: string, given: Readonly<Record<string, Readonly<Record<string, unknown>>>>): Json {
  const text = stack.replace(/"\$\{(honest_\w+\.[\w-]+)\.(\w+)\}"/g, (whole: string, address: string, name: string) => {
    const value = given[address]?.[name];
    return value === undefined ? whole : JSON.stringify(value);
  });
  const { resource = {}, terraform, provider, output: _outputs, ...rest } = JSON.parse(text) as Json;
  const vendor = Object.fromEntries(Object.entries(resource).filter(([type]) => !type.startsWith("honest_")));
  // what it named is no more, and nothing is replaced here
  for (const one of Object.values(vendor).flatMap((all) => Object.values(all)))
    if (typeof one.lifecycle === "object") delete (one.lifecycle as Record<string, unknown>).replace_triggered_by;
  const left = /\$\{(honest_[^}]*)\}/.exec(JSON.stringify(vendor))?.[1];
  if (left !== undefined) throw new Error(`nobody gave ${left}`);
  const { honest: _ours, ...required } = terraform?.required_providers ?? {};
  const { honest: _block, ...providers } = provider ?? {};
  return { ...rest, resource: vendor, provider: providers, terraform: { required_providers: required } } as Json;
}

async function plainApply(json: Json, stage: Stage, signal: AbortSignal): Promise<number> {
  const cwd = mkdtempSync(join(tmpdir(), "honest-bench-"));
  try {
    const { mirror } = await openStackProvider();
    const env = { ...process.env, ...stage.lab.environment, TF_CLI_CONFIG_FILE: join(cwd, "cli.tfrc"), CHECKPOINT_DISABLE: "1" };
    writeFileSync(env.TF_CLI_CONFIG_FILE, mirrorConfig(mirror));
    writeFileSync(join(cwd, "main.tf.json"), JSON.stringify(json));
    const terraform = (...args: string[]) => output("terraform", args, { cwd, env, signal });
    await terraform("init", "-input=false");
    const begun = performance.now();
    await terraform("apply", "-auto-approve", "-input=false");
    const seconds = (performance.now() - begun) / 1000;
    await terraform("destroy", "-auto-approve", "-input=false");
    return seconds;
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

export const openStack: Section<OpenStackApply> = {
  title: "Apply on OpenStack",

  async measure({ rounds = 3, say, signal }) {
    const [kit, plain]: [number[], number[]] = [[], []];
    let resources = 0;
    for (let round = 0; round < rounds; round += 1) {
      // another cluster each time: what stands in for its machines keeps the trust that it was made with
      const stage = await openStage({ groups: { web: { scalingConfig: { desiredSize: 2 } } } });
      try {
        const begun = performance.now();
        await stage.w.apply();
        kit.push((performance.now() - begun) / 1000);
        const state = await stage.w.resources();
        const given = Object.fromEntries(state.map(({ address, values }) => [address, values]));
        resources = state.filter(({ type, address }) => type.startsWith("openstack_") && !address.startsWith("data.")).length;
        const json = plainStack(readFileSync(join(stage.w.dir, "cdk.tf.json"), "utf8"), given);
        await stage.w.destroy();
        plain.push(await plainApply(json, stage, signal));
        say(`openstack: ${kit.at(-1)?.toFixed(1)} s, plain ${plain.at(-1)?.toFixed(1)} s`);
      } finally {
        await stage.w.attempt(["destroy", "-no-color", "-auto-approve", "-input=false"]);
        await stage.close();
      }
    }
    return { resources, kit: figures(kit), plain: figures(plain), ratio: ratios(kit, plain) };
  },

  limits: ({ ratio }) => [
    {
      what: "apply of 3 control planes and 2 workers on OpenStack ÷ the same vendor resources alone",
      figure: word(ratio, 2),
      value: ratio.median,
      most: 1.1,
      unit: "",
    },
  ],

  page: ({ resources, kit, plain, ratio }) =>
    `${ratio.runs} pairs in one lab ([test/openstack](../test/openstack/README.md)), ${resources} vendor resources each, by the vendor's
own provider: the kit's stack, from \`terraform apply\` until the cluster is handed over, ${word(kit, 1, " s")}; the same resources as
plain Terraform with the same arguments, ${word(plain, 1, " s")}. No machine boots there: what the machines would run stands in and is
Ready in a second, so this is the price of the kit's own resources and of the order that they bring.`,
};
