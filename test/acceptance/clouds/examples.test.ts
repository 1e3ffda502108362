// The examples as a user has them: the program runs, and a real terraform plans what it writes against the vendor's stand-in.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cloudSchema } from "../../support/cloud-schema.js";
import { run } from "../../support/demo-project.js";
import { standInEc2 } from "../../support/stand-in-ec2.js";
import { standInHonest } from "../../support/stand-in-honest.js";
import { workspace } from "../../support/terraform.js";
import { must } from "../../support/user-project.js";

const root = resolve(import.meta.dirname, "../../..");
const folder = mkdtempSync(join(tmpdir(), "hp-examples-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeAll(async () => {
  await must(run(process.execPath, ["scripts/setup.mjs"], { cwd: root }));
}, 300_000);

const variables = {
  HONEST_IMAGE: "image-1",
  HONEST_PUBLIC_ACCESS: "203.0.113.0/24, 198.51.100.0/24",
  HONEST_MIRROR: "https://mirror.example.com",
};
const program = (cloud: string) => ["--import", "tsx", join(root, "examples", cloud, "main.ts")];

describe.each(["aws", "k2"] as const)("examples/%s", (cloud) => {
  it("is planned whole: every block a resource, nothing but new ones", async () => {
    const out = join(folder, cloud);
    await must(run(process.execPath, program(cloud), { cwd: root, env: { ...variables, CDKTF_OUTDIR: out } }));
    const honest = await standInHonest();
    const w = await workspace({ provider: honest.provider, others: { [cloudSchema(cloud).source]: standInEc2(cloud).provider } });
    try {
      w.write({ "cdk.tf.json": readFileSync(join(out, "stacks", cloud, "cdk.tf.json"), "utf8") });
      await w.init();
      const { json } = await w.plan();
      const planned = json.resource_changes ?? [];
      expect(new Set(planned.map(({ change }) => change.actions.join()))).toEqual(new Set(["create"]));
      const count = (type: string) => planned.filter((change) => change.type === type).length;
      expect(
        Object.fromEntries(["aws_instance", "aws_lb", "aws_subnet", "aws_ebs_volume", "aws_nat_gateway"].map((t) => [t, count(t)])),
      ).toEqual({
        aws_instance: 7,
        aws_lb: 2,
        aws_subnet: 6,
        aws_ebs_volume: 3,
        aws_nat_gateway: 1,
      });
      expect(new Set(planned.filter(({ type }) => type === "aws_instance").map(({ change }) => change.after?.instance_type)).size).toBe(3);
    } finally {
      await w.close();
    }
  });

  it("says which variable is missing", async () => {
    const done = await run(process.execPath, program(cloud), { cwd: root, env: { CDKTF_OUTDIR: join(folder, "none") } });
    expect(done.code).not.toBe(0);
    expect(done.stdout + done.stderr).toContain("set HONEST_IMAGE: see README.md");
  });
});
