import { describe, expect, it } from "vitest";
import { fingerprint, isEmpty, readPlan, unexpected } from "../../../../../provider/cli/converge/plan-view.js";
import { machine, noOp, planOf, replace, resource, viewOf } from "./plans.js";

describe("a roll", () => {
  const view = viewOf(
    machine("a", { has: "r2", gets: "r2" }),
    machine("b", { has: "r1", gets: "r2" }),
    machine("c", { has: "r1", gets: "r1" }),
    resource("honest_local_machine", "b", replace),
    resource("honest_barrier", "x", ["update"]),
  );

  it("says who runs the new release, who takes it now and who waits", () => {
    expect(view.machines).toEqual([
      { cluster: "demo", pool: "cp", name: "a", done: true, now: false, waits: false },
      { cluster: "demo", pool: "cp", name: "b", done: false, now: true, waits: false },
      { cluster: "demo", pool: "cp", name: "c", done: false, now: false, waits: true },
    ]);
    expect(view.pending).toBe(1);
  });

  it("destroys nothing that is no part of it", () => {
    expect(view.changes.map(({ action, address }) => `${action} ${address}`)).toEqual([
      "update honest_boot.b",
      "replace honest_node.b",
      "replace honest_local_machine.b",
      "update honest_barrier.x",
    ]);
    expect(unexpected(view)).toEqual([]);
  });

  it("is not done where the boot data moved and the machine was not made: an apply was cut", () => {
    const cut = viewOf(
      resource("honest_boot", "a", noOp, {
        after: { spec: { cluster: "demo", pool: "cp", name: "a" }, release: "r2", roster: { a: "r2" }, pending_count: 0 },
      }),
      resource("honest_node", "a", ["create"], { before: null, after: { cluster: "demo", name: "a", release: "r2" } }),
    );
    expect(cut.machines).toEqual([{ cluster: "demo", pool: "cp", name: "a", done: false, now: true, waits: false }]);
  });

  it("holds no value of the plan but names, releases' standing and counts", () => {
    const secret = resource("honest_boot", "a", ["update"], {
      before: { user_data: "SECRET" },
      after: { spec: { cluster: "demo", pool: "cp", name: "a" }, user_data: "SECRET", roster: { a: "r2" }, release: "r2" },
    });
    expect(JSON.stringify(viewOf(secret))).not.toContain("SECRET");
  });
});

it("tells clusters with machines of the same name apart", () => {
  const of = (cluster: string, release: string) => [
    resource("honest_boot", cluster, noOp, {
      after: { spec: { cluster, pool: "cp", name: "a" }, release: "r2", roster: { a: "r2" }, pending_count: 0 },
    }),
    resource("honest_node", cluster, noOp, { before: { cluster, name: "a", release }, after: { cluster, name: "a", release } }),
  ];
  expect(viewOf(of("one", "r2"), of("two", "r1")).machines.map((m) => [m.cluster, m.done])).toEqual([
    ["one", true],
    ["two", false],
  ]);
});

it("is empty without changes, and not when an output changes", () => {
  expect(isEmpty(viewOf(machine("a", { has: "r2", gets: "r2" })))).toBe(true);
  expect(isEmpty(readPlan({ output_changes: { x: { actions: ["update"] } } }))).toBe(false);
  expect(isEmpty(readPlan({ output_changes: { x: { actions: ["no-op"] } } }))).toBe(true);
  expect(isEmpty(viewOf({ address: "data.x.y", mode: "data", type: "x", change: { actions: ["read"], before: null, after: null } }))).toBe(
    true,
  );
});

it("has one fingerprint for the same step and another for the next", () => {
  const step = (b: string) => viewOf(machine("a", { has: "r2", gets: "r2" }), machine("b", { has: b, gets: "r2" }));
  expect(fingerprint(step("r1"))).toBe(fingerprint(step("r1")));
  expect(fingerprint(step("r1"))).not.toBe(fingerprint(step("r2")));
});

describe("what is no part of a roll", () => {
  const uses = (...references: string[]) => ({ user_data: { references } });
  const configuration = {
    root_module: {
      resources: [
        { address: "aws_instance.a", mode: "managed", type: "aws_instance", expressions: uses("honest_boot.a.user_data", "honest_boot.a") },
        { address: "aws_instance.other", mode: "managed", type: "aws_instance", expressions: uses("var.x") },
        { address: "aws_db_instance.db", mode: "managed", type: "aws_db_instance", expressions: {} },
        {
          address: "aws_volume_attachment.a",
          mode: "managed",
          type: "aws_volume_attachment",
          expressions: { instance_id: { references: ["aws_instance.a.id", "aws_instance.a"] } },
        },
        {
          address: "aws_volume_attachment.db",
          mode: "managed",
          type: "aws_volume_attachment",
          expressions: { instance_id: { references: ["aws_instance.other.id", "aws_instance.other"] } },
        },
        {
          address: "aws_ebs_volume.a",
          mode: "managed",
          type: "aws_ebs_volume",
          expressions: { name: { references: ["aws_instance.a.id"] } },
        },
        {
          address: "honest_barrier.b",
          mode: "managed",
          type: "honest_barrier",
          expressions: { x: { references: ["honest_boot.a.user_data"] } },
        },
      ],
      module_calls: {
        workers: {
          module: {
            resources: [
              {
                address: "hcloud_server.w",
                mode: "managed",
                type: "hcloud_server",
                expressions: { spec: [{ deep: uses("honest_boot.w.user_data") }] },
              },
              {
                address: "hcloud_load_balancer_target.w",
                mode: "managed",
                type: "hcloud_load_balancer_target",
                expressions: { server_id: { references: ["hcloud_server.w[0].id"] } },
              },
            ],
          },
        },
      },
    },
  };
  const judged = (address: string, actions: readonly string[], deposed?: string) => {
    const type = (address.replace(/^module\.[^.]+\./, "").split(".")[0] ?? "").replace(/\[.*/, "");
    const change = {
      address,
      type,
      ...(deposed ? { deposed } : {}),
      change: { actions, before: {}, after: actions.includes("create") ? {} : null },
    };
    return unexpected(readPlan({ ...planOf(change), configuration })).length > 0;
  };

  it.each([
    ["aws_instance.a", replace, false],
    ["aws_instance.a", ["create", "delete"], false],
    ["aws_instance.a", ["delete"], true],
    ["aws_instance.other", replace, true],
    ["aws_db_instance.db", replace, true],
    ["aws_volume_attachment.a", replace, false],
    ["aws_volume_attachment.db", replace, true],
    ["aws_ebs_volume.a", replace, true],
    ["honest_barrier.b", replace, true],
    ["honest_pki.p", replace, true],
    ["honest_local_disk.d", ["delete"], true],
    ["honest_node.a", replace, false],
    ["honest_node.a", ["delete"], true],
    ["module.workers.hcloud_server.w[0]", replace, false],
    ['module.workers.hcloud_server.w["a.b"]', replace, false],
    ["module.workers.hcloud_load_balancer_target.w[0]", replace, false],
    ["module.workers.aws_instance.a", replace, true],
  ])("%s %j: asked %s", (address, actions, asked) => {
    expect(judged(address, actions)).toBe(asked);
  });

  it("is not the rest of a replacement that was cut", () => {
    expect(judged("honest_local_machine.w", ["delete"], "0123abcd")).toBe(false);
    expect(judged("honest_local_disk.w", ["delete"], "0123abcd")).toBe(true);
  });
});
