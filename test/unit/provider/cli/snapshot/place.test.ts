import { describe, expect, it } from "vitest";
import { type Io, UserError } from "../../../../../provider/cli/command.js";
import { placeOf } from "../../../../../provider/cli/snapshot/place.js";
import type { State } from "../../../../../provider/cli/terraform/state.js";

const io = (env: Readonly<Record<string, string>> = {}): Io => ({
  out: () => undefined,
  say: () => undefined,
  env,
  cwd: "/",
  signal: new AbortController().signal,
  terminal: false,
});
const s3 = {
  endpoint: "https://s3.example.com/",
  bucket: "etcd",
  prefix: "eu",
  region: null,
  access_key_id: "id",
  secret_access_key: "secret",
  ca: null,
};
const barrier = (over: object = {}) => ({
  attributes: { cluster: "demo", uid: "u", backup: { target: { s3, passphrase: "p" } }, ...over },
});
const state = (...instances: readonly object[]): State =>
  ({ resources: [{ mode: "managed", type: "honest_barrier", name: "x", instances }] }) as unknown as State;
const known = (of: State, cluster: string | null = null) => ({ state: of, folder: "stack", cluster });

describe("the target", () => {
  it("is the state's, whole", () => {
    expect(placeOf({}, io(), known(state(barrier())))).toEqual({
      s3: {
        endpoint: "https://s3.example.com",
        bucket: "etcd",
        region: "us-east-1",
        accessKeyId: "id",
        secretAccessKey: "secret",
        ca: null,
      },
      below: "eu/demo/u/",
      passphrase: "p",
    });
  });

  it("has keys and passphrase of the environment where it says some: those of before a change, or of a reader", () => {
    const env = { HONEST_PAAS_S3_ACCESS_KEY_ID: "other", HONEST_PAAS_S3_SECRET_ACCESS_KEY: "key", HONEST_PAAS_PASSPHRASE: "old" };
    const place = placeOf({}, io(env), known(state(barrier())));
    expect([place?.s3.accessKeyId, place?.s3.secretAccessKey, place?.passphrase]).toEqual(["other", "key", "old"]);
  });

  it("has no keys of AWS's variables where the state has its own: a shell sets them for something else", () => {
    const place = placeOf({}, io({ AWS_ACCESS_KEY_ID: "other", AWS_SECRET_ACCESS_KEY: "key" }), known(state(barrier())));
    expect([place?.s3.accessKeyId, place?.s3.secretAccessKey]).toEqual(["id", "secret"]);
  });

  it("is none where the configuration has none", () => {
    expect(placeOf({}, io(), known(state(barrier({ backup: null }))))).toBeUndefined();
    expect(placeOf({}, io(), known(state(barrier({ backup: { schedule: "6h", target: null } }))))).toBeUndefined();
  });

  it.each<[string, State, string | null, string]>([
    ["no cluster", state(), null, "has no cluster yet"],
    ["several", state(barrier(), barrier({ cluster: "two" })), null, "has 2 clusters: demo, two. Choose one: --cluster demo."],
    ["another name", state(barrier()), "x", 'has no cluster "x". It has: demo.'],
  ])("is refused with the names: %s", (_, of, cluster, words) => {
    expect(() => placeOf({}, io(), known(of, cluster))).toThrow(UserError);
    expect(() => placeOf({}, io(), known(of, cluster))).toThrow(words);
  });
});
