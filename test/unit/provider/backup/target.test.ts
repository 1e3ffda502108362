import { expect, it, vi } from "vitest";
import { parseManifest, storedSnapshots, takenAt } from "../../../../provider/backup/target.js";
import { putSnapshot, standInS3 } from "../../../support/stand-in-s3.js";

// a seal is slow on purpose
vi.setConfig({ testTimeout: 90_000 });

it.each([
  ["20261130T120000Z-prod-cp-a", "2026-11-30T12:00:00Z"],
  ["20261130T120000Z", null],
  ["notes", null],
  ["20261130T120000Z-../x", null],
])("%s was taken at %s", (id, wanted) => {
  expect(takenAt(id)).toBe(wanted);
});

const id = "20261130T120000Z-a";
const proof = {
  name: "x",
  cluster_uid: "u",
  number: 0,
  node: "a",
  version: "1.36.3",
  etcd_version: "3.6.16",
  size: 1,
  sha256: "s",
  revision: 1,
  keys: 1,
};
const object = (name: string) => ({ name, size: 1, sha256: "s" });
const manifest = { format: 1, id, cluster: "demo", proof, objects: { etcd: object("etcd.sealed"), set: object("set.sealed") } };

it.each<[string, unknown, string]>([
  ["of a later format", { ...manifest, format: 2 }, "has format 2; this version of the tool reads format 1"],
  ["of another snapshot", { ...manifest, id: "20261130T120000Z-b" }, "is not whole"],
  ["without a proof", { ...manifest, proof: { ...proof, size: "1" } }, "is not whole"],
  ["without an object", { ...manifest, objects: { etcd: object("etcd.sealed") } }, "is not whole"],
  ["that leads elsewhere", { ...manifest, objects: { etcd: object("../etcd.sealed"), set: object("set.sealed") } }, "is not whole"],
  ["null", null, "has format undefined"],
])("a manifest %s cannot be used", (_, data, words) => {
  expect(parseManifest(JSON.stringify(data), id)).toContain(words);
});

it("that is no JSON, and one that is whole", () => {
  expect(parseManifest("{", id)).toBe("its manifest is no JSON");
  expect(parseManifest(JSON.stringify({ ...manifest, more: 1 }), id)).toMatchObject({ id, proof });
});

it("finds what has a manifest, of all clusters below a prefix, oldest first", async () => {
  const s3 = await standInS3("b");
  const place = { endpoint: s3.endpoint, bucket: "b", region: "r", accessKeyId: "i", secretAccessKey: "s", ca: null };
  putSnapshot(s3, "p/two/v/", "20261130T130000Z-b", "a passphrase");
  putSnapshot(s3, "p/one/u/", id, "a passphrase");
  s3.objects.set("p/one/u/20261130T140000Z-a/etcd.sealed", Buffer.from("under way"));
  s3.objects.set("p/one/u/notes/manifest.json", Buffer.from("{}"));
  s3.objects.set("manifest.json", Buffer.from("{}"));
  const signal = new AbortController().signal;
  const all = await storedSnapshots(place, "p/", signal);
  expect(all.map((one) => one.folder)).toEqual([`p/one/u/${id}/`, "p/two/v/20261130T130000Z-b/"]);
  expect(await storedSnapshots(place, "p/three/", signal)).toEqual([]);
  await s3.close();
});
