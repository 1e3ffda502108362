// The example as a user has it: the program runs, and a real terraform plans what it writes against the vendor's stand-in.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { run } from "../../support/demo-project.js";
import { standInHcloud } from "../../support/stand-in-hcloud.js";
import { standInHonest } from "../../support/stand-in-honest.js";
import { workspace } from "../../support/terraform.js";
import { must } from "../../support/user-project.js";

const root = resolve(import.meta.dirname, "../../..");
const folder = mkdtempSync(join(tmpdir(), "hp-example-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeAll(async () => {
  await must(run(process.execPath, ["scripts/setup.mjs"], { cwd: root }));
}, 300_000);

const variables = {
  HONEST_IMAGE: "debian-12",
  HONEST_PUBLIC_ACCESS: "203.0.113.0/24, 198.51.100.0/24",
  HONEST_ENDPOINT: "https://api.prod.example.com:6443",
  HONEST_MIRROR: "https://mirror.example.com",
};
const program = ["--import", "tsx", join(root, "examples/hetzner/main.ts")];

it("is planned whole: every block a resource, nothing but new ones, as many as its README says", async () => {
  const out = join(folder, "out");
  await must(run(process.execPath, program, { cwd: root, env: { ...variables, CDKTF_OUTDIR: out } }));
  const honest = await standInHonest();
  const w = await workspace({ provider: honest.provider, others: { "hetznercloud/hcloud": standInHcloud().provider } });
  try {
    w.write({ "cdk.tf.json": readFileSync(join(out, "stacks/hetzner/cdk.tf.json"), "utf8") });
    await w.init();
    const planned = (await w.plan()).json.resource_changes ?? [];
    expect(new Set(planned.map(({ change }) => change.actions.join()))).toEqual(new Set(["create"]));
    const count = (type: string) => planned.filter((change) => change.type === type).length;
    const counts = {
      hcloud_server: 7,
      hcloud_primary_ip: 3,
      hcloud_volume: 3,
      hcloud_volume_attachment: 3,
      hcloud_load_balancer: 1,
      hcloud_network: 1,
      hcloud_network_subnet: 2,
      hcloud_placement_group: 7,
      hcloud_firewall: 2,
    };
    expect(Object.fromEntries(Object.keys(counts).map((type) => [type, count(type)]))).toEqual(counts);
    expect(new Set(planned.filter(({ type }) => type === "hcloud_server").map(({ change }) => change.after?.server_type)).size).toBe(3);
  } finally {
    await w.close();
  }
});

it("says which variable is missing", async () => {
  const done = await run(process.execPath, program, { cwd: root, env: { CDKTF_OUTDIR: join(folder, "none") } });
  expect(done.code).not.toBe(0);
  expect(done.stdout + done.stderr).toContain("set HONEST_IMAGE: see README.md");
});
