// Findings as text, best first. Pure.
import type { Evidence, Finding } from "./evidence.js";

const titles: Readonly<Record<Finding["cause"], string>> = {
  endpoint: "endpoint",
  clock: "clock",
  disk: "disk",
  certificate: "certificate",
  "no-quorum": "no quorum",
  mirror: "mirror",
  cni: "pod network (CNI)",
  "image-pull": "image pull",
  dns: "DNS",
  pdb: "PodDisruptionBudget",
  machine: "machine",
  unknown: "not known",
};

export function diagnosisText({ cluster, endpoint }: Evidence, findings: readonly Finding[]): string {
  const head = `${cluster}  ${endpoint}`;
  if (findings.length === 0) return `${head}\nnothing is found\n`;
  const lines = findings.flatMap(({ cause, sureness, text, evidence, fix }, n) => [
    "",
    `${n + 1}. ${titles[cause]} (${sureness}): ${text}`,
    ...evidence.map((seen) => `     seen: ${seen}`),
    ...fix.map((step) => `     do:   ${step}`),
  ]);
  return `${[head, ...lines].join("\n")}\n`;
}
