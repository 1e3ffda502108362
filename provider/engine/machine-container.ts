// The container behind a machine: systemd as its first process, limits, a fixed address, volumes for what cannot live on
// the engine's own overlay.
import type { Core } from "./core.js";
import type { MachineShape } from "./machine-shape.js";
import { dataVolumeName } from "./names.js";
import { findGrant, grantFlags, probe } from "./probe.js";

/** Folders on a volume of their own: name → path. The engine fills a new one with what the image has there. */
export const dataFolders = { containerd: "/var/lib/containerd", kubelet: "/var/lib/kubelet" } as const;

export interface ContainerSpec {
  readonly cluster: string;
  readonly id: string;
  readonly image: string;
  readonly hostname: string;
  readonly shape: MachineShape;
  readonly network: string;
  readonly address: string;
  readonly labels: Readonly<Record<string, string>>;
}

// Without wide rights the engine mounts the one hierarchy of cgroup v2 read-only, and systemd does not start on it.
const unlockCgroups = "mount -o remount,rw /sys/fs/cgroup && exec /lib/systemd/systemd";

export async function containerBody(core: Core, spec: ContainerSpec): Promise<Readonly<Record<string, unknown>>> {
  const { cgroupVersion } = await probe(core);
  const grant = await findGrant(core, spec.image, spec.cluster);
  const volumes = Object.entries(dataFolders).map(([name, path]) => `${dataVolumeName(spec.cluster, spec.id, name)}:${path}`);
  const memory = spec.shape.memoryMib * 2 ** 20;
  return {
    Image: spec.image,
    Hostname: spec.hostname,
    Cmd: cgroupVersion === 2 && grant !== "privileged" ? ["/bin/sh", "-c", unlockCgroups] : ["/lib/systemd/systemd"],
    // Newer systemd refuses cgroup v1 unless told.
    Env: cgroupVersion === 1 ? ["SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1"] : [],
    // Gives the machine a /dev/console, which is what the engine keeps as the container's log.
    Tty: true,
    StopSignal: "SIGRTMIN+3",
    Labels: spec.labels,
    HostConfig: {
      ...grantFlags(grant),
      CgroupnsMode: "private",
      NetworkMode: spec.network,
      Tmpfs: { "/run": "", "/run/lock": "", "/tmp": "exec" },
      Binds: [...volumes, "/lib/modules:/lib/modules:ro"],
      // A quota, not NanoCpus: a machine may be wider than the engine's host.
      CpuPeriod: 100_000,
      CpuQuota: Math.round(spec.shape.cpus * 100_000),
      Memory: memory,
      MemorySwap: memory,
      PidsLimit: -1,
      // A reboot inside ends the container with an error code, and it comes back. After a restart of the engine's host it
      // does not: its loop devices are gone, and the next apply brings both back in the right order.
      RestartPolicy: { Name: "on-failure", MaximumRetryCount: 0 },
      LogConfig: { Type: "json-file", Config: { "max-size": "4m", "max-file": "2" } },
    },
    NetworkingConfig: { EndpointsConfig: { [spec.network]: { IPAMConfig: { IPv4Address: spec.address } } } },
  };
}
