// MessagePack as Terraform's DynamicValue uses it, directed by the attribute's type: unknown values are extension 0 (any
// other extension is a refined unknown), numbers keep their digits, objects carry exactly the declared attributes, and a
// map key "__proto__" is a key like any other. A general library gives up on the last three (docs/decisions/0001).
import type { AttributeType } from "../framework/schema.js";
import { BigDecimal, isUnknown, type ObjectValue, unknown, type Value } from "../framework/value.js";

/** Inside a dynamic value core also sends tuples, which no attribute can be declared as. */
export type WireType = AttributeType | { readonly tuple: readonly WireType[] } | { readonly object: Readonly<Record<string, WireType>> };

class Out {
  private buffer = Buffer.allocUnsafe(1024);
  private at = 0;

  private room(bytes: number): undefined {
    if (this.at + bytes <= this.buffer.length) return;
    const next = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.at + bytes));
    this.buffer.copy(next, 0, 0, this.at);
    this.buffer = next;
  }
  byte(value: number): undefined {
    this.room(1);
    this.buffer[this.at++] = value;
  }
  head(short: number, shortMax: number, wide: readonly [number, number, number], size: number): undefined {
    if (size <= shortMax) this.byte(short | size);
    else if (wide[0] && size < 0x100) {
      this.byte(wide[0]);
      this.byte(size);
    } else if (size < 0x10000) {
      this.byte(wide[1]);
      this.room(2);
      this.at = this.buffer.writeUInt16BE(size, this.at);
    } else {
      this.byte(wide[2]);
      this.room(4);
      this.at = this.buffer.writeUInt32BE(size, this.at);
    }
  }
  text(value: string): undefined {
    const size = Buffer.byteLength(value);
    this.head(0xa0, 31, [0xd9, 0xda, 0xdb], size);
    this.room(size);
    this.at += this.buffer.write(value, this.at, "utf8");
  }
  bin(value: Uint8Array): undefined {
    this.head(0xc4, -1, [0xc4, 0xc5, 0xc6], value.length);
    this.room(value.length);
    this.buffer.set(value, this.at);
    this.at += value.length;
  }
  int(value: number): undefined {
    if (value >= 0 && value < 0x80) return this.byte(value);
    if (value < 0 && value >= -32) return this.byte(value & 0xff);
    this.byte(0xd3);
    this.room(8);
    this.at = this.buffer.writeBigInt64BE(BigInt(value), this.at);
  }
  done(): Buffer {
    return this.buffer.subarray(0, this.at);
  }
}

export const jsonType = (type: WireType): unknown => {
  if (typeof type === "string") return type;
  if ("list" in type) return ["list", jsonType(type.list)];
  if ("set" in type) return ["set", jsonType(type.set)];
  if ("map" in type) return ["map", jsonType(type.map)];
  if ("tuple" in type) return ["tuple", type.tuple.map(jsonType)];
  return ["object", Object.fromEntries(Object.entries(type.object).map(([name, t]) => [name, jsonType(t)]))];
};

function fromJsonType(json: unknown): WireType {
  if (typeof json === "string") return json as WireType;
  const [kind, inner] = json as [string, unknown];
  if (kind === "object") {
    return { object: Object.fromEntries(Object.entries(inner as object).map(([name, t]) => [name, fromJsonType(t)])) };
  }
  if (kind === "tuple") return { tuple: (inner as unknown[]).map(fromJsonType) };
  return { [kind]: fromJsonType(inner) } as unknown as WireType;
}

/** The type that a value of a dynamic attribute is sent with. */
function typeOfValue(value: Value): WireType {
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number" || value instanceof BigDecimal) return "number";
  if (Array.isArray(value)) return { tuple: value.map((item) => typeOfValue(item as Value)) };
  if (value !== null && typeof value === "object" && !isUnknown(value)) {
    return { object: Object.fromEntries(Object.entries(value as ObjectValue).map(([name, v]) => [name, typeOfValue(v)])) };
  }
  return "dynamic";
}

export class ValueError extends Error {}
const describe = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "a list" : `a ${typeof value}`);

