// Writes docs/clouds/firewall.md: the rows of a cluster's firewall as the blueprint has them, with their reasons. With --check
// nothing is written; the exit code says whether the file is up to date.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { firewallRows, type Row } from "../constructs/blueprint/firewall.js";
import { parse } from "../constructs/spec/parse.js";

const target = resolve(import.meta.dirname, "../docs/clouds/firewall.md");

const { spec, problems } = parse({
  name: "demo",
  version: "1.36.3",
  iaas: { preview: {} },
  vpc_config: {
    cidr: "10.20.0.0/16",
    public_access_cidrs: ["203.0.113.0/24"],
    security_rules: { proxy: { to: "worker", protocol: "tcp", from_port: 30_080, cidr: "198.51.100.0/24", reason: "our proxy" } },
  },
});
if (!spec) throw new Error(JSON.stringify(problems));

const ports = ({ ports: range, protocol }: Row): string => (range ? `${protocol} ${[...new Set(range)].join("-")}` : protocol);
const row = (of: Row): string =>
  `| \`${of.name}\` | ${of.from}${of.direction === "in" && of.cidr ? ` ${of.cidr}` : ""} | ${of.to}${of.direction === "out" ? ` ${of.cidr}` : ""} | ${ports(of)} | ${of.reason} |`;

const text = `<!-- Written by scripts/generate-firewall.ts from constructs/blueprint/firewall.ts; edit that. -->

# Firewall of a cluster

Every row is a resource of its own on a cloud that has rules; the page of each cloud says what becomes of them there. With
\`firewall: "own"\` your groups have to open all of them but the last rows, which are your own choice. Here \`publicAccessCidrs\` has one range, and
\`securityRules\` one rule named proxy. NodePorts are open to nobody outside.

| row | from | to | port | reason |
|---|---|---|---|---|
${firewallRows(spec).map(row).join("\n")}
`;

if (!process.argv.includes("--check")) {
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
} else if (!existsSync(target) || readFileSync(target, "utf8") !== text) {
  console.error("docs/clouds/firewall.md is not up to date. Run: npx tsx scripts/generate-firewall.ts");
  process.exitCode = 1;
}
