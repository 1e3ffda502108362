// Pulls images from the registries that publish them into a mirror, one architecture at a time, bytes unchanged.
import type { Architecture } from "./artefact.js";
import { sha256Of, sizeOf } from "./cache.js";
import { download } from "./download.js";
import { type Fetcher, reasonOf, UpstreamFailed } from "./fetcher.js";
import { blobPath, digestOf, type Index, type Manifest, type MirroredImage, manifestType, splitReference, tagManifest } from "./oci.js";

const accepted = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  manifestType,
  "application/vnd.docker.distribution.manifest.v2+json",
].join(", ");

/** Docker Hub's API does not live at the name its images carry. */
const addressOf = (registry: string): string => `https://${registry === "docker.io" ? "registry-1.docker.io" : registry}`;

/** Parts of `Bearer realm="…",service="…",scope="…"`. */
export function challenge(header: string): Readonly<Record<string, string>> | undefined {
  if (!/^bearer /i.test(header)) return undefined;
  return Object.fromEntries([...header.matchAll(/([a-z]+)="([^"]*)"/gi)].map(([, name = "", value = ""]) => [name.toLowerCase(), value]));
}

/** An anonymous token for pulling, if the registry wants one. */
async function tokenFor(fetcher: Fetcher, header: string, name: string): Promise<string> {
  const { realm, service, scope } = challenge(header) ?? {};
  if (!realm) throw new UpstreamFailed(`a registry asks for a login that is no anonymous token: ${header}`);
  const url = new URL(realm);
  if (service) url.searchParams.set("service", service);
  url.searchParams.set("scope", scope ?? `repository:${name}:pull`);
  const response = await fetcher.get(url.href);
  if (!response.ok) {
    await response.body?.cancel();
    throw new UpstreamFailed(`${url.origin}: no token to pull ${name}: HTTP ${response.status}`);
  }
  const { token, access_token } = (await response.json()) as { token?: string; access_token?: string };
  return token ?? access_token ?? "";
}

interface Repository {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function open(fetcher: Fetcher, base: string, name: string, tag: string): Promise<Repository> {
  const url = `${base}/v2/${name}`;
  const response = await fetcher.get(`${url}/manifests/${tag}`, { accept: accepted });
  await response.body?.cancel();
  if (response.status !== 401) return { url, headers: {} };
  const token = await tokenFor(fetcher, response.headers.get("www-authenticate") ?? "", name);
  return { url, headers: { authorization: `Bearer ${token}` } };
}

async function manifestText(fetcher: Fetcher, repository: Repository, reference: string): Promise<{ text: string; type: string }> {
  const url = `${repository.url}/manifests/${reference}`;
  const response = await fetcher.get(url, { ...repository.headers, accept: accepted });
  if (!response.ok) {
    await response.body?.cancel();
    throw new UpstreamFailed(`${url}: HTTP ${response.status}`);
  }
  let text: string;
  try {
    text = await response.text();
  } catch (cause) {
    fetcher.signal.throwIfAborted();
    throw new UpstreamFailed(`${url}: ${reasonOf(cause)}`);
  }
  const wanted = reference.startsWith("sha256:") ? reference : response.headers.get("docker-content-digest");
  if (wanted && digestOf(text) !== wanted) throw new UpstreamFailed(`${url}: the content is ${digestOf(text)}`);
  return { text, type: response.headers.get("content-type")?.split(";")[0] ?? manifestType };
}

/** `base` stands in place of the registry's own address: another mirror, or a test. */
export async function pullImage(
  mirror: string,
  reference: string,
  arch: Architecture,
  fetcher: Fetcher,
  base?: string,
): Promise<MirroredImage> {
  const { registry, name, tag } = splitReference(reference);
  const repository = await open(fetcher, base ?? addressOf(registry), name, tag);
  let found = await manifestText(fetcher, repository, tag);
  const { manifests } = JSON.parse(found.text) as Partial<Index>;
  if (manifests) {
    const own = manifests.find((m) => m.platform?.os === "linux" && m.platform.architecture === arch);
    if (!own) throw new UpstreamFailed(`${reference} is not published for linux/${arch}`);
    found = await manifestText(fetcher, repository, own.digest);
  }
  const manifest = JSON.parse(found.text) as Manifest;
  for (const blob of [manifest.config, ...manifest.layers]) {
    const target = blobPath(mirror, name, blob.digest);
    if ((await sizeOf(target)) === blob.size && `sha256:${await sha256Of(target)}` === blob.digest) continue;
    await download(fetcher, {
      url: `${repository.url}/blobs/${blob.digest}`,
      target,
      sha256: blob.digest.replace("sha256:", ""),
      headers: repository.headers,
    });
  }
  return tagManifest(mirror, reference, arch, found.text, manifest.mediaType ?? found.type);
}