function write(out: Out, type: WireType, value: Value, path: string): undefined {
  if (isUnknown(value)) {
    out.byte(0xd4);
    out.byte(0);
    return out.byte(0);
  }
  if (value === null || value === undefined) return out.byte(0xc0);
  if (type === "dynamic") {
    const actual = typeOfValue(value);
    out.byte(0x92);
    out.bin(Buffer.from(JSON.stringify(jsonType(actual))));
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
  if ("list" in type || "set" in type) {
    if (!Array.isArray(value)) return wrong("a list");
    const inner = "list" in type ? type.list : type.set;
    out.head(0x90, 15, [0, 0xdc, 0xdd], value.length);
    for (const [i, item] of value.entries()) write(out, inner, item as Value, `${path}[${i}]`);
    return;
  }
  if ("tuple" in type) {
    if (!Array.isArray(value)) return wrong("a tuple");
    out.head(0x90, 15, [0, 0xdc, 0xdd], value.length);
    for (const [i, item] of value.entries()) write(out, type.tuple[i] ?? "dynamic", item as Value, `${path}[${i}]`);
    return;
  }
  if (typeof value !== "object" || Array.isArray(value)) return wrong("an object");
  const object = value as ObjectValue;
  if ("map" in type) {
    const keys = Object.keys(object).sort();
    out.head(0x80, 15, [0, 0xde, 0xdf], keys.length);
    for (const key of keys) {
      out.text(key.normalize("NFC"));
      write(out, type.map, object[key] ?? null, `${path}[${JSON.stringify(key)}]`);
    }
    return;
  }
  const names = Object.keys(type.object).sort();
  for (const name of Object.keys(object)) {
    if (!Object.hasOwn(type.object, name)) throw new ValueError(`${path ? `${path}.` : ""}${name}: no such attribute`);
  }
  out.head(0x80, 15, [0, 0xde, 0xdf], names.length);
  for (const name of names) {
    out.text(name);
    write(out, type.object[name] as WireType, object[name] ?? null, path ? `${path}.${name}` : name);
  }
}

/** A double as plain decimal text: cty compares shortest decimals, so 0.1 is "0.1". */
export function decimalText(value: number): string {
  return String(value);
}

export function encodeValue(type: WireType, value: Value): Buffer {
  const out = new Out();
  write(out, type, value, "");
  return out.done();
}

interface In {
  readonly bytes: Buffer;
  at: number;
}

type Raw =
  | { readonly kind: "nil" | "unknown" }
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "number"; readonly value: number | BigDecimal }
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "bin"; readonly value: Buffer }
  | { readonly kind: "array" | "map"; readonly size: number };

function big(value: bigint): number | BigDecimal {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : new BigDecimal(value.toString());
}

function take(input: In, size: number): Buffer {
  const part = input.bytes.subarray(input.at, input.at + size);
  if (part.length < size) throw new ValueError("the value ends too early");
  input.at += size;
  return part;
}

function next(input: In): Raw {
  const head = take(input, 1)[0] as number;
  const size = (width: 1 | 2 | 4): number => take(input, width).readUIntBE(0, width);
  const text = (length: number): Raw => ({ kind: "text", value: take(input, length).toString("utf8") });
  const extension = (length: number): Raw => {
    take(input, 1 + length);
    return { kind: "unknown" };
  };
  if (head < 0x80) return { kind: "number", value: head };
  if (head >= 0xe0) return { kind: "number", value: head - 0x100 };
  if (head < 0x90) return { kind: "map", size: head & 0x0f };
  if (head < 0xa0) return { kind: "array", size: head & 0x0f };
  if (head < 0xc0) return text(head & 0x1f);
  switch (head) {
    case 0xc0:
      return { kind: "nil" };
    case 0xc2:
      return { kind: "bool", value: false };
    case 0xc3:
      return { kind: "bool", value: true };
    case 0xc4:
      return { kind: "bin", value: take(input, size(1)) };
    case 0xc5:
      return { kind: "bin", value: take(input, size(2)) };
    case 0xc6:
      return { kind: "bin", value: take(input, size(4)) };
    case 0xc7:
      return extension(size(1));
    case 0xc8:
      return extension(size(2));
    case 0xc9:
      return extension(size(4));
    case 0xca:
      return { kind: "number", value: take(input, 4).readFloatBE() };
    case 0xcb:
      return { kind: "number", value: take(input, 8).readDoubleBE() };
    case 0xcc:
      return { kind: "number", value: size(1) };
    case 0xcd:
      return { kind: "number", value: size(2) };
    case 0xce:
      return { kind: "number", value: size(4) };
    case 0xcf:
      return { kind: "number", value: big(take(input, 8).readBigUInt64BE()) };
    case 0xd0:
      return { kind: "number", value: take(input, 1).readInt8() };
    case 0xd1:
      return { kind: "number", value: take(input, 2).readInt16BE() };
    case 0xd2:
      return { kind: "number", value: take(input, 4).readInt32BE() };
    case 0xd3:
      return { kind: "number", value: big(take(input, 8).readBigInt64BE()) };
    case 0xd4:
      return extension(1);
    case 0xd5:
      return extension(2);
    case 0xd6:
      return extension(4);
    case 0xd7:
      return extension(8);
    case 0xd8:
      return extension(16);
    case 0xd9:
      return text(size(1));
    case 0xda:
      return text(size(2));
    case 0xdb:
      return text(size(4));
    case 0xdc:
      return { kind: "array", size: size(2) };
    case 0xdd:
      return { kind: "array", size: size(4) };
    case 0xde:
      return { kind: "map", size: size(2) };
    case 0xdf:
      return { kind: "map", size: size(4) };
    default:
      throw new ValueError(`byte ${head.toString(16)} begins no value`);
  }
}

