// Table-driven Protocol Buffers codec, shared by the server and by the client of vendor providers. On the wire only field
// numbers and types count, so a message is a table; the generic libraries cost 35-170 ms of start each, and Terraform
// starts a provider three to four times a command (docs/decisions/0001).

export type FieldType = "string" | "bytes" | "bool" | "int" | Message;

export interface Field {
  readonly number: number;
  readonly type: FieldType;
  readonly repeated?: boolean;
  /** Written even when it is zero, false or empty. */
  readonly always?: boolean;
  /** A map field: repeated { 1: string key, 2: value of `type` }. */
  readonly map?: boolean;
}

export interface Message {
  readonly fields: Readonly<Record<string, Field>>;
}

/** A decoded message: absent fields are absent. Repeated fields are always there, as arrays. */
export type Decoded = { [name: string]: unknown };

class Writer {
  private chunks: Uint8Array[] = [];
  size = 0;

  push(chunk: Uint8Array): void {
    this.chunks.push(chunk);
    this.size += chunk.length;
  }

  varint(value: number): void {
    this.push(Uint8Array.from(value < 0 ? negative(value) : positive(value)));
  }

  finish(): Buffer {
    return Buffer.concat(this.chunks, this.size);
  }
}

function positive(value: number): number[] {
  const out: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    out.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return [...out, rest];
}

// int64 on the wire is two's complement of 64 bits: ten bytes
function negative(value: number): number[] {
  const out: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest >= 0x80n) {
    out.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  return [...out, Number(rest)];
}

function writeValue(writer: Writer, number: number, type: FieldType, value: unknown): void {
  if (type === "bool" || type === "int") {
    writer.varint(number * 8);
    writer.varint(type === "bool" ? (value ? 1 : 0) : Number(value));
    return;
  }
  const bytes =
    type === "string" ? Buffer.from(String(value), "utf8") : type === "bytes" ? (value as Uint8Array) : encode(type, value as Decoded);
  writer.varint(number * 8 + 2);
  writer.varint(bytes.length);
  writer.push(bytes);
}

export function encode(message: Message, value: Decoded): Buffer {
  const writer = new Writer();
  for (const name in message.fields) {
    const field = message.fields[name];
    const given = value[name];
    if (!field || given === undefined || given === null) continue;
    if (field.map) {
      for (const key of Object.keys(given as object)) {
        const entry = new Writer();
        writeValue(entry, 1, "string", key);
        writeValue(entry, 2, field.type, (given as Decoded)[key]);
        writeValue(writer, field.number, "bytes", entry.finish());
      }
    } else if (field.repeated) {
      for (const item of given as readonly unknown[]) writeValue(writer, field.number, field.type, item);
    } else if (field.always || (given !== false && given !== 0 && given !== "")) {
      writeValue(writer, field.number, field.type, given);
    }
  }
  return writer.finish();
}

export class WireError extends Error {}

interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
}

function readVarint(cursor: Cursor): number {
  const begin = cursor.at;
  let value = 0;
  let scale = 1;
  for (let count = 0; count < 10; count += 1) {
    const byte = cursor.bytes[cursor.at];
    if (byte === undefined) throw new WireError("the message ends inside a number");
    cursor.at += 1;
    value += (byte & 0x7f) * scale;
    // ten bytes: a negative int64, whose bits a double cannot hold
    if (byte < 0x80) return count === 9 ? readNegative(cursor.bytes.subarray(begin, cursor.at)) : value;
    scale *= 128;
  }
  throw new WireError("a number is longer than ten bytes");
}

function readNegative(bytes: Uint8Array): number {
  let bits = 0n;
  for (const [i, byte] of bytes.entries()) bits |= BigInt(byte & 0x7f) << BigInt(7 * i);
  return Number(BigInt.asIntN(64, bits));
}

function slice(cursor: Cursor): Uint8Array {
  const length = readVarint(cursor);
  const end = cursor.at + length;
  if (end > cursor.bytes.length) throw new WireError("the message ends inside a field");
  const part = cursor.bytes.subarray(cursor.at, end);
  cursor.at = end;
  return part;
}

function skip(cursor: Cursor, wireType: number): void {
  if (wireType === 0) readVarint(cursor);
  else if (wireType === 1) cursor.at += 8;
  else if (wireType === 2) slice(cursor);
  else if (wireType === 5) cursor.at += 4;
  else throw new WireError(`wire type ${wireType} is unknown`);
  if (cursor.at > cursor.bytes.length) throw new WireError("the message ends inside a field");
}

function readValue(cursor: Cursor, type: FieldType): unknown {
  if (type === "bool") return readVarint(cursor) !== 0;
  if (type === "int") return readVarint(cursor);
  const part = slice(cursor);
  if (type === "string") return Buffer.from(part.buffer, part.byteOffset, part.length).toString("utf8");
  if (type === "bytes") return part;
  return decode(type, part);
}

interface Known {
  readonly name: string;
  readonly field: Field;
  /** Of a map field: what one of its entries is. */
  readonly entry: Message;
}

// derived from the tables above once, never changed
const tables = new WeakMap<Message, ReadonlyMap<number, Known>>();
function byNumber(message: Message): ReadonlyMap<number, Known> {
  let table = tables.get(message);
  if (!table) {
    const known = ([name, field]: readonly [string, Field]): readonly [number, Known] => [
      field.number,
      { name, field, entry: { fields: { key: { number: 1, type: "string" }, value: { number: 2, type: field.type } } } },
    ];
    table = new Map(Object.entries(message.fields).map(known));
    tables.set(message, table);
  }
  return table;
}

/** What an absent value of a map entry stands for. */
function emptyOf(type: FieldType): unknown {
  if (type === "string") return "";
  if (type === "bytes") return new Uint8Array();
  if (type === "int") return 0;
  return type === "bool" ? false : decode(type, new Uint8Array());
}

export function decode(message: Message, bytes: Uint8Array): Decoded {
  const out: Decoded = {};
  for (const name in message.fields) {
    const field = message.fields[name];
    if (field?.map) out[name] = Object.create(null);
    else if (field?.repeated) out[name] = [];
  }
  const cursor: Cursor = { bytes, at: 0 };
  while (cursor.at < bytes.length) {
    const key = readVarint(cursor);
    const found = byNumber(message).get(Math.floor(key / 8));
    const wireType = key % 8;
    if (!found) {
      skip(cursor, wireType);
      continue;
    }
    const { name, field } = found;
    const expected = field.type === "bool" || field.type === "int" ? 0 : 2;
    if (field.map) {
      const entry = decode(found.entry, slice(cursor));
      (out[name] as Decoded)[(entry.key as string | undefined) ?? ""] = entry.value ?? emptyOf(field.type);
    } else if (field.repeated) {
      if (expected === 0 && wireType === 2) {
        // packed numbers
        const packed: Cursor = { bytes: slice(cursor), at: 0 };
        while (packed.at < packed.bytes.length) (out[name] as unknown[]).push(readValue(packed, field.type));
      } else (out[name] as unknown[]).push(readValue(cursor, field.type));
    } else out[name] = readValue(cursor, field.type);
  }
  return out;
}
