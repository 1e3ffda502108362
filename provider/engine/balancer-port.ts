// The published port: the one asked for, or one chosen by the cluster's name and tried until the engine takes it; it is
// pinned in the container from then on.
import { createHash } from "node:crypto";
import { EngineError } from "./error.js";

const first = 20_000;
const count = 10_000;

/** Ports to try, in order. The same name begins at the same port. */
export function* candidatePorts(name: string, tries = 50): Generator<number> {
  const start = createHash("sha256").update(name).digest().readUInt32BE(0) % count;
  for (let n = 0; n < tries; n++) yield first + ((start + n * 37) % count);
}

export const isPortTaken = (cause: unknown): cause is EngineError =>
  cause instanceof EngineError && /port is already allocated|bind: address already in use|ports are not available/i.test(cause.detail);

export const portTaken = (address: string, port: number, host: string, cause: EngineError): EngineError =>
  new EngineError("refused", {
    what: `The port ${port} is taken`,
    detail: `The balancer is to publish ${address}:${port} on ${host}, but something else listens there (${cause.detail}).`,
    fix: "End what listens there, or give another port: published_port of honest_local_balancer, iaas.local.published_port in a cluster's spec.",
    cause,
  });
