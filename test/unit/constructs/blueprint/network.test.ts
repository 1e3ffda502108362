import { describe, expect, it } from "vitest";
import { letters } from "../../../../constructs/blueprint/names.js";
import { controlPlaneAddress, endpointAddress } from "../../../../constructs/blueprint/network.js";
import { addressAt, parseCidr } from "../../../../constructs/spec/cidr.js";
import { fixedUpTo } from "../../../../constructs/spec/rules/networks.js";
import { specOf } from "../../../support/blueprint.js";

describe("fixed addresses", () => {
  it.each([
    ["10.98.0.0/16", "10.98.0.10", "10.98.0.11"],
    ["10.98.7.0/24", "10.98.7.10", "10.98.7.11"],
    ["192.168.1.32/27", "192.168.1.42", "192.168.1.43"],
  ])("of %s", (cidr, endpoint, first) => {
    expect(endpointAddress(cidr, 10)).toBe(endpoint);
    expect(controlPlaneAddress(cidr, 10, "a")).toBe(first);
  });

  it("lie below what the rules keep free for them, in the lower half of the smallest range", () => {
    const cidr = parseCidr("10.98.0.0/27");
    const all = [endpointAddress("10.98.0.0/27", 10), ...letters.map((letter) => controlPlaneAddress("10.98.0.0/27", 10, letter))];
    const free = Array.from({ length: fixedUpTo(specOf()) }, (_, n) => cidr && addressAt(cidr, n));
    for (const address of all) expect(free).toContain(address);
    expect(new Set(all).size).toBe(6);
  });
});
