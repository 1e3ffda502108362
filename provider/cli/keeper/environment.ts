// What a terraform under the keeper sees of the environment.

/** Says which stack, which state and which plan is meant: a TF_CLI_ARGS of the user's shell must not change a stack of ours. */
const steering = /^(TF_CLI_ARGS|TF_WORKSPACE$|TF_DATA_DIR$|TF_REATTACH_PROVIDERS$|TF_PLUGIN_CACHE_DIR$)/;
/** Breaks what we read of terraform, or reaches into its plugins. */
const disturbing = /^(TF_LOG|TF_INPUT$|PLUGIN_|NODE_OPTIONS$)/;

/** @param stackOf - "user": terraform works on the stack and the state that the user's own terraform would. */
export function terraformEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  stackOf: "kit" | "user" = "kit",
): Record<string, string> {
  const kept: Record<string, string> = {};
  const out = (name: string): boolean => disturbing.test(name) || (stackOf === "kit" && steering.test(name));
  for (const [name, value] of Object.entries(env)) if (value !== undefined && !out(name)) kept[name] = value;
  // TF_LOG is for whoever looks for a fault: its own name keeps it apart from the steering ones
  if (env.HONEST_PAAS_TF_LOG) kept.TF_LOG = env.HONEST_PAAS_TF_LOG;
  return { ...kept, CHECKPOINT_DISABLE: "1", TF_IN_AUTOMATION: "1", TF_INPUT: "0" };
}
