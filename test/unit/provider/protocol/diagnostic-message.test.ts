import { expect, it } from "vitest";
import { error, warning } from "../../../../provider/framework/diagnostic.js";
import { diagnosticMessages, pathMessage } from "../../../../provider/protocol/diagnostic-message.js";
import { attributePath } from "../../../../provider/protocol/messages.js";
import { decode, encode } from "../../../../provider/protocol/wire.js";

it("says the first element of a list and the empty key of a map, which are zero and empty on the wire", () => {
  const steps = [{ attributeName: "rules" }, { elementKeyInt: 0 }, { elementKeyString: "" }];
  const bytes = encode(attributePath, pathMessage(["rules", 0, { key: "" }]));
  expect(decode(attributePath, bytes)).toEqual({ steps });
});

it("tells errors from warnings, and leaves out a path that is not there", () => {
  expect(diagnosticMessages([error("A", "a."), warning("B", "b.", ["x"])])).toEqual([
    { severity: 1, summary: "A", detail: "a." },
    { severity: 2, summary: "B", detail: "b.", attribute: { steps: [{ attributeName: "x" }] } },
  ]);
  expect(diagnosticMessages(undefined)).toEqual([]);
});
