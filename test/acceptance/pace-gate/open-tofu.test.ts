// Those cases in which the engine's own order and state matter most; the rest is in open-tofu.long.test.ts.
import { describe } from "vitest";
import { openTofu } from "../../support/open-tofu.js";
import { allCases, suite } from "./suite.js";

const { missing, path } = await openTofu();

describe.skipIf(missing !== null)(`pace and gate ${missing ?? ""}`, () => {
  suite(
    { engine: "tofu", program: path },
    allCases.filter((one) => one.both),
  );
});
