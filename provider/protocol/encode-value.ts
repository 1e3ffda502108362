// MessagePack as Terraform's DynamicValue uses it, directed by the attribute's type: unknown values are extension 0, numbers
// keep their digits, objects carry exactly the declared attributes, and a map key "__proto__" is a key like any other. A
// general library gives up on the last three (docs/decisions/0001).
import { decimalText } from "../framework/decimal.js";
import { BigDecimal, isUnknown, type ObjectValue, type Value } from "../framework/value.js";
import { jsonType, typeOfValue, type WireType } from "./wire-type.js";

export class ValueError extends Error {}

const plainUnknown = Uint8Array.of(0xd4, 0, 0);

class Out {
  private buffer = Buffer.allocUnsafe(1024);
  private at = 0;

  private room(bytes: number): void {
    if (this.at + bytes <= this.buffer.length) return;
    const next = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.at + bytes));
    this.buffer.copy(next, 0, 0, this.at);
    this.buffer = next;
  }
  byte(value: number): this {
    this.room(1);
    this.buffer[this.at++] = value;
    return this;
  }
  head(short: number, shortMax: number, wide: readonly [number, number, number], size: number): this {
    if (size <= shortMax) return this.byte(short | size);
    if (wide[0] && size < 0x100) return this.byte(wide[0]).byte(size);
    if (size < 0x10000) {
      this.byte(wide[1]).room(2);
      this.at = this.buffer.writeUInt16BE(size, this.at);
      return this;
    }
    this.byte(wide[2]).room(4);
    this.at = this.buffer.writeUInt32BE(size, this.at);
    return this;
  }
  raw(value: Uint8Array): this {
    this.room(value.length);
    this.buffer.set(value, this.at);
    this.at += value.length;
    return this;
  }
  text(value: string): this {
    const size = Buffer.byteLength(value);
    this.head(0xa0, 31, [0xd9, 0xda, 0xdb], size).room(size);
    this.at += this.buffer.write(value, this.at, "utf8");
    return this;
  }
  bin(value: Uint8Array): this {
    return this.head(0xc4, -1, [0xc4, 0xc5, 0xc6], value.length).raw(value);
  }
  int(value: number): this {
    if (value >= 0 && value < 0x80) return this.byte(value);
    if (value < 0 && value >= -32) return this.byte(value & 0xff);
    this.byte(0xd3).room(8);
    this.at = this.buffer.writeBigInt64BE(BigInt(value), this.at);
    return this;
  }
  array(size: number): this {
    return this.head(0x90, 15, [0, 0xdc, 0xdd], size);
  }
  map(size: number): this {
    return this.head(0x80, 15, [0, 0xde, 0xdf], size);
  }
  done(): Buffer {
    return this.buffer.subarray(0, this.at);
  }
}

const describe = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "a list" : `a ${typeof value}`);

function write(out: Out, type: WireType, value: Value, path: string): Out {
  if (value === null || value === undefined) return out.byte(0xc0);
  const actual = type === "dynamic" ? typeOfValue(value) : type;
  if (isUnknown(value) && actual === type) return out.raw(value.refinement ?? plainUnknown);
  if (type === "dynamic") {
    out.byte(0x92).bin(Buffer.from(JSON.stringify(jsonType(actual))));
    return write(out, actual, value, path);
  }
  const wrong = (wanted: string): never => {
    throw new ValueError(`${path || "value"}: ${wanted} expected, got ${describe(value)}`);
  };
  if (type === "string") return typeof value === "string" ? out.text(value.normalize("NFC")) : wrong("a string");
  if (type === "bool") return typeof value === "boolean" ? out.byte(value ? 0xc3 : 0xc2) : wrong("a bool");
  if (type === "number") {
    if (value instanceof BigDecimal) return out.text(value.text);
    if (typeof value !== "number" || !Number.isFinite(value)) return wrong("a number");
    return Number.isSafeInteger(value) ? out.int(value) : out.text(decimalText(value));
  }
  if ("list" in type || "set" in type || "tuple" in type) {
    if (!Array.isArray(value)) return wrong("a list");
    const inner = (i: number): WireType => ("list" in type ? type.list : "set" in type ? type.set : (type.tuple[i] ?? "dynamic"));
    out.array(value.length);
    for (const [i, item] of value.entries()) write(out, inner(i), item as Value, `${path}[${i}]`);
    return out;
  }
  if (typeof value !== "object" || Array.isArray(value) || value instanceof BigDecimal) return wrong("an object");
  const object = value as ObjectValue;
  if ("map" in type) {
    const keys = Object.keys(object).sort();
    out.map(keys.length);
    for (const key of keys) write(out.text(key.normalize("NFC")), type.map, object[key] ?? null, `${path}[${JSON.stringify(key)}]`);
    return out;
  }
  const names = Object.keys(type.object).sort();
  for (const name of Object.keys(object)) {
    if (!Object.hasOwn(type.object, name)) throw new ValueError(`${path ? `${path}.` : ""}${name}: no such attribute`);
  }
  out.map(names.length);
  for (const name of names) write(out.text(name), type.object[name] as WireType, object[name] ?? null, path ? `${path}.${name}` : name);
  return out;
}

export function encodeValue(type: WireType, value: Value): Buffer {
  return write(new Out(), type, value, "").done();
}
