import { expect, it } from "vitest";
import { terraformEnvironment } from "../../../../../provider/cli/keeper/environment.js";

it("keeps the user's own and drops what would steer terraform", () => {
  const dropped = ["TF_CLI_ARGS", "TF_CLI_ARGS_plan", "TF_WORKSPACE", "TF_DATA_DIR", "TF_REATTACH_PROVIDERS", "TF_PLUGIN_CACHE_DIR"];
  const steering = Object.fromEntries([...dropped, "TF_LOG", "PLUGIN_MIN_PORT", "NODE_OPTIONS"].map((name) => [name, "x"]));
  const own = { HOME: "/root", AWS_PROFILE: "p", TF_VAR_region: "r", TF_CLI_CONFIG_FILE: "c", NODE_EXTRA_CA_CERTS: "ca" };
  expect(terraformEnvironment({ ...steering, ...own, UNSET: undefined })).toEqual({
    ...own,
    CHECKPOINT_DISABLE: "1",
    TF_IN_AUTOMATION: "1",
    TF_INPUT: "0",
  });
});

it("passes a log level under a name of its own", () => {
  expect(terraformEnvironment({ HONEST_PAAS_TF_LOG: "debug" }).TF_LOG).toBe("debug");
});

it("leaves the user's own stack to what steers the user's own terraform", () => {
  const steering = { TF_CLI_ARGS_plan: "-parallelism=2", TF_WORKSPACE: "prod", TF_DATA_DIR: "d", TF_REATTACH_PROVIDERS: "{}" };
  const disturbing = { TF_LOG: "trace", TF_LOG_PATH: "x", TF_INPUT: "1", PLUGIN_MIN_PORT: "1", NODE_OPTIONS: "--inspect" };
  expect(terraformEnvironment({ ...steering, ...disturbing }, "user")).toEqual({
    ...steering,
    CHECKPOINT_DISABLE: "1",
    TF_IN_AUTOMATION: "1",
    TF_INPUT: "0",
  });
});
