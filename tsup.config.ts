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
const alone: Options = {
  ...node,
  format: ["cjs"],
  outDir: `${dist}/provider/lib`,
  outExtension: () => ({ js: ".cjs" }),
  noExternal: [/.*/],
  loader: { ".py": "text", ".sh": "text" },
  splitting: false,
  minifySyntax: true,
  minifyWhitespace: true,
} as Options;

/** Runs before anything that an old Node cannot read; core shows the line. */
const nodeCheck =
  'var v=process.versions.node.split(".");if(v[0]<20||(v[0]==20&&v[1]<19)){console.log("honest-paas needs Node.js 20.19 or newer; "+process.execPath+" is "+process.version+". Put a newer one on PATH, or set HONEST_PAAS_NODE to its path.");process.exit(1)}';

/** Up to the handshake line: small, because core waits for it at each of its starts. Then it reads the other file. */
export const providerStart: Options = {
  ...alone,
  entry: { provider: "provider/main.ts" },
  target: "node12",
  banner: { js: nodeCheck },
  // no import(), which would start Node's second module loader
  esbuildOptions: (options) => {
    options.supported = { ...options.supported, "dynamic-import": false };
  },
  esbuildPlugins: [
    {
      name: "served-in-a-file-of-its-own",
      setup: (build) =>
        build.onResolve({ filter: /^\.\/served\.js$/, namespace: "file" }, () => ({ path: "./served.cjs", external: true })),
    },
  ],
};

export const providerServed: Options = { ...alone, entry: { served: "provider/served.ts" } };

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

export const all: readonly Options[] = [constructs, providerStart, providerServed, cli, demo].filter((options) =>
  Object.values(options.entry as Record<string, string>).every((file) => existsSync(file)),
);

export default all as Options[];
