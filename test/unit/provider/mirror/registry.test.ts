import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFetcher } from "../../../../provider/mirror/fetcher.js";
import { digestOf, readImage } from "../../../../provider/mirror/oci.js";
import { challenge, pullImage } from "../../../../provider/mirror/registry.js";
import { openWorld } from "../../../support/open-world.js";
import { atEnd, never, put, scratch, server, sha256, upstream, version } from "./fixture.js";

// registries are servers
openWorld("sockets");

const fetcher = () => {
  const made = createFetcher({ signal: never() });
  atEnd(() => made.close());
  return made;
};
const reference = "registry.k8s.io/kube-proxy:v1.36.3";

describe("pullImage", () => {
  it("takes the bytes of each architecture as they are", async () => {
    const source = await upstream(version(), ["amd64", "arm64"]);
    const mirror = await scratch();
    for (const arch of ["amd64", "arm64"] as const) {
      const image = await pullImage(mirror, reference, arch, fetcher(), source.url);
      expect(await readImage(source.folder, reference, image.digest, true)).toBeDefined();
      expect(await readImage(mirror, reference, image.digest, true)).toMatchObject({ digest: image.digest, manifest: image.manifest });
    }
    const path = "v2/kube-proxy/manifests/v1.36.3";
    expect(await readFile(join(mirror, path), "utf8")).toBe(await readFile(join(source.folder, path), "utf8"));
  });

  it("does not fetch a blob that is there, and fetches one again that is spoilt", async () => {
    const source = await upstream();
    const mirror = await scratch();
    const image = await pullImage(mirror, reference, "amd64", fetcher(), source.url);
    source.requests.length = 0;
    await put(image.blobs[1]?.file ?? "", "spoilt");
    await pullImage(mirror, reference, "amd64", fetcher(), source.url);
    expect(source.requests.filter((line) => line.includes("/blobs/"))).toEqual([`GET /v2/kube-proxy/blobs/${image.blobs[1]?.digest} 200`]);
  });

  it("fails when the architecture or the image is not published", async () => {
    const source = await upstream();
    const mirror = await scratch();
    await expect(pullImage(mirror, reference, "arm64", fetcher(), source.url)).rejects.toThrow(
      `${reference} is not published for linux/arm64`,
    );
    await expect(pullImage(mirror, "registry.k8s.io/none:v1", "amd64", fetcher(), source.url)).rejects.toThrow(
      /none\/manifests\/v1: HTTP 404/,
    );
  });

  it("believes neither a manifest nor a blob whose digest is not its own", async () => {
    const source = await upstream();
    const index = JSON.parse(await readFile(join(source.folder, "v2/kube-proxy/manifests/v1.36.3"), "utf8")) as {
      manifests: { digest: string }[];
    };
    await put(join(source.folder, "v2/kube-proxy/manifests", index.manifests[0]?.digest ?? ""), "{}");
    await expect(pullImage(await scratch(), reference, "amd64", fetcher(), source.url)).rejects.toThrow(`the content is ${digestOf("{}")}`);
    const pause = "registry.k8s.io/pause:3.10.2";
    const mirror = await scratch();
    const good = await pullImage(mirror, pause, "amd64", fetcher(), source.url);
    const [, layer] = good.blobs;
    await put(join(source.folder, "v2/pause/blobs", layer?.digest ?? ""), "something else");
    await expect(pullImage(await scratch(), pause, "amd64", fetcher(), source.url)).rejects.toThrow(/sha256 is .*the file was thrown away/);
  });

  it("gets itself an anonymous token where one is asked for, and pulls images of one architecture without an index", async () => {
    const layer = "layer";
    const config = "{}";
    const blobs = new Map([layer, config].map((b) => [`sha256:${sha256(b)}`, b]));
    const describeBlob = (b: string) => ({ mediaType: "x", digest: `sha256:${sha256(b)}`, size: b.length });
    const type = "application/vnd.docker.distribution.manifest.v2+json";
    const manifest = JSON.stringify({ schemaVersion: 2, mediaType: type, config: describeBlob(config), layers: [describeBlob(layer)] });
    const seen: string[] = [];
    const base = await server((request, response) => {
      const url = request.url ?? "";
      if (url.startsWith("/token")) {
        seen.push(url);
        return response.end(JSON.stringify({ token: "secret" }));
      }
      if (request.headers.authorization !== "Bearer secret")
        return response
          .writeHead(401, {
            "www-authenticate": `Bearer realm="http://${request.headers.host}/token",service="reg",scope="repository:a/b:pull"`,
          })
          .end();
      if (url === "/v2/a/b/manifests/1") return response.writeHead(200, { "content-type": type }).end(manifest);
      const blob = blobs.get(url.slice(url.lastIndexOf("/") + 1));
      return blob === undefined ? response.writeHead(404).end() : response.end(blob);
    });
    const mirror = await scratch();
    const image = await pullImage(mirror, "docker.io/a/b:1", "arm64", fetcher(), base);
    expect(seen).toEqual(["/token?service=reg&scope=repository%3Aa%2Fb%3Apull"]);
    expect(image).toMatchObject({ digest: `sha256:${sha256(manifest)}`, mediaType: type });
    expect(await readImage(mirror, "docker.io/a/b:1", image.digest, true)).toBeDefined();
  });

  it("says so when a login is asked for that it has not", async () => {
    const base = await server((_, response) => response.writeHead(401, { "www-authenticate": "Basic realm=x" }).end());
    await expect(pullImage(await scratch(), reference, "amd64", fetcher(), base)).rejects.toThrow(/asks for a login.*Basic/);
  });
});

it("reads challenges", () => {
  expect(challenge('Bearer realm="https://a/t",service="s,t",scope="x"')).toEqual({ realm: "https://a/t", service: "s,t", scope: "x" });
  expect(challenge("Basic realm=x")).toBeUndefined();
});
