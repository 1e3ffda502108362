// What is published: the constructs (ESM, CJS and types), the provider as one file, the command line tool, and the demo's
// program. scripts/build.ts runs these and puts the rest beside them.
import { existsSync } from "node:fs";
import type { Options } from "tsup";

const node = { platform: "node", target: "node20", sourcemap: false, clean: false, silent: true } as const satisfies Options;

/** The build goes here first and takes the place of dist/ at its end: who runs something meanwhile has the old one whole. */
export const dist = "dist.next";

/** The user's own; everything else that the constructs need is bundled, so that one tarball is all to install. */
const peers = ["cdktf", "cdktn", "constructs"];

const entries = { index: "constructs/index.ts", spec: "constructs/spec/index.ts", iaas: "constructs/iaas/index.ts" };

export const constructs: Options = {
  ...node,
  entry: entries,
  format: ["esm", "cjs"],
  outDir: dist,
  dts: { entry: entries },
  splitting: true,
  shims: true,
  external: peers,
  noExternal: [/^(?!cdktf|cdktn|constructs)/],
  banner: ({ format }) =>
    format === "esm"
      ? { js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);' }
      : {},
};

// tsup leaves dependencies outside by default; an installed provider has no node_modules.
export const provider: Options = {
  ...node,
  entry: { provider: "provider/main.ts" },
  format: ["cjs"],
  outDir: `${dist}/provider/lib`,
  outExtension: () => ({ js: ".cjs" }),
  noExternal: [/.*/],
  loader: { ".py": "text", ".sh": "text" },
  splitting: false,
  minifySyntax: true,
  minifyWhitespace: true,
} as Options;

export const cli: Options = {
  ...node,
  entry: { "honest-paas": "provider/cli/honest-paas.ts" },
  format: ["esm"],
  outDir: `${dist}/cli`,
  noExternal: [/.*/],
  loader: { ".py": "text", ".sh": "text" },
  splitting: false,
  // CommonJS dependencies inside an ES module still say require
  banner: { js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);' },
};

/** Resolves the package by its own name at run time, as a user's program does. */
export const demo: Options = {
  ...node,
  entry: { "local-cluster": "examples/local-cluster/demo.ts" },
  format: ["esm"],
  outDir: `${dist}/examples`,
  external: [...peers, "honest-paas"],
};

export const all: readonly Options[] = [constructs, provider, cli, demo].filter((options) =>
  Object.values(options.entry as Record<string, string>).every((file) => existsSync(file)),
);

export default all as Options[];
