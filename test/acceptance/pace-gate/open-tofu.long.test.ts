import { describe } from "vitest";
import { openTofu } from "../../support/open-tofu.js";
import { allCases, suite } from "./suite.js";

const { missing, path } = await openTofu();

describe.skipIf(missing !== null)(`pace and gate, every case ${missing ?? ""}`, () => {
  suite({ engine: "tofu", program: path }, allCases);
});
