import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { parseCidr } from "../../../../provider/engine/address.js";
import { clashingRoute, parseRoutes, wordRange } from "../../../../provider/engine/host-routes.js";

const table = `Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0
eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
tun0\t0000620A\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0
wg0\t0A00A8C0\t00000000\t0005\t0\t0\t0\tFFFFFFFF\t0\t0\t0
`;
const dir = mkdtempSync(join(tmpdir(), "hp-routes-"));
const file = join(dir, "route");
writeFileSync(file, table);
afterAll(() => rmSync(dir, { recursive: true, force: true }));

it("reads the kernel's table, default routes left out", () => {
  expect(parseRoutes(table).map(({ device, range }) => `${wordRange(range)} ${device}`)).toEqual([
    "192.0.2.0/24 eth0",
    "10.98.0.0/16 tun0",
    "192.168.0.10/32 wg0",
  ]);
  expect(parseRoutes("Iface\tDestination\n")).toEqual([]);
});

it.each([
  ["inside a VPN's range", "10.98.7.0/24", "tun0"],
  ["around a single host", "192.168.0.0/24", "wg0"],
  ["beside all of them", "10.99.0.0/24", undefined],
])("finds the route that a range clashes with: %s", (_case, cidr, device) => {
  const range = parseCidr(cidr);
  if (!range) throw new Error(cidr);
  expect(clashingRoute("unix:///var/run/docker.sock", range, file)?.device).toBe(device);
  // the routes of another computer are not these
  expect(clashingRoute("tcp://engine:2376", range, file)).toBeUndefined();
  expect(clashingRoute("unix:///var/run/docker.sock", range, "/no/such/table")).toBeUndefined();
});
