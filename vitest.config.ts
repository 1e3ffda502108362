import { defineConfig } from "vitest/config";

const project = (name: string, include: string, extra: object = {}) => ({
  test: { name, include: [include], setupFiles: ["test/support/setup.ts"], ...extra },
});

export default defineConfig({
  test: {
    projects: [
      project("unit", "test/unit/**/*.test.ts"),
      // one at a time: two cores, and terraform itself is parallel
      project("acceptance", "test/acceptance/**/*.test.ts", { testTimeout: 120_000, hookTimeout: 120_000, fileParallelism: false }),
      project("e2e", "test/e2e/**/*.test.ts", { testTimeout: 600_000, hookTimeout: 900_000, fileParallelism: false }),
    ],
  },
});
