import { defineConfig } from "vitest/config";

const project = (name: string, include: string, extra: object = {}) => ({
  test: { name, include: [include], setupFiles: ["test/support/setup.ts"], ...extra },
});

const openStackTests = "test/acceptance/openstack/**/*.test.ts";
const longTests = "test/{e2e,acceptance}/**/*.long.test.ts";
const earlierRuns = { globalSetup: ["test/support/earlier-runs.ts"] };
const realCluster = { ...earlierRuns, testTimeout: 600_000, hookTimeout: 900_000, fileParallelism: false };

export default defineConfig({
  // the package under its own name, as the examples import it
  resolve: { alias: { "honest-paas": new URL("constructs/index.ts", import.meta.url).pathname } },
  test: {
    // tests that are skipped say why; one that was left alone with .only must not pass for the whole
    allowOnly: false,
    projects: [
      {
        extends: true,
        ...project("unit", "test/unit/**/*.test.ts", { setupFiles: ["test/support/setup.ts", "test/support/closed-world.ts"] }),
      },
      // one at a time: two cores, and terraform itself is parallel
      {
        extends: true,
        ...project("acceptance", "test/acceptance/**/*.test.ts", {
          ...earlierRuns,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
          exclude: [longTests, openStackTests],
        }),
      },
      // against a real OpenStack on this computer, which is installed and started when it is not there (test/openstack)
      {
        extends: true,
        ...project("openstack", openStackTests, { testTimeout: 300_000, hookTimeout: 600_000, fileParallelism: false }),
      },
      { extends: true, ...project("e2e", "test/e2e/**/*.test.ts", { ...realCluster, exclude: [longTests] }) },
      // what takes longer than CI has: many moments, many rounds; npm run e2e:long
      { extends: true, ...project("long", longTests, realCluster) },
    ],
  },
});
