// Runs a container to its end and keeps its file system as an image: for what a build step without rights cannot do.
import type { Readable } from "node:stream";
import type { Core } from "./core.js";
import { EngineError } from "./error.js";
import { splitFrames } from "./frames.js";
import { kindLabel, owner, ownerLabel } from "./labels.js";
import { findGrant, grantFlags } from "./probe.js";

export interface BakeRequest {
  readonly from: string;
  readonly tag: string;
  /** Files put into the container before it starts, as a tar relative to "/". */
  readonly files: () => Readable;
  readonly command: readonly string[];
  /** A folder that is a volume while baking and no part of the image. */
  readonly volume: string;
  readonly changes: readonly string[];
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

const cluster = "honest-paas-image";

export async function bakeImage(engine: Core, request: BakeRequest): Promise<void> {
  const core = engine.withSignal(request.signal);
  const name = `honest-paas-bake-${request.tag.replace(/[^A-Za-z0-9.]+/g, "-")}`;
  const patient = (): Core => engine.withSignal(AbortSignal.timeout(60_000));
  const remove = (): Promise<boolean> => patient().drop(`/containers/${name}`, { force: true, v: true });
  // Left by a killed run; its state is unknown, so it is begun anew.
  await remove();
  const grant = await findGrant(core, request.from, cluster);
  await core.json("/containers/create", {
    method: "POST",
    query: { name },
    json: {
      Image: request.from,
      // No entry point: a commit hands it on to the image whatever its changes say, and `from` is one of ours that has none.
      Cmd: request.command,
      // The image inherits the container's labels and declared volumes: hence no cluster, and a mount instead of a volume.
      Labels: { [ownerLabel]: owner, [kindLabel]: "bake" },
      HostConfig: {
        NetworkMode: "none",
        CgroupnsMode: "private",
        Tmpfs: { "/run": "", "/tmp": "exec" },
        Mounts: [{ Type: "volume", Target: request.volume }],
        ...grantFlags(grant),
      },
    },
  });
  try {
    const put = await core.call(`/containers/${name}/archive`, {
      method: "PUT",
      query: { path: "/" },
      contentType: "application/x-tar",
      body: request.files(),
      headTimeoutMs: 0,
    });
    await put.bytes();
    await (await core.call(`/containers/${name}/start`, { method: "POST" })).bytes();
    const { StatusCode } = await core.json<{ StatusCode: number }>(`/containers/${name}/wait`, { method: "POST", headTimeoutMs: 0 });
    const logs = await core.call(`/containers/${name}/logs`, { query: { stdout: true, stderr: true, tail: 200 } });
    const { stdout, stderr } = splitFrames(await logs.bytes());
    for (const line of `${stdout}${stderr}`.split("\n")) if (line.trim()) request.log(line);
    if (StatusCode !== 0)
      throw new EngineError("answer", {
        what: `The image ${request.tag} cannot be made`,
        detail: `Its container ended with code ${StatusCode}: ${(stderr || stdout).trim().split("\n").slice(-20).join("\n")}`,
      });
    const colon = request.tag.lastIndexOf(":");
    const query = new URLSearchParams({
      container: name,
      repo: request.tag.slice(0, colon),
      tag: request.tag.slice(colon + 1),
      pause: "false",
    });
    for (const change of [...request.changes, `LABEL ${kindLabel}=image`]) query.append("changes", change);
    await core.json(`/commit?${query}`, { method: "POST", json: {}, headTimeoutMs: 0 });
  } finally {
    await remove();
  }
}
