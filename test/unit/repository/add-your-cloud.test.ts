// The mapping in docs/guides/add-your-cloud.md is a file like the others: it compiles beside them, and makes a cluster.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compileFunction } from "node:vm";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { build } from "../../../constructs/blueprint/build.js";
import * as network from "../../../constructs/blueprint/network.js";
import { unhonoured } from "../../../constructs/iaas/honour.js";
import { mapCluster } from "../../../constructs/iaas/map.js";
import type { Mapping } from "../../../constructs/iaas/mapping.js";
import * as resource from "../../../constructs/iaas/resource.js";
import { specOf } from "../../support/blueprint.js";
import { root } from "./sources.js";

const guide = readFileSync(join(root, "docs/guides/add-your-cloud.md"), "utf8");
const [, text = ""] = /^```ts\n([\s\S]*?)^```$/m.exec(guide) ?? [];
const place = join(root, "constructs/iaas/meadow.ts");

let before: ts.Program | undefined;

/** What the compiler has against the text in that place, with the repository's own settings. */
function complaints(source: string): readonly string[] {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [], include: [] }, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (file) => file === place || fileExists(file);
  host.getSourceFile = (file, ...rest) =>
    file === place ? ts.createSourceFile(file, source, ts.ScriptTarget.ESNext, true) : getSourceFile(file, ...rest);
  // everything else is read once
  const program = ts.createProgram([place], options, host, before);
  before = program;
  const file = program.getSourceFile(place);
  return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(({ messageText }) =>
    ts.flattenDiagnosticMessageText(messageText, "\n"),
  );
}

function loaded(): Mapping {
  const { outputText } = ts.transpileModule(text, { compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 } });
  const known: Readonly<Record<string, unknown>> = { "./resource.js": resource, "../blueprint/network.js": network };
  const exports: { meadow?: Mapping } = {};
  compileFunction(outputText, ["exports", "require"])(exports, (name: string) => known[name]);
  if (!exports.meadow) throw new Error("the guide's file exports no meadow");
  return exports.meadow;
}

describe("the mapping of the guide", () => {
  it("compiles, and would not with a kind of block left out", { timeout: 60_000 }, () => {
    expect(complaints(text)).toEqual([]);
    expect(complaints(text.replace("subnet: () => [],", "")).join()).toContain("'subnet' is missing");
  });

  const meadow = loaded();
  const spec = specOf({
    // a cloud that no schema has: another's name stands for it
    iaas: { preview: {} },
    vpc_config: { egress: "nat", public_access_cidrs: ["203.0.113.0/24"] },
    control_plane: { replicas: 3, zones: ["m1", "m2", "m3"], instance_type: "m-2vcpu-4gb", image: "debian" },
    node_groups: { web: { instance_types: ["m-4vcpu-8gb"], image: "debian", zones: ["m1", "m2"], scaling_config: { desired_size: 3 } } },
  });
  const blueprint = build(spec);
  const resources = mapCluster(spec, blueprint, meadow);
  const byName = new Map(resources.map((one) => [one.name, one]));
  const ofCloud = resources.filter(({ type }) => !type.startsWith("honest_"));

  it("finds nothing wrong with a spec, and says what it has not", () => {
    expect(unhonoured(spec, meadow)).toEqual([]);
    const asked = { ...spec, vpc_config: { ...spec.vpc_config, network_id: "n-1" } };
    expect(unhonoured(asked, meadow)).toMatchObject([{ code: "cloud.unsupported", path: ["vpc_config", "network_id"] }]);
  });

  it("makes a resource for each block that costs something, named as the block", () => {
    for (const { kind, id } of blueprint.blocks)
      if (["network", "disk", "machine", "balancer"].includes(kind)) expect(byName.get(id)?.type, id).toMatch(/^meadow_/);
    expect(byName.size).toBe(resources.length);
  });

  it("refers to what is there, and to no machine from what machines stand on", () => {
    for (const one of ofCloud)
      for (const other of resource.refsIn(one.args)) expect(byName.has(other), `${one.name} → ${other}`).toBe(true);
    for (const { name, args } of ofCloud)
      if (!/\/machine/.test(name)) expect(resource.refsIn(args).filter((other) => /\/(machine|boot|node)/.test(other))).toEqual([]);
  });

  it("lists each argument of its machines once", () => {
    const { boot, fixed, inPlace } = meadow.machines.meadow_droplet ?? { boot: [], fixed: [], inPlace: [] };
    const listed = [...boot, ...fixed, ...inPlace];
    expect(new Set(listed).size).toBe(listed.length);
    for (const { type, args } of ofCloud)
      if (type === "meadow_droplet")
        for (const argument of Object.keys(args)) if (argument !== "user_data") expect(listed).toContain(argument);
  });

  it("opens to the world what the spec says and nothing else", () => {
    const addresses = ofCloud.flatMap(({ args }) =>
      [args.source_addresses, args.allowed_addresses].flat().filter((one) => typeof one === "string"),
    );
    expect([...new Set(addresses)].sort()).toEqual(["10.244.0.0/16", "10.98.0.0/16", "203.0.113.0/24"]);
  });
});
