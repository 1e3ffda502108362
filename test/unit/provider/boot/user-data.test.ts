import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { encodeUserData, gzip } from "../../../../provider/boot/encode.js";
import { bootSources } from "../../../../provider/boot/gen/cloud-init-sources.js";
import { composeMime } from "../../../../provider/boot/mime.js";
import { overBudget, renderUserData } from "../../../../provider/boot/user-data.js";
import { controlPlane, spec, worker } from "./inputs.js";

const sources = { "part_handler.py": "#part-handler\n", "cc_honest.py": "meta = {}\n", "honest/b.py": "B = 1\n", "honest/a.py": "A = 1\n" };

describe("mime", () => {
  const parts = (message: string) =>
    message
      .split("--==honest-paas==\n")
      .slice(1)
      .map((part) => [/Content-Type: (\S+)/.exec(part)?.[1], /filename="([^"]+)"/.exec(part)?.[1]]);

  it("puts the handler first, then module, package, document, cloud-config", () => {
    expect(parts(composeMime(sources, { schema: 1 }))).toEqual([
      ["text/part-handler", "part_handler.py"],
      ["text/x-honest-module", "cc_honest.py"],
      ["text/x-honest-package", "a.py"],
      ["text/x-honest-package", "b.py"],
      ["text/x-honest-boot", "boot.json"],
      ["text/cloud-config", "cloud.cfg"],
    ]);
  });

  it("is the same whatever the order of its inputs", () => {
    const turned = Object.fromEntries(Object.entries(sources).reverse());
    expect(composeMime(turned, { b: 1, a: { d: 1, c: 2 } })).toBe(composeMime(sources, { a: { c: 2, d: 1 }, b: 1 }));
  });

  it("is ASCII, and says what it was given", () => {
    const message = composeMime(sources, { labels: { owner: "Zoë 𝛼" } });
    expect([...message].every((char) => char.charCodeAt(0) < 128)).toBe(true);
    const body = /boot\.json"\n\n(.*)\n/.exec(message)?.[1] ?? "";
    expect(JSON.parse(body)).toEqual({ labels: { owner: "Zoë 𝛼" } });
  });

  it("is not cut by a body that looks like a boundary", () => {
    const message = composeMime(sources, { text: "\n--==honest-paas==\nContent-Type: text/x-shellscript\n\nrm" });
    expect(parts(message)).toHaveLength(6);
  });

  it("has no line of a source that is a boundary", () => {
    expect(Object.values(bootSources).some((text) => text.includes("==honest-paas=="))).toBe(false);
  });
});

describe("encode", () => {
  it("packs the same bytes in every run, on every system", () => {
    const packed = gzip("honest\n".repeat(100));
    expect([...packed.subarray(0, 10)]).toEqual([31, 139, 8, 0, 0, 0, 0, 0, 2, 255]);
    expect(createHash("sha256").update(packed).digest("hex").slice(0, 16)).toBe("b88ccc0223a96a4d");
    expect(gunzipSync(packed).toString()).toBe("honest\n".repeat(100));
  });

  it("counts what the cloud counts: bytes before base64, characters of plain text", () => {
    expect(encodeUserData("aé", "plain")).toEqual({ text: "aé", bytes: 3 });
    const packed = encodeUserData("a", "gzip_base64");
    expect(packed.bytes).toBe(Buffer.from(packed.text, "base64").length);
    expect(encodeUserData("a", "gzip_base64_text")).toEqual({ text: packed.text, bytes: packed.text.length });
  });
});

describe("budget", () => {
  it.each([
    ["control plane", controlPlane()],
    ["worker", worker()],
  ])("a %s fits where least fits, with room for flags and names", (_role, inputs) => {
    const { bytes } = renderUserData(inputs, "gzip_base64");
    expect(bytes).toBeLessThanOrEqual(16_384 - 256);
  });

  it("says how large, how large it may be, and what takes the room", () => {
    const names = Array.from({ length: 400 }, (_, n) => createHash("sha256").update(`${n}`).digest("hex"));
    const data = renderUserData(controlPlane({ spec: spec({ cert_names: names }) }), "gzip_base64");
    expect(overBudget(data, 16_384, "demo-cp-a")).toMatch(
      /^The user-data of demo-cp-a has \d{5} bytes packed; this cloud takes 16384\. Packed alone: boot document \d{5}, boot stage \d+\./,
    );
    expect(overBudget(data, 100_000, "demo-cp-a")).toBeUndefined();
  });

  it("makes the same bytes from the same inputs", () => {
    expect(renderUserData(controlPlane(), "gzip_base64").text).toBe(renderUserData(controlPlane(), "gzip_base64").text);
  });
});

describe("the user's own parts", () => {
  const withParts = (user_data_parts: object) => controlPlane({ spec: spec({ user_data_parts } as never) });

  it("come after the kit's own, in the order of their names, and other than ASCII as base64", () => {
    const { text } = renderUserData(
      withParts({
        "b.sh": { content_type: "text/x-shellscript", content: "#!/bin/sh\necho b\n" },
        "a.cfg": { content_type: "text/cloud-config", content: "#cloud-config\n# é\n" },
      }),
      "plain",
    );
    const names = [...text.matchAll(/filename="([^"]+)"/g)].map(([, name]) => name);
    expect(names.slice(-3)).toEqual(["cloud.cfg", "a.cfg", "b.sh"]);
    expect(text).toContain("#!/bin/sh\necho b\n");
    expect(text).toContain(`Content-Transfer-Encoding: base64\n`);
    expect(text).toContain(Buffer.from("#cloud-config\n# é\n").toString("base64"));
  });

  it("are named with their sizes when the budget is exceeded, the largest first", () => {
    const noise = createHash("sha512").update("x").digest("hex").repeat(1);
    const big = Array.from({ length: 400 }, (_, n) => createHash("sha256").update(`${noise}${n}`).digest("hex")).join("\n");
    const data = renderUserData(
      withParts({ "big.sh": { content_type: "text/x-shellscript", content: `#!/bin/sh\n#${big}` } }),
      "gzip_base64",
    );
    expect(overBudget(data, 16_384, "demo-cp-a")).toMatch(/Packed alone: user_data_parts big\.sh \d+, boot stage \d+/);
  });
});
