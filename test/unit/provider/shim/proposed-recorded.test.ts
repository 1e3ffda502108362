// Proposed and normalised states beside what the engine itself made of the same cases (test/oracle/record.ts).
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { equalOfType } from "../../../../provider/framework/equal.js";
import type { ObjectValue } from "../../../../provider/framework/value.js";
import { decodeValue } from "../../../../provider/protocol/decode-value.js";
import { normalizeBlocks } from "../../../../provider/shim/normalize.js";
import { proposedNew } from "../../../../provider/shim/proposed.js";
import { blockType } from "../../../../provider/shim/schema.js";
import { type OracleAnswer, questionDigest } from "../../../support/proposal-oracle.js";
import { vendorCase } from "../../../support/vendor-cases.js";

type Recorded = OracleAnswer & { readonly seed: number; readonly question: string };
const recorded = readFileSync(new URL("./proposed.recorded.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Recorded);

it(`proposes what the engine proposes, in ${recorded.length} cases`, () => {
  expect(recorded.length).toBeGreaterThan(300);
  const wrong = recorded.filter(({ seed, question, proposed, normalized, error }) => {
    const it = vendorCase(seed);
    // the generator was changed: record again
    expect(questionDigest(it), `case ${seed}`).toBe(question);
    expect(error).toBeUndefined();
    const type = blockType(it.block);
    const decoded = (text = ""): ObjectValue => decodeValue(type, Buffer.from(text, "base64")) as ObjectValue;
    const mended = it.prior === null ? null : normalizeBlocks(it.block, it.prior);
    return (
      !equalOfType(type, decoded(proposed), proposedNew(it.block, it.prior, it.config)) ||
      (mended !== null && !equalOfType(type, decoded(normalized), mended))
    );
  });
  expect(wrong.map(({ seed }) => seed)).toEqual([]);
});
