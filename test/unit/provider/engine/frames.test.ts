import { expect, it } from "vitest";
import { splitFrames } from "../../../../provider/engine/frames.js";

const frame = (stream: 1 | 2, text: string): Buffer => {
  const body = Buffer.from(text);
  const head = Buffer.alloc(8);
  head[0] = stream;
  head.writeUInt32BE(body.length, 4);
  return Buffer.concat([head, body]);
};

it("splits by stream and joins what belongs together, also inside a character", () => {
  const [a, b] = [Buffer.from("ä").subarray(0, 1), Buffer.from("ä").subarray(1)];
  const raw = (part: Buffer): Buffer => Buffer.concat([Buffer.from([1, 0, 0, 0, 0, 0, 0, part.length]), part]);
  expect(splitFrames(Buffer.concat([frame(1, "one "), frame(2, "bad"), frame(1, "two "), raw(a), raw(b)]))).toEqual({
    stdout: "one two ä",
    stderr: "bad",
  });
});

it("gives nothing for nothing and stops at a torn frame", () => {
  expect(splitFrames(Buffer.alloc(0))).toEqual({ stdout: "", stderr: "" });
  expect(splitFrames(frame(1, "whole").subarray(0, 10))).toEqual({ stdout: "wh", stderr: "" });
});
