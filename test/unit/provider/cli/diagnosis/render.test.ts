import { expect, it } from "vitest";
import { diagnosisText } from "../../../../../provider/cli/diagnosis/render.js";
import { evidence } from "./evidence.js";

it("numbers the findings, the best first, with what was seen and what to do", () => {
  const text = diagnosisText(evidence(), [
    {
      cause: "no-quorum",
      sureness: "certain",
      text: "etcd has no quorum.",
      evidence: ["demo-cp-a does not run"],
      fix: ["terraform apply"],
    },
    { cause: "dns", sureness: "possible", text: "No CoreDNS pod serves.", evidence: [], fix: ["look"] },
  ]);
  expect(text).toBe(`demo  https://127.0.0.1:26443

1. no quorum (certain): etcd has no quorum.
     seen: demo-cp-a does not run
     do:   terraform apply

2. DNS (possible): No CoreDNS pod serves.
     do:   look
`);
});

it("says so when nothing is found", () => {
  expect(diagnosisText(evidence(), [])).toBe("demo  https://127.0.0.1:26443\nnothing is found\n");
});
