// The one line by which a plugin says where it listens: CORE|PROTOCOL|NETWORK|ADDRESS|grpc|CERTIFICATE[|MULTIPLEX].
import type { Address } from "./grpc-client.js";

export interface Handshake {
  readonly protocol: 5 | 6;
  readonly address: Address;
  /** DER. */
  readonly certificate: Buffer;
}

/** A text says why the line is none. */
export function parseHandshake(line: string): Handshake | string {
  const parts = line.trim().split("|");
  const [core, protocol, network, address = "", kind, certificate = ""] = parts;
  if (parts.length < 5 || core !== "1") return `its first line is no handshake: ${JSON.stringify(line.trim().slice(0, 200))}`;
  if (protocol !== "5" && protocol !== "6") return `it speaks plugin protocol ${protocol}; 5 and 6 are supported`;
  if (kind !== "grpc") return `it speaks ${kind}, not gRPC`;
  if (certificate === "") return "it offers no certificate, so that anyone could answer in its place";
  const common = { protocol: Number(protocol) as 5 | 6, certificate: Buffer.from(certificate, "base64") };
  if (network === "unix") return { ...common, address: { path: address } };
  const found = /^(.*):(\d+)$/.exec(address);
  if (network !== "tcp" || !found) return `it listens at ${network} ${address}, which is neither a Unix socket nor a TCP port`;
  return { ...common, address: { host: found[1] || "127.0.0.1", port: Number(found[2]) } };
}
