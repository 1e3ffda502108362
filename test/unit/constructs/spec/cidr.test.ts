import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressAt, formatAddress, formatCidr, network, overlap, parseAddress, parseCidr } from "../../../../constructs/spec/cidr.js";

const cidr = (text: string) => {
  const parsed = parseCidr(text);
  if (!parsed) throw new Error(text);
  return parsed;
};

describe("parseCidr", () => {
  it.each(["10.0.0.0", "10.0.0/8", "10.0.0.0/33", "10.0.0.256/8", "010.0.0.0/8", "fd00::/8", "10.0.0.0/08", " 10.0.0.0/8", "a.b.c.d/8"])(
    "refuses %j",
    (text) => {
      expect(parseCidr(text)).toBeNull();
    },
  );

  it("has the size that the prefix says", () => {
    expect(cidr("10.98.0.0/24").size).toBe(256);
    expect(cidr("0.0.0.0/0").size).toBe(2 ** 32);
  });
});

it("reads and writes every address", () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (value) => parseAddress(formatAddress(value)) === value));
});

it("zeroes host bits", () => {
  expect(formatCidr(network(cidr("10.98.7.9/16")))).toBe("10.98.0.0/16");
  expect(formatCidr(network(cidr("255.255.255.255/1")))).toBe("128.0.0.0/1");
});

describe("overlap", () => {
  it.each([
    ["10.0.0.0/8", "10.98.0.0/24", true],
    ["10.98.0.0/24", "10.98.1.0/24", false],
    ["10.98.0.0/24", "10.98.0.0/24", true],
    ["192.0.0.0/8", "10.0.0.0/8", false],
  ])("%s and %s: %s", (a, b, wanted) => {
    expect(overlap(cidr(a), cidr(b))).toBe(wanted);
    expect(overlap(cidr(b), cidr(a))).toBe(wanted);
  });
});

it("counts addresses from the first one", () => {
  expect(addressAt(cidr("10.98.0.0/16"), 258)).toBe("10.98.1.2");
});
