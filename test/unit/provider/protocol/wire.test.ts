import { describe, expect, it } from "vitest";
import { decode, encode, type Message, WireError } from "../../../../provider/protocol/wire.js";

const inner: Message = { fields: { name: { number: 1, type: "string" } } };
const message: Message = {
  fields: {
    text: { number: 1, type: "string" },
    data: { number: 2, type: "bytes" },
    flag: { number: 3, type: "bool" },
    count: { number: 4, type: "int" },
    many: { number: 5, type: inner, repeated: true },
    byName: { number: 16, type: inner, map: true },
  },
};

describe("the table-driven codec", () => {
  it.each([0, 1, 127, 128, 300, 2 ** 31, 2 ** 40, -1, -300])("carries the number %d", (count) => {
    expect(decode(message, encode(message, { count })).count ?? 0).toBe(count);
  });

  it("carries every kind of field", () => {
    const value = {
      text: "h\u00e9",
      data: Buffer.from([0, 255]),
      flag: true,
      count: 7,
      many: [{ name: "a" }, { name: "b" }],
      byName: { x: { name: "y" } },
    };
    const back = decode(message, encode(message, value));
    expect(back).toMatchObject({ ...value, data: expect.any(Uint8Array) });
    expect([...(back.data as Uint8Array)]).toEqual([0, 255]);
  });

  it("keeps a map key called __proto__", () => {
    const byName = Object.create(null);
    byName.__proto__ = { name: "kept" };
    expect(Object.keys(decode(message, encode(message, { byName })).byName as object)).toEqual(["__proto__"]);
  });

  it("skips fields of newer protocols, of every wire type", () => {
    const known = encode(message, { text: "t" });
    const varint = Buffer.from([0xf8, 0x06, 0x05]);
    const fixed64 = Buffer.from([0xf9, 0x06, 1, 2, 3, 4, 5, 6, 7, 8]);
    const bytes = Buffer.from([0xfa, 0x06, 0x02, 9, 9]);
    const fixed32 = Buffer.from([0xfd, 0x06, 1, 2, 3, 4]);
    expect(decode(message, Buffer.concat([varint, fixed64, known, bytes, fixed32])).text).toBe("t");
  });

  it("reads packed numbers", () => {
    const list: Message = { fields: { n: { number: 1, type: "int", repeated: true } } };
    expect(decode(list, Buffer.from([0x0a, 3, 1, 2, 3])).n).toEqual([1, 2, 3]);
  });

  it.each([[[0x0a, 5, 1]], [[0x08]], [[0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]], [[0x0f]]])(
    "fails when the bytes %j are no message",
    (bytes) => {
      expect(() => decode(message, Buffer.from(bytes))).toThrow(WireError);
    },
  );
});
