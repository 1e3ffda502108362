// Who may import whom. The rules keep the pure parts pure and the parts exchangeable; a new folder needs a row here.
import { describe, expect, it } from "vitest";
import { importsOf, sources } from "./sources.js";

interface Rule {
  readonly folder: string;
  /** Ours, as prefixes; the folder itself is always allowed. */
  readonly ours: readonly string[];
  /** Packages. node:… is allowed unless `pure`. */
  readonly packages: readonly string[];
  readonly pure?: boolean;
  readonly why: string;
}

const contractTypes = ["constructs/spec/", "constructs/blueprint/"];

const rules: readonly Rule[] = [
  { folder: "constructs/spec", ours: [], packages: ["ajv"], pure: true, why: "the spec is checked in browsers and providers alike" },
  { folder: "constructs/blueprint", ours: ["constructs/spec/"], packages: [], pure: true, why: "the blueprint knows no cloud and no tool" },
  { folder: "constructs/iaas", ours: contractTypes, packages: [], pure: true, why: "a mapping is data; only cdktf/ makes elements" },
  {
    folder: "constructs/cdktf",
    ours: ["constructs/spec/", "constructs/blueprint/", "constructs/iaas/", "package.json"],
    packages: ["cdktf", "constructs"],
    why: "the only part that loads cdktf, and never the provider",
  },
  { folder: "provider/framework", ours: [], packages: [], why: "what a resource author sees knows no wire" },
  { folder: "provider/protocol", ours: ["provider/framework/"], packages: [], why: "the wire knows no resource" },
  {
    folder: "provider/shim",
    ours: ["provider/framework/", "provider/protocol/"],
    packages: [],
    why: "the client of vendors' providers knows no cluster; it shares values and codec with the server",
  },
  {
    folder: "provider/kube",
    ours: ["provider/rollout/facts.ts"],
    packages: ["undici", "yaml"],
    why: "plain functions; facts are the contract with the planner",
  },
  { folder: "provider/pki", ours: [], packages: ["@peculiar/x509", "reflect-metadata"], why: "plain functions" },
  { folder: "provider/backup", ours: [], packages: [], why: "plain functions" },
  { folder: "provider/engine", ours: [], packages: ["undici", "tar-stream"], why: "plain functions" },
  {
    folder: "provider/mirror",
    ours: ["constructs/spec/versions.json"],
    packages: ["undici", "tar-stream"],
    why: "plain functions and the version table",
  },
  { folder: "provider/rollout", ours: contractTypes, packages: [], pure: true, why: "pace and gate are pure" },
  {
    folder: "provider/boot",
    ours: [...contractTypes, "provider/mirror/versions.ts"],
    packages: ["ajv"],
    why: "composes bytes from the contract and the version table",
  },
  {
    folder: "provider/managed",
    ours: [
      ...[...contractTypes, "constructs/iaas/", "provider/framework/"],
      ...["provider/shim/", "provider/clouds/", "provider/protocol/state-text"],
    ],
    packages: [],
    why: "graph, plan and crank over a port; behind it the kit's own resources, or a vendor's plugin through the client",
  },
  {
    folder: "provider/clouds",
    ours: ["provider/framework/", "provider/shim/"],
    packages: [],
    why: "what the client has to know of one vendor; no cluster and no Terraform",
  },
  {
    folder: "provider/resources",
    ours: ["constructs/spec/", "constructs/blueprint/", "constructs/iaas/", "provider/"],
    packages: ["undici", "yaml"],
    why: "where everything meets, except the tool and the wire",
  },
  {
    folder: "provider/cli",
    ours: ["backup", "engine", "mirror", "kube", "pki", "rollout"].map((part) => `provider/${part}/`).concat("provider/version.ts"),
    packages: ["yaml"],
    why: "the tool is no part of the provider",
  },
];

const never: readonly (readonly [string, RegExp, string])[] = [
  ["provider", /^(cdktf|cdktn|constructs)$|^constructs\/(cdktf|index)/, "the provider never loads cdktf, nor what does"],
  ["provider/resources", /^provider\/(cli|protocol)\//, "resources know neither tool nor wire"],
  ["constructs", /^provider\//, "constructs never load the provider"],
];

/** Enough for pure code: no files, no network, no processes. */
const pureBuiltins = ["node:crypto", "node:net"];

const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
const isOurs = (specifier: string): boolean =>
  /^(constructs|provider|examples|test|scripts|bench|cloud-init)\/|^package\.json$/.test(specifier);

describe.each(rules)("$folder: $why", ({ folder, ours, packages, pure }) => {
  it("imports only what it may", () => {
    const wrong: string[] = [];
    for (const source of sources([folder], /\.ts$/)) {
      for (const specifier of importsOf(source)) {
        const builtin = specifier.startsWith("node:");
        const allowed = builtin
          ? pure !== true || pureBuiltins.includes(specifier)
          : isOurs(specifier)
            ? specifier.startsWith(`${folder}/`) || ours.some((prefix) => specifier.startsWith(prefix))
            : packages.includes(packageOf(specifier));
        if (!allowed) wrong.push(`${source.path} imports ${specifier}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

it.each(never)("%s does not import %s: %s", (folder, forbidden) => {
  const wrong = sources([folder], /\.ts$/).flatMap((source) =>
    importsOf(source)
      .filter((specifier) => forbidden.test(specifier))
      .map((specifier) => `${source.path} imports ${specifier}`),
  );
  expect(wrong).toEqual([]);
});

it("has a rule for every folder", () => {
  const folders = new Set(
    sources(["constructs", "provider"], /\.ts$/).map(({ path }) => path.split("/").slice(0, -1).slice(0, 2).join("/")),
  );
  const known = new Set(rules.map((rule) => rule.folder));
  expect([...folders].filter((folder) => !known.has(folder) && folder.includes("/")).sort()).toEqual([]);
});
