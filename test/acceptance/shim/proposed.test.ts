// Many more cases than are recorded, beside the engine's own implementation, where Go can build it.
import { expect, it } from "vitest";
import { equalOfType } from "../../../provider/framework/equal.js";
import { decodeValue } from "../../../provider/protocol/decode-value.js";
import { proposedNew } from "../../../provider/shim/proposed.js";
import { blockType } from "../../../provider/shim/schema.js";
import { askOracle, buildOracle, hasGo } from "../../support/proposal-oracle.js";
import { vendorCase } from "../../support/vendor-cases.js";

const go = hasGo();
const many = 5000;

it.skipIf(!go)(
  `proposes what the engine proposes${go ? "" : " (left out: there is no Go)"}`,
  () => {
    const program = buildOracle();
    const first = Math.floor(Math.random() * 2 ** 31);
    const cases = Array.from({ length: many }, (_, i) => vendorCase(first + i));
    const wrong = askOracle(program, cases).flatMap((answer, i) => {
      const it = cases[i];
      if (!it || answer.error) return [`${first + i}: ${answer.error}`];
      const type = blockType(it.block);
      const engine = decodeValue(type, Buffer.from(answer.proposed ?? "", "base64"));
      return equalOfType(type, engine, proposedNew(it.block, it.prior, it.config)) ? [] : [`${first + i}: differs`];
    });
    expect(wrong).toEqual([]);
  },
  900_000,
);
