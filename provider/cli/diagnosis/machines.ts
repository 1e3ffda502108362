// What machines say of themselves where they can be seen: their markers, and what they wrote on their consoles. Pure.
import type { Evidence, Finding, MachineEvidence } from "./evidence.js";

const fullPercent = 97;

/** Etcd's own words in a line of distress: how many of how many answer; null = it does not say. */
const counted = (words: string): { readonly answer: number; readonly of: number } | null => {
  const [, answer, of] = /(\d+) of (\d+) members answer/.exec(words) ?? [];
  return answer && of ? { answer: Number(answer), of: Number(of) } : null;
};

/** Why etcd cannot decide, when machines say so; undefined = nothing that is seen says it cannot. */
export function lackOfQuorum({ machines, controlPlanes }: Evidence): Finding | undefined {
  const members = (machines ?? []).filter((m) => m.role === "control-plane");
  const total = Math.max(controlPlanes.length, members.length);
  const quorum = Math.floor(total / 2) + 1;
  const off = members.filter((m) => !m.running);
  const without = members.filter((m) => m.running && m.distress?.etcd !== undefined && !/^active/.test(m.distress.etcd));
  const said = members.filter((m) => m.running && m.distress?.etcd !== undefined);
  const lacking = said.some((m) => {
    const count = counted(m.distress?.etcd ?? "");
    return count !== null && count.answer < Math.floor(count.of / 2) + 1;
  });
  const absent = controlPlanes.filter((name) => machines !== null && !members.some((m) => m.name === name));
  const lost = off.length + without.length + absent.length;
  if (total - lost >= quorum && !lacking) return undefined;
  const parts = [
    ...off.map((m) => `${m.name} does not run`),
    ...absent.map((name) => `${name} is not there`),
    ...without.map((m) => `etcd on ${m.name} is ${m.distress?.etcd}`),
  ];
  return {
    cause: "no-quorum",
    sureness: "certain",
    text: `etcd has no quorum: ${total - lost} of ${total} members can answer, ${quorum} needed.`,
    evidence: [...parts, ...said.map((m) => `${m.name} says: etcd ${m.distress?.etcd}`)],
    fix: [
      ...(off.length + absent.length > 0
        ? ["terraform apply starts or makes anew the machines that are gone or off, with their disks and addresses."]
        : []),
      ...(without.length > 0
        ? [`On ${without.map((m) => m.name).join(", ")}: journalctl -u honest-etcd, then systemctl restart honest-etcd.`]
        : []),
      "When the disks of a majority are lost, restore a snapshot.",
    ],
  };
}

export function ofMachines(evidence: Evidence): readonly Finding[] {
  const { machines, refused } = evidence;
  if (machines === null) return [];
  return machines.flatMap((machine) => [
    ...(machine.running ? ofDistress(machine) : refused === null ? [offMachine(machine)] : []),
    ...ofMarker(machine, evidence),
  ]);
}

const offMachine = ({ name }: MachineEvidence): Finding => ({
  cause: "machine",
  sureness: "certain",
  text: `The machine ${name} does not run.`,
  evidence: [],
  fix: ["terraform apply starts it."],
});

function ofDistress({ name, distress, role }: MachineEvidence): readonly Finding[] {
  if (distress === null) return [];
  const full = ["disk etcd", "disk /"].filter((disk) => Number.parseInt(distress[disk] ?? "", 10) >= fullPercent);
  const unmounted = distress["disk etcd"] === "not mounted";
  const ended = /^ended: (.*)/.exec(distress.certificates ?? "")?.[1];
  return [
    ...full.map(
      (disk): Finding => ({
        cause: "disk",
        // a full root disk is no reason why etcd stands still
        sureness: disk === "disk etcd" ? "certain" : "likely",
        text: `The ${disk === "disk etcd" ? "etcd disk" : "root disk"} of ${name} is full (${distress[disk]}).`,
        evidence: [...(distress.etcd === undefined ? [] : [`etcd there: ${distress.etcd}`])],
        fix: [
          disk === "disk etcd"
            ? `Free space on /var/lib/honest-paas/etcd-disk of ${name} (foreign files, old snapshots), or raise control_plane.etcd_volume.size_gib and apply; then systemctl restart honest-etcd.`
            : `Free space on ${name} (journalctl --vacuum-size=200M, crictl rmi --prune), or raise disk_size; machines roll for it.`,
        ],
      }),
    ),
    ...(unmounted && role === "control-plane"
      ? [
          {
            cause: "disk" as const,
            sureness: "certain" as const,
            text: `The etcd disk of ${name} is not mounted.`,
            evidence: [],
            fix: [`See in your cloud whether the disk is attached to ${name}; terraform apply attaches it.`],
          },
        ]
      : []),
    ...(ended === undefined
      ? []
      : [
          {
            cause: "certificate" as const,
            sureness: "certain" as const,
            text: `Certificates on ${name} have ended: ${ended}.`,
            evidence: [`the machine's clock says ${distress.clock ?? "nothing"}`],
            fix: [
              role === "control-plane"
                ? `Its agent makes new ones by itself: journalctl -u honest-agent on ${name} says why it did not.`
                : `terraform apply lets ${name} in again.`,
            ],
          },
        ]),
  ];
}

/** A boot that does not go on says why. */
function ofMarker({ name, marker }: MachineEvidence, { mirrors }: Evidence): readonly Finding[] {
  if (marker === null || marker.ok) return [];
  const seen = [`stage "${marker.stage}" of ${name}: ${marker.reason}`];
  const finding = (cause: Finding["cause"], text: string, fix: readonly string[]): readonly Finding[] => [
    { cause, sureness: "certain", text, evidence: seen, fix },
  ];
  if (marker.stage === "clock" || /clock|not synchronised|ticket ended/i.test(marker.reason))
    return finding("clock", `The clock of ${name} is wrong or not synchronised, so it does not go on.`, [
      `Let ${name} reach a time server (udp/123); chronyc tracking or timedatectl there.`,
    ]);
  if (/no space left/i.test(marker.reason))
    return finding("disk", `A disk of ${name} is full.`, [`Raise the disk's size, or free space on ${name}.`]);
  if (/disk/i.test(marker.stage) || /the etcd disk/i.test(marker.reason))
    return finding("disk", `The etcd disk of ${name} is not what it waits for.`, [
      "The words above say what it found and what to do; it never formats what it does not know.",
    ]);
  if (marker.stage === "artefacts" || mirrors.some((host) => marker.reason.includes(host)))
    return finding("mirror", `${name} cannot fetch what it needs from the mirror${mirrors.length > 0 ? ` (${mirrors.join(", ")})` : ""}.`, [
      "Start the mirror, or see that machines reach it; the machine tries again by itself.",
      "honest-paas mirror verify says whether its files are whole.",
    ]);
  return [];
}

/** For clouds whose consoles only the user can read. */
export const readConsoles = (names: readonly string[]): string =>
  `Open the console of ${names.join(", ")} in your cloud and look for the last line that begins with "honest: distress:": it says what etcd, disks, certificates and the clock of that machine are like.`;
