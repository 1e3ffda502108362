import { describe, expect, it } from "vitest";
import { isUnknown, unknown } from "../../../../provider/framework/value.js";
import { honestLocalMachine as machine } from "../../../../provider/resources/honest-local-machine.js";
import { machineSpec, withMachine } from "../../../../provider/resources/local/machine-schema.js";
import { planOf, problems, stateOf } from "../../../support/local-resource.js";

const config = {
  cluster: "demo",
  name: "demo-cp-a",
  network_id: "n1",
  address: "10.98.0.11",
  zone: "z1",
  image: "honest-paas/machine:1.36.3",
  instance_type: "local.cpu2.mem2048",
  user_data_base64: "aGVsbG8=",
  disk_ids: ["disk-aa"],
};
const state = stateOf(machine, config, { id: "i-1", ip_address: "10.98.0.11", running: true });
const worker = { ...config, name: "demo-blue-z1-0", address: null };
const workerState = stateOf(machine, worker, { id: "i-2", ip_address: "10.98.0.130", running: true });

describe("validate", () => {
  it("takes a good one, and what is not known yet", async () => {
    expect(await problems(machine, config)).toEqual([]);
    expect(await problems(machine, { ...config, user_data_base64: unknown, disk_ids: unknown, address: unknown })).toEqual([]);
  });
  it.each([
    [{ instance_type: "m5.large" }, "Bad value of instance_type"],
    [{ address: "10.98.0.300" }, "Bad value of address"],
    [{ user_data_base64: "not base64!" }, "Bad value of user_data_base64"],
    [{ hostname: "Host" }, "Bad value of hostname"],
    [{ image: "" }, "Bad value of image"],
    [{ disk_ids: ["a", "a"] }, "A disk is attached twice"],
    [{ timeouts: { create: "soon" } }, "Not a duration"],
    [{ root_disk_gib: 0 }, "Bad value of root_disk_gib"],
  ])("fails when %j", async (change, title) => expect(await problems(machine, { ...config, ...change })).toEqual([title]));
});

describe("plan", () => {
  it("knows a fixed address and that it will run", async () => {
    const { planned } = await planOf(machine, config, null);
    expect(planned).toMatchObject({ ip_address: "10.98.0.11", running: true });
    expect(isUnknown(planned.id)).toBe(true);
    expect(isUnknown((await planOf(machine, worker, null)).planned.ip_address)).toBe(true);
  });

  it("is empty when nothing changed", async () => {
    expect((await planOf(machine, config, state)).planned).toEqual(state);
    expect((await planOf(machine, worker, workerState)).planned).toEqual(workerState);
  });

  it("starts one that stands still, in place and with all else known", async () => {
    const { planned, replace } = await planOf(machine, worker, { ...workerState, running: false });
    expect([planned, replace]).toEqual([workerState, []]);
  });

  it("attaches and detaches in place", async () => {
    const { planned, replace } = await planOf(machine, { ...config, disk_ids: ["disk-bb", "disk-aa"] }, state);
    expect([planned, replace]).toEqual([{ ...state, disk_ids: ["disk-bb", "disk-aa"] }, []]);
  });

  it.each([
    { user_data_base64: "b3RoZXI=" },
    { image: "x:1" },
    { instance_type: "1x512" },
    { address: "10.98.0.12" },
    { zone: "z2" },
    { hostname: "h" },
  ])("replaces for %j", async (change) => {
    expect((await planOf(machine, { ...config, ...change }, state)).replace).toEqual(Object.keys(change));
  });

  it("records another root disk in place", async () => {
    expect((await planOf(machine, { ...config, root_disk_gib: 30 }, state)).replace).toEqual([]);
  });
});

describe("state", () => {
  const seen = {
    id: "i-1",
    name: "demo-cp-a",
    container: "demo-cp-a",
    address: "10.98.0.11",
    running: true,
    diskIds: ["disk-bb", "disk-aa"],
  };
  it("keeps the order of disks and a null that means none", () => {
    expect(withMachine({ ...state, disk_ids: ["disk-aa", "disk-bb"] }, seen).disk_ids).toEqual(["disk-aa", "disk-bb"]);
    expect(withMachine({ ...state, disk_ids: null }, { ...seen, diskIds: [] }).disk_ids).toBeNull();
  });
  it("shows a disk that somebody took or gave", () => {
    expect(withMachine({ ...state, disk_ids: ["disk-aa"] }, seen).disk_ids).toEqual(["disk-bb", "disk-aa"]);
  });
});

it("gives a worker's container its node's name", () => {
  expect(machineSpec(workerState).nameFor("i-2")).toMatch(/^demo-blue-z1-0-[0-9a-f]{5}$/);
});
