import { describe, expect, it } from "vitest";
import { shortestWords, toSeconds } from "../../../../constructs/spec/duration.js";

describe("toSeconds", () => {
  it.each([
    ["8760h", 31_536_000],
    ["1h30m", 5_400],
    ["90s", 90],
    ["0s", 0],
    ["", undefined],
    ["5", undefined],
    ["1.5h", undefined],
    ["-5m", undefined],
    ["5m ", undefined],
    ["1d", undefined],
  ])("%j is %j", (text, seconds) => {
    expect(toSeconds(text)).toBe(seconds);
  });
});

describe("shortestWords", () => {
  it.each([
    [10_512_000, "2920h"],
    [5_400, "90m"],
    [61, "61s"],
    [0, "0s"],
  ])("%d s is %s", (seconds, words) => {
    expect(shortestWords(seconds)).toBe(words);
    expect(toSeconds(words)).toBe(seconds);
  });
});
