import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import {
  chooseAddress,
  contains,
  gatewayOf,
  overlaps,
  parseCidr,
  pickFree,
  toAddress,
  toNumber,
} from "../../../../provider/engine/address.js";
import { createCore } from "../../../../provider/engine/core.js";
import { parseHost } from "../../../../provider/engine/host.js";
import { fakeDocker } from "../../../support/fake-docker.js";

const range = (text: string) => {
  const parsed = parseCidr(text);
  if (!parsed) throw new Error(text);
  return parsed;
};

describe("parseCidr", () => {
  it.each(["10.0.0.1/24", "10.0.0/24", "10.0.0.0", "10.0.0.256/24", "10.0.0.0/33", "fd00::/64", "", "10.0.0.0/x"])("refuses %j", (text) => {
    expect(parseCidr(text)).toBeNull();
  });
  it("takes whole networks", () => {
    expect(parseCidr("10.1.2.0/24")).toEqual({ base: toNumber("10.1.2.0"), size: 256 });
    expect(gatewayOf(range("10.1.2.0/24"))).toBe("10.1.2.1");
  });
});

it("turns addresses into numbers and back", () => {
  fc.assert(fc.property(fc.ipV4(), (address) => toAddress(toNumber(address)) === address));
});

it("knows what overlaps", () => {
  expect(overlaps(range("10.0.0.0/16"), range("10.0.9.0/24"))).toBe(true);
  expect(overlaps(range("10.0.0.0/24"), range("10.0.1.0/24"))).toBe(false);
  expect(contains(range("10.0.0.0/24"), "10.0.1.0")).toBe(false);
});

it("picks from the upper half, then from below, never the first two or the last address", () => {
  const used = new Set<string>();
  const all: string[] = [];
  for (let next = pickFree(range("10.0.0.0/28"), used); next !== null; next = pickFree(range("10.0.0.0/28"), used)) {
    used.add(next);
    all.push(next.replace("10.0.0.", ""));
  }
  expect(all).toEqual(["8", "9", "10", "11", "12", "13", "14", "7", "6", "5", "4", "3", "2"]);
});

describe("chooseAddress", () => {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const thing of open.splice(0)) await thing.close();
  });
  const network = { name: "c-net", cidr: "10.0.0.0/24" };
  const core = async () => {
    const row = (name: string, ip: string, fixed: string | undefined) => ({
      Id: name,
      Names: [`/${name}`],
      NetworkSettings: { Networks: { "c-net": { NetworkID: "n", IPAddress: ip, IPAMConfig: fixed ? { IPv4Address: fixed } : null } } },
    });
    const fake = await fakeDocker({
      "GET /containers/json": {
        json: [row("stopped", "", "10.0.0.128"), row("runs", "10.0.0.129", undefined), row("fixed", "10.0.0.11", "10.0.0.11")],
      },
    });
    const made = createCore(parseHost(fake.host, {}));
    open.push(made, fake);
    return made;
  };

  it("passes over addresses of stopped containers too", async () => {
    expect(await chooseAddress(await core(), network, null)).toBe("10.0.0.130");
  });
  it("takes the wanted one", async () => {
    expect(await chooseAddress(await core(), network, "10.0.0.12")).toBe("10.0.0.12");
  });
  it("fails when it is taken, and says by whom", async () => {
    await expect(chooseAddress(await core(), network, "10.0.0.11")).rejects.toThrow(/10.0.0.11 is taken.*"fixed"/);
  });
  it("fails when it is outside", async () => {
    await expect(chooseAddress(await core(), network, "10.9.0.11")).rejects.toThrow(/not in the network/);
  });
});
