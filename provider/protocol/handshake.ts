// How core starts a plugin: environment in, one line out. Everything here is read from core's own plugin library.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const pluginCookie = {
  name: "TF_PLUGIN_MAGIC_COOKIE",
  value: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
} as const;
/** sun_path of a Unix socket holds 108 bytes with its end. */
const longestSocketPath = 107;

export const startedByTerraform = (env: NodeJS.ProcessEnv): boolean => env[pluginCookie.name] === pluginCookie.value;

/** Core sends the versions it speaks as a set in random order. */
export const speaksProtocol6 = (env: NodeJS.ProcessEnv): boolean => {
  const offered = env.PLUGIN_PROTOCOL_VERSIONS;
  return offered === undefined || offered.split(",").includes("6");
};

export type Listen = { readonly network: "unix"; readonly path: string } | { readonly network: "tcp"; readonly host: string };

/** A socket in a folder of its own; TCP on loopback where the path would be too long or there are no Unix sockets. */
export function chooseListen(env: NodeJS.ProcessEnv): Listen {
  if (process.platform === "win32") return { network: "tcp", host: "127.0.0.1" };
  const base = env.PLUGIN_UNIX_SOCKET_DIR || tmpdir();
  // the folder's random part has six characters
  if (Buffer.byteLength(join(base, "honest-XXXXXX", "s")) > longestSocketPath) return { network: "tcp", host: "127.0.0.1" };
  try {
    return { network: "unix", path: join(mkdtempSync(join(base, "honest-")), "s") };
  } catch {
    // a TMPDIR that is missing or read-only: loopback works all the same
    return { network: "tcp", host: "127.0.0.1" };
  }
}

/** The line core waits for. The certificate is raw base64: padding makes core refuse it. */
export function handshakeLine(address: string, network: "unix" | "tcp", certificate: Uint8Array | null, env: NodeJS.ProcessEnv): string {
  const parts = ["1", "6", network, address, "grpc", certificate ? Buffer.from(certificate).toString("base64").replace(/=+$/, "") : ""];
  // older cores split into six and choke on a seventh
  if (env.PLUGIN_MULTIPLEX_GRPC) parts.push("false");
  return `${parts.join("|")}\n`;
}
