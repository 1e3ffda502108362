// Start of the provider until its handshake line, against a bare node, turn about.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import packageJson from "../package.json" with { type: "json" };
import { type Figures, figures, ratios, word } from "./figures.js";
import { output } from "./process.js";
import type { Section } from "./section.js";

const root = resolve(import.meta.dirname, "..");
const launcher = join(root, `dist/provider/terraform-provider-honest_v${packageJson.version}`);
/** What terraform gives a plugin; without it the provider says that it is one and ends. */
const plugin = {
  TF_PLUGIN_MAGIC_COOKIE: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
  PLUGIN_PROTOCOL_VERSIONS: "6",
};

export interface Start {
  /** Milliseconds. */
  readonly node: Figures;
  readonly provider: Figures;
  readonly ratio: Figures;
}

export const start: Section<Start> = {
  title: "Start of the provider",

  async measure({ rounds = 31, signal }) {
    const folder = mkdtempSync(join(tmpdir(), "honest-bench-"));
    try {
      // a process of its own, because a child of a large process starts more slowly; nothing of this machine's own that
      // would make both slower, and their ratio better
      const env = { PATH: process.env.PATH, TMPDIR: folder, ...plugin };
      const script = join(root, "test/support/start-times.mjs");
      const times = JSON.parse(await output(process.execPath, [script, launcher, String(rounds)], { env, signal })) as {
        readonly bare: readonly number[];
        readonly program: readonly number[];
      };
      return { node: figures(times.bare), provider: figures(times.program), ratio: ratios(times.program, times.bare) };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },

  limits: ({ ratio }) => [
    { what: "provider, start to handshake, ÷ bare `node -e 0`", figure: word(ratio, 2), value: ratio.median, most: 1.6, unit: "" },
  ],

  page: ({ node, provider, ratio }) =>
    `${ratio.runs} pairs: \`node -e 0\` until it ends, ${word(node, 1, " ms")}; the provider as terraform starts it, launcher and
certificate included, until its handshake line, ${word(provider, 1, " ms")}. Terraform starts a provider three or four times a
command.`,
};
