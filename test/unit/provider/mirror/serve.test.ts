import { mkdir, symlink } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { fetch } from "undici";
import { describe, expect, it } from "vitest";
import { indexType, manifestType } from "../../../../provider/mirror/oci.js";
import { rangeOf, serveMirror } from "../../../../provider/mirror/serve.js";
import { openWorld } from "../../../support/open-world.js";
import { atEnd, put, scratch, sha256, upstream } from "./fixture.js";

// the unit is a server
openWorld("sockets");

/** fetch() would tidy the path up. */
const raw = (url: string, path: string, method = "GET"): Promise<number> =>
  new Promise((done, fail) => {
    httpRequest(url, { path, method }, (response) => {
      response.resume();
      done(response.statusCode ?? 0);
    })
      .on("error", fail)
      .end();
  });

const served = async () => {
  const folder = await scratch();
  await put(join(folder, "dl.k8s.io/v1/kubelet"), "0123456789");
  await put(join(folder, "empty"), "");
  const mirror = await serveMirror({ folder, port: 0 });
  atEnd(() => mirror.close());
  return { folder, url: mirror.url };
};

it.each([
  [undefined, undefined],
  ["bytes=-", undefined],
  ["lines=1-2", undefined],
  ["bytes=0-1,4-5", undefined],
  ["bytes=3-", { start: 3, end: 9 }],
  ["bytes=3-4", { start: 3, end: 4 }],
  ["bytes=3-400", { start: 3, end: 9 }],
  ["bytes=-3", { start: 7, end: 9 }],
  ["bytes=-300", { start: 0, end: 9 }],
  ["bytes=10-", "bad"],
  ["bytes=5-4", "bad"],
])("rangeOf %s", (header, range) => expect(rangeOf(header, 10)).toEqual(range));

describe("files", () => {
  it("come whole, in part and as heads", async () => {
    const { url } = await served();
    const file = `${url}/dl.k8s.io/v1/kubelet`;
    expect(await (await fetch(file)).text()).toBe("0123456789");
    const part = await fetch(file, { headers: { range: "bytes=4-" } });
    expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([206, "bytes 4-9/10", "456789"]);
    expect((await fetch(file, { headers: { range: "bytes=10-" } })).status).toBe(416);
    const head = await fetch(file, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "10", ""]);
    expect(await (await fetch(`${url}/empty`)).text()).toBe("");
  });

  it("are read only, and none from outside the folder", async () => {
    const { folder, url } = await served();
    const outside = await put(join(await scratch(), "secret"), "secret");
    await symlink(outside, join(folder, "link"));
    await put(join(folder, ".build.lock"), "x");
    await mkdir(join(folder, "dir"));
    const steps = [
      `/..${outside}`,
      `/%2e%2e${outside}`,
      `/..%2f..%2f..%2fetc%2fpasswd`,
      "/link",
      "/.build.lock",
      "/dir",
      "/dir/",
      "/",
      "//etc/passwd",
      "/none",
      "/empty/x",
      "/a%00b",
    ];
    for (const path of steps) expect([path, await raw(url, path)]).toEqual([path, 404]);
    expect(await raw(url, "/%zz")).toBe(400);
    for (const method of ["PUT", "POST", "DELETE", "PATCH"]) expect(await raw(url, "/empty", method)).toBe(405);
    expect(await raw(url, `/${"a".repeat(5000)}`)).toBe(404);
  });
});

describe("images", () => {
  it("are pulled as a container runtime does it", async () => {
    const { url } = await upstream();
    const api = await fetch(`${url}/v2/`);
    expect([api.status, api.headers.get("docker-distribution-api-version")]).toEqual([200, "registry/2.0"]);
    const head = await fetch(`${url}/v2/kube-proxy/manifests/v1.36.3?ns=registry.k8s.io`, { method: "HEAD" });
    expect(head.headers.get("content-type")).toBe(indexType);
    const index = await fetch(`${url}/v2/kube-proxy/manifests/${head.headers.get("docker-content-digest")}`);
    const { manifests } = (await index.json()) as { manifests: { digest: string }[] };
    const manifest = await fetch(`${url}/v2/kube-proxy/manifests/${manifests[0]?.digest}`);
    expect(manifest.headers.get("content-type")).toBe(manifestType);
    const { layers } = (await manifest.json()) as { layers: { digest: string; size: number }[] };
    const blob = await fetch(`${url}/v2/kube-proxy/blobs/${layers[0]?.digest}`);
    expect(`sha256:${sha256(new Uint8Array(await blob.arrayBuffer()))}`).toBe(layers[0]?.digest);
    expect(await (await fetch(`${url}/v2/coredns/coredns/tags/list`)).json()).toEqual({ name: "coredns/coredns", tags: ["v1.14.2"] });
  });

  it.each([
    ["/v2/kube-proxy/manifests/none", "MANIFEST_UNKNOWN"],
    ["/v2/none/manifests/v1", "MANIFEST_UNKNOWN"],
    ["/v2/kube-proxy/blobs/sha256:00", "BLOB_UNKNOWN"],
    ["/v2/none/tags/list", "NAME_UNKNOWN"],
    ["/v2/_catalog", "UNSUPPORTED"],
  ])("%s is answered with %s", async (path, code) => {
    const { url } = await upstream();
    const response = await fetch(`${url}${path}`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ errors: [{ code }] });
  });
});

it("fails when the port is in use, and says which", async () => {
  const { folder, url } = await served();
  const port = Number(new URL(url).port);
  await expect(serveMirror({ folder, port })).rejects.toThrow(`127.0.0.1:${port} is in use by another program`);
});
