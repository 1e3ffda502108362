import { expect, it } from "vitest";
import { parseShape } from "../../../../provider/engine/machine-shape.js";

it.each([
  ["local.cpu2.mem2048", { cpus: 2, memoryMib: 2048 }],
  ["local.cpu0.5.mem512", { cpus: 0.5, memoryMib: 512 }],
  ["4x8192", { cpus: 4, memoryMib: 8192 }],
])("%s", (text, shape) => {
  expect(parseShape(text)).toEqual(shape);
});

it.each(["", "m5.large", "local.cpu2", "local.cpu0.mem512", "2x64", "2x", "-1x512", "999x1024"])("refuses %j", (text) => {
  expect(parseShape(text)).toBeNull();
});
