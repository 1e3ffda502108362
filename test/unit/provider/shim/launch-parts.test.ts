// The parts of a launch that need no process.
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../../../provider/framework/diagnostic.js";
import { keepLastWords } from "../../../../provider/shim/last-words.js";
import { definitelyRefused, refusalStatus, worthAnotherTry } from "../../../../provider/shim/refusal.js";
import { lookUpSettled } from "../../../../provider/shim/settle.js";
import { type Vendor, VendorLost, VendorProblem } from "../../../../provider/shim/vendor.js";
import { vendorEnv } from "../../../../provider/shim/vendor-env.js";
import { parseHandshake } from "../../../../provider/shim/vendor-handshake.js";
import { compareVersions } from "../../../../provider/shim/vendor-version.js";

describe("handshake line", () => {
  it("is read, with and without the multiplex field", () => {
    const certificate = Buffer.from("certificate");
    const base64 = certificate.toString("base64").replace(/=+$/, "");
    expect(parseHandshake(`1|5|unix|/tmp/p|grpc|${base64}`)).toEqual({ protocol: 5, address: { path: "/tmp/p" }, certificate });
    expect(parseHandshake(`1|6|tcp|127.0.0.1:10000|grpc|${base64}|false\n`)).toMatchObject({
      protocol: 6,
      address: { host: "127.0.0.1", port: 10000 },
    });
  });

  it.each([
    ["hello from a dependency", /no handshake: "hello/],
    ["1|4|unix|/tmp/p|grpc|YQ", /protocol 4; 5 and 6/],
    ["1|5|unix|/tmp/p|netrpc|YQ", /netrpc, not gRPC/],
    ["1|5|unix|/tmp/p|grpc|", /no certificate/],
    ["1|5|tcp|somewhere|grpc|YQ", /neither a Unix socket nor a TCP port/],
    ["2|5|unix|/tmp/p|grpc|YQ", /no handshake/],
  ])("refuses %s", (line, why) => {
    expect(parseHandshake(line)).toMatch(why);
  });
});

it("gives the vendor credentials, and nothing that was meant for us", () => {
  const env = vendorEnv(
    { OS_AUTH_URL: "http://x", HTTPS_PROXY: "p", PLUGIN_CLIENT_CERT: "theirs", TF_REATTACH_PROVIDERS: "{}", NODE_OPTIONS: "--inspect" },
    { certPem: "ours", socketDir: "/s" },
  );
  expect(env).toMatchObject({
    OS_AUTH_URL: "http://x",
    HTTPS_PROXY: "p",
    PLUGIN_CLIENT_CERT: "ours",
    PLUGIN_UNIX_SOCKET_DIR: "/s",
    TF_LOG_SDK: "ERROR",
  });
  expect(env).not.toHaveProperty("TF_REATTACH_PROVIDERS");
  expect(env).not.toHaveProperty("NODE_OPTIONS");
  expect(vendorEnv({ TF_LOG: "trace" }, { certPem: "", socketDir: "" })).not.toHaveProperty("TF_LOG_SDK");
});

it("keeps a panic whole, and passes log lines on at their level", () => {
  const logged: string[] = [];
  const words = keepLastWords((level, message) => logged.push(`${level} ${message}`), "v");
  words.line('{"@level":"warn","@message":"slow"}');
  words.line("{not json");
  words.line("plain");
  expect(logged).toEqual(["warn slow", "debug {not json", "debug plain"]);
  expect(words.text()).toBe("{not json\nplain");
  words.line("panic: machine exploded");
  words.line("");
  words.line("goroutine 1 [running]:");
  expect(words.text()).toBe("panic: machine exploded\n\ngoroutine 1 [running]:");
});

it.each([
  ["3.4.0", "3.10.0", -1],
  ["3.0.0", "3.0.0-rc.1", 1],
  ["3.0.0-rc.2", "3.0.0-rc.10", -1],
  ["3.0.0-beta", "3.0.0-beta.1", -1],
  ["1.2.3+a", "1.2.3+b", 0],
])("compares %s with %s", (a, b, sign) => {
  expect(Math.sign(compareVersions(a, b))).toBe(sign);
  expect(Math.sign(compareVersions(b, a))).toBe(-sign + 0);
});

it.each<[string, number | null, boolean, boolean]>([
  ["Expected HTTP response code [202] when accessing [DELETE http://x], but got 409 instead", 409, true, true],
  ["operation error EC2: RunInstances, https response error StatusCode: 403", 403, true, false],
  ["Error: 404 Not Found", 404, true, false],
  ["got HTTP response code 500 with body", 500, false, true],
  ["StatusCode: 429", 429, false, true],
  ["port 443 connection refused", null, false, true],
  ["server 4041 is in state BUILD", null, false, true],
])("reads the cloud's word in %s", (detail, status, refused, again) => {
  const diagnostics: Diagnostic[] = [{ severity: "error", summary: "Error", detail }];
  expect(refusalStatus(diagnostics)).toBe(status);
  expect(definitelyRefused(diagnostics)).toBe(refused);
  expect(worthAnotherTry(diagnostics)).toBe(again);
});

describe("lookUpSettled", () => {
  const vendor = async (): Promise<Vendor> => ({}) as Vendor;
  const clock = (): { now: () => number; wait: (ms: number) => Promise<void> } => {
    let time = 0;
    return {
      now: () => time,
      async wait(ms) {
        time += ms;
      },
    };
  };

  it("believes that there is none only when the settling time has passed", async () => {
    const times: number[] = [];
    const { now, wait } = clock();
    const find = async () => {
      times.push(now());
      return { kind: "none" } as const;
    };
    expect(await lookUpSettled(vendor, { find }, {}, { since: 0, settleMs: 8000, now, wait })).toEqual({ kind: "none" });
    expect(times).toEqual([0, 1000, 3000, 7000, 8000]);
  });

  it("looks again with another vendor when one dies of it, also when it is late", async () => {
    const { now, wait } = clock();
    let deaths = 0;
    const find = async () => {
      deaths += 1;
      if (deaths < 3) throw new VendorLost("gone", "");
      return { kind: "ids", ids: ["a"] } as const;
    };
    expect(await lookUpSettled(vendor, { find }, {}, { since: -9000, settleMs: 8000, now, wait })).toEqual({ kind: "ids", ids: ["a"] });
    const given = async (): Promise<Vendor> => {
      throw new VendorProblem("The vendor's provider keeps dying", "It ended 4 times.");
    };
    expect(await lookUpSettled(given, { find }, {}, { since: -9000, settleMs: 8000, now, wait })).toMatchObject({ kind: "unknown" });
  });

  it("takes what it finds at once, and an unreachable cloud for unknown", async () => {
    const { now, wait } = clock();
    const answers = [{ kind: "unknown", diagnostics: [] } as const, { kind: "ids", ids: ["a"] } as const];
    const find = async () => answers.shift() ?? ({ kind: "none" } as const);
    expect(await lookUpSettled(vendor, { find }, {}, { since: 0, settleMs: 8000, now, wait })).toEqual({ kind: "ids", ids: ["a"] });
    expect(now()).toBe(1000);
    const deaf = async () => ({ kind: "unknown", diagnostics: [] }) as const;
    expect(await lookUpSettled(vendor, { find: deaf }, {}, { since: 0, settleMs: 10, now, wait })).toEqual({
      kind: "unknown",
      diagnostics: [],
    });
  });
});
