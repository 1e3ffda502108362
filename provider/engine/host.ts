// Where the engine is: a DOCKER_HOST value becomes what undici needs to connect.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EngineError } from "./error.js";

export interface EngineAddress {
  /** As the user wrote it; goes into error messages. */
  readonly host: string;
  readonly origin: string;
  readonly socketPath?: string;
  readonly tls?: { readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer };
}

const badHost = (host: string, detail: string, fix: string): EngineError =>
  new EngineError("refused", { what: `Bad Docker host "${host}"`, detail, fix });

const defaultFix = 'Use "unix:///var/run/docker.sock", "tcp://HOST:2375", or "tcp://HOST:2376" with DOCKER_CERT_PATH.';

function readCertificates(host: string, folder: string): NonNullable<EngineAddress["tls"]> {
  const read = (file: string): Buffer => {
    try {
      return readFileSync(join(folder, file));
    } catch (cause) {
      throw new EngineError("refused", {
        what: "Cannot read the engine's TLS files",
        detail: `DOCKER_CERT_PATH is "${folder}", but ${file} in it cannot be read (${(cause as Error).message}); it is needed for ${host}.`,
        fix: "Put ca.pem, cert.pem and key.pem there, or unset DOCKER_CERT_PATH to speak without TLS.",
        cause,
      });
    }
  };
  return { ca: read("ca.pem"), cert: read("cert.pem"), key: read("key.pem") };
}

/** TLS is used for tcp hosts when DOCKER_CERT_PATH is set (or the host says https), as Docker's own clients do. */
export function parseHost(host: string, env: Readonly<Record<string, string | undefined>> = process.env): EngineAddress {
  const [, scheme, rest] = /^([a-z]+):\/\/(.+)$/.exec(host) ?? [];
  if (!scheme || !rest) throw badHost(host, "It has no scheme.", defaultFix);
  if (scheme === "unix") return { host, origin: "http://docker", socketPath: rest.startsWith("/") ? rest : `/${rest}` };
  if (scheme === "npipe") return { host, origin: "http://docker", socketPath: rest.replaceAll("/", "\\") };
  if (scheme === "ssh")
    throw badHost(
      host,
      "Engines over ssh are not spoken to directly.",
      `Forward the socket first: ssh -nNT -L /tmp/docker.sock:/var/run/docker.sock ${rest}, then use "unix:///tmp/docker.sock".`,
    );
  if (!["tcp", "http", "https"].includes(scheme)) throw badHost(host, `The scheme "${scheme}" is not known.`, defaultFix);
  const folder = env.DOCKER_CERT_PATH;
  const secure = scheme === "https" || (scheme === "tcp" && folder !== undefined && folder !== "");
  const origin = `${secure ? "https" : "http"}://${rest.replace(/\/+$/, "")}`;
  if (!URL.canParse(origin)) throw badHost(host, "It is not an address.", defaultFix);
  return folder && secure ? { host, origin, tls: readCertificates(host, folder) } : { host, origin };
}
