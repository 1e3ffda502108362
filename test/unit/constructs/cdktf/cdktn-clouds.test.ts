// A cluster on a cloud is the same configuration whichever of the two kits renders it.
import { afterAll, describe, expect, it, vi } from "vitest";

afterAll(() => vi.doUnmock("cdktf"));

async function rendered(cloud: "aws" | "k2", kit: "cdktf" | "cdktn") {
  vi.resetModules();
  if (kit === "cdktn") vi.doMock("cdktf", () => import("cdktn"));
  else vi.doUnmock("cdktf");
  const { ec2Stack } = await import("../../../support/ec2-cluster.js");
  const { TerraformStack } = await import("cdktf");
  expect(TerraformStack === ((await import("cdktn")).TerraformStack as unknown)).toBe(kit === "cdktn");
  const { terraform, resource, provider, output } = ec2Stack(cloud);
  // comments of the kits, their versions among them
  return JSON.parse(
    JSON.stringify({ terraform, resource, provider, output }, (key, value: unknown) => (key === "//" ? undefined : value)),
  ) as object;
}

describe.each(["aws", "k2"] as const)("%s", (cloud) => {
  it("is the same under cdktf and cdktn", async () => {
    const [one, other] = [await rendered(cloud, "cdktf"), await rendered(cloud, "cdktn")];
    expect(other).toEqual(one);
    expect(JSON.stringify(one).length).toBeGreaterThan(20_000);
    // both kits are loaded in it
  }, 60_000);
});
