// The other direction of encode-value.ts. Any extension but 0 is a refined unknown: core knows something of a value that is
// not there yet, such as its prefix.
import { fromDouble, parseDecimal } from "../framework/decimal.js";
import { BigDecimal, Unknown, unknown, type Value } from "../framework/value.js";
import { ValueError } from "./encode-value.js";
import { fromJsonType, jsonType, remember, type WireType } from "./wire-type.js";

interface In {
  readonly bytes: Buffer;
  at: number;
}

type Raw =
  | { readonly kind: "nil" }
  | { readonly kind: "unknown"; readonly value: Unknown }
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
  const start = input.at - 1;
  const extension = (length: number): Raw => {
    const code = take(input, 1 + length)[0];
    // a copy: the message that it stands in may be megabytes
    return { kind: "unknown", value: code === 0 ? unknown : new Unknown(Uint8Array.from(input.bytes.subarray(start, input.at))) };
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
      return { kind: "number", value: fromDouble(take(input, 4).readFloatBE()) };
    case 0xcb:
      return { kind: "number", value: fromDouble(take(input, 8).readDoubleBE()) };
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

function read(input: In, type: WireType): Value {
  const raw = next(input);
  if (raw.kind === "nil") return null;
  if (raw.kind === "unknown") return raw.value;
  if (type === "dynamic") {
    if (raw.kind !== "array" || raw.size !== 2) throw new ValueError("a dynamic value is a pair of type and value");
    const inner = next(input);
    if (inner.kind !== "bin" && inner.kind !== "text") throw new ValueError("a dynamic value begins with its type");
    const came = fromJsonType(JSON.parse(inner.value.toString()));
    const value = read(input, came);
    // the shared unknown carries no type
    return remember(came, value === unknown ? new Unknown() : value);
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
      const inner: WireType | undefined =
        "map" in type ? type.map : Object.hasOwn(type.object, key.value) ? type.object[key.value] : undefined;
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
