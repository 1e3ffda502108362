// Records what the engine proposes for the first cases of the generator:
//   node --import tsx test/oracle/record.ts
// The unit test replays the file, so it runs where there is no Go.
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { askOracle, buildOracle, questionDigest } from "../support/proposal-oracle.js";
import { vendorCase } from "../support/vendor-cases.js";

const many = 400;
const cases = Array.from({ length: many }, (_, seed) => vendorCase(seed));
const answers = askOracle(buildOracle(), cases);
const rows = cases.map((it, seed) => JSON.stringify({ seed, question: questionDigest(it), ...answers[seed] }));
writeFileSync(resolve(import.meta.dirname, "../unit/provider/shim/proposed.recorded.jsonl"), `${rows.join("\n")}\n`);
