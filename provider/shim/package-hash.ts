// Terraform's hash of an unpacked package ("h1:…"): SHA-256 over the sorted list of its files with their SHA-256.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

async function filesBelow(dir: string, prefix = ""): Promise<readonly string[]> {
  const entries = await readdir(join(dir, prefix), { withFileTypes: true });
  const lists = entries.map((entry) => {
    const name = prefix === "" ? entry.name : `${prefix}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(dir, name) : [name];
  });
  return (await Promise.all(lists)).flat();
}

async function sha256(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

export async function packageHash(dir: string): Promise<string> {
  const names = [...(await filesBelow(dir))].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const lines: string[] = [];
  for (const name of names) lines.push(`${await sha256(join(dir, name))}  ${name}\n`);
  return `h1:${createHash("sha256").update(lines.join("")).digest("base64")}`;
}
