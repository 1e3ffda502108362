// What a terraform under the keeper sees of the environment. Variables that steer terraform itself stay out: a
// TF_CLI_ARGS of the user's shell must not change what runs here.
const steering =
  /^(TF_CLI_ARGS|TF_WORKSPACE$|TF_DATA_DIR$|TF_REATTACH_PROVIDERS$|TF_PLUGIN_CACHE_DIR$|TF_LOG|TF_INPUT$|PLUGIN_|NODE_OPTIONS$)/;

export function terraformEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) if (value !== undefined && !steering.test(name)) kept[name] = value;
  // TF_LOG is for whoever looks for a fault: its own name keeps it apart from the steering ones
  if (env.HONEST_PAAS_TF_LOG) kept.TF_LOG = env.HONEST_PAAS_TF_LOG;
  return { ...kept, CHECKPOINT_DISABLE: "1", TF_IN_AUTOMATION: "1", TF_INPUT: "0" };
}
