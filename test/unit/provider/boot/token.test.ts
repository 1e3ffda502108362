import { expect, it } from "vitest";
import { workerToken } from "../../../../provider/boot/token.js";

const seed = "00".repeat(32);

it("is a bootstrap token of its own for each name and release", () => {
  const tokens = [
    workerToken(seed, "w-0", "r1"),
    workerToken(seed, "w-1", "r1"),
    workerToken(seed, "w-0", "r2"),
    workerToken("11".repeat(32), "w-0", "r1"),
  ];
  for (const token of tokens) expect(token).toMatch(/^[0-9a-f]{6}\.[0-9a-f]{16}$/);
  expect(new Set(tokens).size).toBe(4);
});

it("is frozen: machines that boot today and grants that are written tomorrow have to agree", () => {
  expect(workerToken(seed, "demo-web-a-0", "r0123456789ab")).toBe("a78e3d.ce4a08b0d52cb45f");
});
