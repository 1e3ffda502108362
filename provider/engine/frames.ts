// The engine's stream format for a process without a terminal: frames of one byte stream number, three zero bytes, a
// four-byte length, then that many bytes.

export interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

export function splitFrames(bytes: Buffer): Output {
  const parts: Record<"stdout" | "stderr", Buffer[]> = { stdout: [], stderr: [] };
  let at = 0;
  while (at + 8 <= bytes.length) {
    const length = bytes.readUInt32BE(at + 4);
    const stream = bytes[at] === 2 ? "stderr" : "stdout";
    parts[stream].push(bytes.subarray(at + 8, at + 8 + length));
    at += 8 + length;
  }
  return { stdout: Buffer.concat(parts.stdout).toString("utf8"), stderr: Buffer.concat(parts.stderr).toString("utf8") };
}
