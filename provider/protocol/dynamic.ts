// DynamicValue on the wire: msgpack, or JSON from some callers; always answered as msgpack.
import type { AttributeType } from "../framework/schema.js";
import type { ObjectValue, Value } from "../framework/value.js";
import { decodeValue } from "./decode-value.js";
import { encodeValue } from "./encode-value.js";
import { decodeStateJson } from "./state-json.js";
import type { Decoded } from "./wire.js";

export function decodeDynamic(type: AttributeType, message: unknown): Value {
  const { msgpack, json } = (message ?? {}) as { msgpack?: Uint8Array; json?: Uint8Array };
  if (msgpack && msgpack.length > 0) return decodeValue(type, msgpack);
  if (json && json.length > 0) return decodeStateJson(type, json);
  return null;
}

export const decodeObject = (type: AttributeType, message: unknown): ObjectValue | null =>
  decodeDynamic(type, message) as ObjectValue | null;

export const encodeDynamic = (type: AttributeType, value: Value): Decoded => ({ msgpack: encodeValue(type, value) });
