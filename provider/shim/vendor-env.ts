// What a vendor's process gets for an environment: ours, with credentials and proxies, without what core meant for us alone.
import { pluginCookie } from "../protocol/handshake.js";

// PLUGIN_…: our own handshake; reattach: our own debugging; NODE_OPTIONS: a vendor may be a Node program too
const ours = /^(PLUGIN_.*|TF_REATTACH_PROVIDERS|NODE_OPTIONS)$/;
const chosenLogs = ["TF_LOG", "TF_LOG_PROVIDER", "TF_LOG_SDK"];

export function vendorEnv(env: NodeJS.ProcessEnv, handshake: { readonly certPem: string; readonly socketDir: string }): NodeJS.ProcessEnv {
  const kept = Object.fromEntries(Object.entries(env).filter(([name]) => !ours.test(name)));
  // without a word about logs an SDK writes nine trace lines a call
  const quiet = chosenLogs.some((name) => env[name]) ? {} : { TF_LOG_SDK: "ERROR", TF_LOG_PROVIDER: "ERROR" };
  return {
    ...kept,
    ...quiet,
    [pluginCookie.name]: pluginCookie.value,
    PLUGIN_PROTOCOL_VERSIONS: "5,6",
    PLUGIN_MIN_PORT: "10000",
    PLUGIN_MAX_PORT: "25000",
    PLUGIN_CLIENT_CERT: handshake.certPem,
    PLUGIN_UNIX_SOCKET_DIR: handshake.socketDir,
  };
}
