import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { gunzipSync } from "node:zlib";
import { extract } from "tar-stream";
import { expect, it } from "vitest";
import { agentArchive } from "../../../../provider/kube/agent-archive.js";

it("has the same bytes whatever the order of the files, and no time in them", () => {
  const one = agentArchive({ "main.py": "a", "api.py": "b" }, "1");
  const other = agentArchive({ "api.py": "b", "main.py": "a" }, "1");
  expect(one.archive.equals(other.archive)).toBe(true);
  expect(one.archive.subarray(4, 10)).toEqual(Buffer.from([0, 0, 0, 0, 2, 255]));
  expect(one.sha256).toBe(createHash("sha256").update(one.archive).digest("hex"));
});

it("is a tar that others read", async () => {
  const long = "x".repeat(1_500);
  const { archive } = agentArchive({ "main.py": long, "empty.py": "", "sub/ä.py": "ö" }, "1");
  const found: Record<string, string> = {};
  const reader = Readable.from([gunzipSync(archive)]).pipe(extract());
  for await (const entry of reader) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    found[entry.header.name] = Buffer.concat(chunks).toString();
  }
  expect(found).toEqual({ "main.py": long, "empty.py": "", "sub/ä.py": "ö" });
});
