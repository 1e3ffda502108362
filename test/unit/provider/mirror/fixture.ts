// A small stand-in for all that upstream publishes for one version, and a server that breaks on demand.
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { afterEach } from "vitest";
import type { Architecture } from "../../../../provider/mirror/artefact.js";
import { writeLayer } from "../../../../provider/mirror/layer.js";
import { writeImage } from "../../../../provider/mirror/oci.js";
import { itemsOf } from "../../../../provider/mirror/plan.js";
import { serveMirror } from "../../../../provider/mirror/serve.js";
import { tarOf } from "../../../../provider/mirror/tar.js";
import { type Components, componentsOf } from "../../../../provider/mirror/versions.js";

export const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex");
export const never = (): AbortSignal => new AbortController().signal;

export const version = (v = "1.36.3"): Components => {
  const found = componentsOf(v);
  if (!found) throw new Error(`${v} is not in the table`);
  return found;
};

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});
export const atEnd = (clean: () => Promise<unknown>): void => {
  cleanups.push(clean);
};

export async function scratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "mirror-"));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function put(path: string, data: string | Uint8Array): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, data);
  return path;
}

/** Everything a version needs, tiny, in upstream's layout with upstream's kinds of checksum files. */
export async function publish(folder: string, c: Components, arches: readonly Architecture[] = ["amd64"]): Promise<void> {
  const sums = new Map<string, string[]>();
  for (const arch of arches) {
    for (const item of itemsOf(c, arch)) {
      if (item.kind === "image") {
        const source = await put(join(folder, ".src", `${item.image.name}-${arch}`), `${item.name} ${arch}`);
        const layer = await writeLayer(join(folder, ".layers"), [item.name, arch], () => tarOf([{ from: source, to: item.image.at }]));
        await writeImage(folder, item.name, arch, [layer], {});
        continue;
      }
      const [first] = item.parts;
      const target = join(folder, item.name);
      if (first.form === "binary") await put(target, `${first.binaries[0]} ${c.kubernetes} ${arch}`);
      else {
        await mkdir(dirname(target), { recursive: true });
        const entries = item.parts.flatMap((p) => p.binaries.map((name) => ({ to: `${p.prefix}${name}`, text: `${name} ${arch}` })));
        await pipeline(tarOf([...entries, { to: "README.md", text: "read me" }]), createGzip(), createWriteStream(target));
      }
      const line = `${sha256(await readFile(target))}  ${item.name.slice(item.name.lastIndexOf("/") + 1)}`;
      sums.set(first.checksum, [...(sums.get(first.checksum) ?? []), line]);
    }
  }
  for (const [path, lines] of sums) {
    const bare = path.startsWith("dl.k8s.io/");
    await put(join(folder, path), bare ? (lines[0]?.split(" ")[0] ?? "") : `${lines.join("\n")}\n`);
  }
}

export interface Upstream {
  readonly url: string;
  readonly folder: string;
  readonly requests: string[];
}

export async function upstream(c = version(), arches: readonly Architecture[] = ["amd64"]): Promise<Upstream> {
  const folder = await scratch();
  await publish(folder, c, arches);
  const requests: string[] = [];
  const served = await serveMirror({ folder, port: 0, log: (line) => requests.push(line) });
  atEnd(() => served.close());
  return { url: served.url, folder, requests };
}

/** A server whose every answer the test writes itself. */
export async function server(answer: (request: IncomingMessage, response: ServerResponse, nth: number) => void): Promise<string> {
  let nth = 0;
  const http = createServer((request, response) => answer(request, response, nth++));
  await new Promise<void>((done) => http.listen(0, "127.0.0.1", done));
  atEnd(
    () =>
      new Promise((done) => {
        http.close(done);
        http.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

/** An address where nobody listens. */
export async function closed(): Promise<string> {
  const http = createServer();
  await new Promise<void>((done) => http.listen(0, "127.0.0.1", done));
  const { port } = http.address() as AddressInfo;
  await new Promise((done) => http.close(done));
  return `http://127.0.0.1:${port}`;
}
