// The agent's files as one gzipped tar, the same bytes for the same files wherever it is made: sorted names, no owner, no
// times, no machine in the gzip header.
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";

const block = 512;

export function agentArchive(
  sources: Readonly<Record<string, string>>,
  version: string,
): { archive: Buffer; sha256: string; version: string } {
  const files = Object.entries(sources).sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = files.flatMap(([name, text]) => {
    const body = Buffer.from(text);
    return [header(name, body.length), body, Buffer.alloc((block - (body.length % block)) % block)];
  });
  const archive = gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * block)]), { level: 9 });
  // Byte 9 names the operating system that packed it.
  archive[9] = 255;
  return { archive, sha256: createHash("sha256").update(archive).digest("hex"), version };
}

/** A ustar header of a plain file, mode 0644, root's, 1970. */
function header(name: string, size: number): Buffer {
  const h = Buffer.alloc(block);
  const octal = (value: number, at: number, width: number) => h.write(`${value.toString(8).padStart(width - 1, "0")}\0`, at, "ascii");
  h.write(name, 0, 100, "utf8");
  octal(0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  h.write("        ", 148, "ascii");
  h.write("0", 156, "ascii");
  h.write("ustar\x0000", 257, "latin1");
  h.write(
    `${h
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, "0")}\0 `,
    148,
    "ascii",
  );
  return h;
}
