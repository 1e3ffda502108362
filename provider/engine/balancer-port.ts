// The published port: the one asked for, or one chosen by the cluster's name and tried until the engine takes it; it is
// pinned in the container from then on.
import { createHash } from "node:crypto";
import type { Core } from "./core.js";
import { EngineError } from "./error.js";
import { type Labels, ownerInWords } from "./labels.js";

const first = 20_000;
const count = 10_000;

/** Ports to try, in order. The same name begins at the same port. */
export function* candidatePorts(name: string, tries = 50): Generator<number> {
  const start = createHash("sha256").update(name).digest().readUInt32BE(0) % count;
  for (let n = 0; n < tries; n++) yield first + ((start + n * 37) % count);
}

export const isPortTaken = (cause: unknown): cause is EngineError =>
  cause instanceof EngineError && /port is already allocated|bind: address already in use|ports are not available/i.test(cause.detail);

interface Row {
  readonly Names: readonly string[];
  readonly Labels: Labels | null;
  readonly Ports: readonly { readonly PublicPort?: number }[] | null;
}

/** Says who has it: a container of the engine, else a process of its host. */
export async function portTaken(core: Core, address: string, port: number, cause: EngineError): Promise<EngineError> {
  const rows = await core.json<readonly Row[]>("/containers/json");
  const holder = rows.find((row) => row.Ports?.some((p) => p.PublicPort === port));
  const who = holder
    ? `the container "${(holder.Names[0] ?? "").replace("/", "")}" publishes it; ${ownerInWords(holder.Labels)}`
    : `a process of the engine's host listens there (ss -ltnp 'sport = :${port}' shows it)`;
  return new EngineError("refused", {
    what: `The port ${port} is taken`,
    detail: `The balancer is to publish ${address}:${port} on ${core.host}, but ${who}.`,
    fix: "End what listens there, or give another port: published_port of honest_local_balancer, iaas.local.published_port in a cluster's spec; without one a free port is chosen.",
    cause,
  });
}
