import { describe, expect, it } from "vitest";
import { integer, pem, sequence, time, utf8 } from "../../../../provider/pki/der.js";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

describe("der", () => {
  it.each([
    [127, "0c7f"],
    [128, "0c8180"],
    [255, "0c81ff"],
    [256, "0c820100"],
    [65_535, "0c82ffff"],
  ])("writes a length of %i", (length, start) => {
    const bytes = utf8("x".repeat(length));
    expect(hex(bytes).slice(0, start.length)).toBe(start);
    expect(bytes.length).toBe(length + start.length / 2);
  });

  it("keeps integers positive", () => {
    expect(hex(integer(Buffer.from([0x80])))).toBe("02020080");
    expect(hex(integer(Buffer.from([0x7f])))).toBe("02017f");
    expect(hex(sequence())).toBe("3000");
  });

  it.each([
    ["2049-12-31T23:59:59Z", "170d3439313233313233353935395a"],
    ["2050-01-01T00:00:00Z", "180f32303530303130313030303030305a"],
  ])("writes %s in the form of its century", (date, bytes) => {
    expect(hex(time(new Date(date)))).toBe(bytes);
  });

  it.each([47, 48, 96, 97])("breaks PEM of %i bytes without an empty line", (length) => {
    const text = pem("X", Buffer.alloc(length));
    expect(text).not.toMatch(/\n\n/);
    expect(text.split("\n").every((line) => line.length <= 64)).toBe(true);
    expect(text.endsWith("-----END X-----\n")).toBe(true);
  });
});