/** Keeps the digits of a decimal text that a double cannot hold. */
export function parseDecimal(text: string): number | BigDecimal {
  const number = Number(text);
  if (Number.isFinite(number) && canonicalDecimal(decimalText(number)) === canonicalDecimal(text)) return number;
  return new BigDecimal(text);
}

/** Sign, digits and exponent without leading or trailing zeros: equal texts mean equal numbers. */
function canonicalDecimal(text: string): string {
  const match = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text);
  if (!match) return text;
  const [, sign = "", whole = "", part = "", exponent = "0"] = match;
  const digits = `${whole}${part}`.replace(/^0+/, "");
  const trimmed = digits.replace(/0+$/, "");
  if (trimmed === "") return "0";
  return `${sign === "-" ? "-" : ""}${trimmed}e${Number(exponent) - part.length + (digits.length - trimmed.length)}`;
}

function read(input: In, type: WireType): Value {
  const raw = next(input);
  if (raw.kind === "nil") return null;
  if (raw.kind === "unknown") return unknown;
  if (type === "dynamic") {
    if (raw.kind !== "array" || raw.size !== 2) throw new ValueError("a dynamic value is a pair of type and value");
    const inner = next(input);
    if (inner.kind !== "bin" && inner.kind !== "text") throw new ValueError("a dynamic value begins with its type");
    return read(input, fromJsonType(JSON.parse(inner.value.toString())));
  }
  if (type === "string" && raw.kind === "text") return raw.value;
  if (type === "bool" && raw.kind === "bool") return raw.value;
  if (type === "number" && raw.kind === "number") return raw.value;
  if (type === "number" && raw.kind === "text") return parseDecimal(raw.value);
  if (typeof type === "object" && raw.kind === "array" && ("list" in type || "set" in type || "tuple" in type)) {
    const inner = (i: number): WireType => ("list" in type ? type.list : "set" in type ? type.set : (type.tuple[i] ?? "dynamic"));
    const items: Value[] = [];
    for (let i = 0; i < raw.size; i += 1) items.push(read(input, inner(i)));
    return items;
  }
  if (typeof type === "object" && raw.kind === "map" && ("map" in type || "object" in type)) {
    const object: Record<string, Value> = Object.create(null);
    for (let i = 0; i < raw.size; i += 1) {
      const key = next(input);
      if (key.kind !== "text") throw new ValueError("a key is a string");
      const inner: WireType | undefined = "map" in type ? type.map : type.object[key.value];
      if (inner === undefined) throw new ValueError(`${key.value}: no such attribute`);
      object[key.value] = read(input, inner);
    }
    return object;
  }
  throw new ValueError(`${JSON.stringify(jsonType(type))} expected, got ${raw.kind}`);
}

export function decodeValue(type: WireType, bytes: Uint8Array): Value {
  return read({ bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), at: 0 }, type);
}
