// What the engine allows and how its host counts resources: decides the flags of a machine's container.
import { randomBytes } from "node:crypto";
import type { Core } from "./core.js";
import { EngineError } from "./error.js";
import { labelsOf } from "./labels.js";

/** How much a container may be given: everything, every capability, or every one but SYS_RESOURCE (some hosts lack it). */
export type Grant = "privileged" | "all-capabilities" | "no-sys-resource";

export interface Probe {
  readonly engineVersion: string;
  readonly apiVersion: string;
  readonly cgroupVersion: 1 | 2;
  readonly architecture: string;
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly rootless: boolean;
}

interface Info {
  readonly ServerVersion: string;
  readonly CgroupVersion?: string;
  readonly Architecture: string;
  readonly NCPU: number;
  readonly MemTotal: number;
  readonly SecurityOptions: readonly string[] | null;
}

export const probe = (core: Core): Promise<Probe> =>
  core.once("probe", async () => {
    const [info, version] = await Promise.all([core.json<Info>("/info"), core.json<{ ApiVersion: string }>("/version")]);
    return {
      engineVersion: info.ServerVersion,
      apiVersion: version.ApiVersion,
      cgroupVersion: info.CgroupVersion === "2" ? 2 : 1,
      architecture: info.Architecture,
      cpus: info.NCPU,
      memoryBytes: info.MemTotal,
      rootless: (info.SecurityOptions ?? []).some((option) => option.includes("rootless")),
    };
  });

/** The part of a container's HostConfig that follows from the grant. */
export function grantFlags(grant: Grant): Readonly<Record<string, unknown>> {
  if (grant === "privileged") return { Privileged: true };
  return {
    CapAdd: ["ALL"],
    ...(grant === "no-sys-resource" ? { CapDrop: ["SYS_RESOURCE"] } : {}),
    SecurityOpt: ["seccomp=unconfined", "apparmor=unconfined"],
    // Docker's own "systempaths=unconfined": /proc/sys and its like are not masked and not read-only.
    MaskedPaths: [],
    ReadonlyPaths: [],
    // Without it kubelet cannot open the kernel's log.
    Devices: [{ PathOnHost: "/dev/kmsg", PathInContainer: "/dev/kmsg", CgroupPermissions: "rwm" }],
    // Without it the runtime inside cannot give a pod what it must not lack itself.
    DeviceCgroupRules: ["a *:* rwm"],
  };
}

/** The widest grant that the engine really starts a container with; tried once per process with the image at hand. */
export const findGrant = (core: Core, image: string, cluster: string): Promise<Grant> =>
  core.once("grant", async () => {
    const reasons: string[] = [];
    for (const grant of ["privileged", "all-capabilities", "no-sys-resource"] as const) {
      const name = `${cluster}-helper-probe-${grant}-${randomBytes(4).toString("hex")}`;
      try {
        await core.json("/containers/create", {
          method: "POST",
          query: { name },
          json: {
            Image: image,
            Entrypoint: ["/bin/true"],
            Labels: labelsOf(cluster, "helper", name),
            HostConfig: { NetworkMode: "none", CgroupnsMode: "private", ...grantFlags(grant) },
          },
        });
        await (await core.call(`/containers/${name}/start`, { method: "POST" })).bytes();
        return grant;
      } catch (cause) {
        if (!(cause instanceof EngineError) || cause.kind !== "answer" || cause.status === 404) throw cause;
        reasons.push(`${grant}: ${cause.detail}`);
      } finally {
        await core.withSignal(AbortSignal.timeout(15_000)).drop(`/containers/${name}`, { force: true, v: true });
      }
    }
    throw new EngineError("refused", {
      what: "The Docker engine does not allow a machine",
      detail: `Machines run systemd and need wide rights; ${core.host} refused each set that would do. ${reasons.join("; ")}.`,
      fix: "Use an engine that runs as root and is not restricted by an authorization plugin.",
    });
  });
