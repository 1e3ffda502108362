import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { SealFailed, unsealedText } from "../../../../provider/backup/sealed.js";
import { seal } from "../../../support/sealed.js";
import { scratch } from "../mirror/fixture.js";

// a seal is slow on purpose
vi.setConfig({ testTimeout: 90_000 });
/** Made by cloud-init/honest_agent/sealed.py, that is by openssl. */
const made = Buffer.from(
  "SFBTRUFMMQqzSGDenJYI2cJ4+yXZBWfkA0Y5twOLrMcN4oYDIR2DSig8DFif3qaB5FFJw3S9S6UU0fiY/zNmuwvsXuclOgRfZMU4w2Dy",
  "base64",
);
const passphrase = "correct horse battery";
const opened = async (data: Buffer, key = passphrase): Promise<string> => {
  const path = join(await scratch(), "sealed");
  await writeFile(path, data);
  return unsealedText(path, key);
};

it("opens what an agent has sealed", async () => {
  expect(await opened(made)).toBe('{"format":1,"id":"x"}\n');
});

it("opens a large one, and an empty one", async () => {
  const text = "0123456789".repeat(50_000);
  expect((await opened(seal(Buffer.from(text), passphrase))) === text).toBe(true);
  expect(await opened(seal(Buffer.alloc(0), passphrase))).toBe("");
});

const flipped = (at: number): Buffer => Buffer.from(made.map((byte, n) => (n === at ? byte ^ 1 : byte)));
it.each<[string, Buffer, string, RegExp]>([
  ["another passphrase", made, "another passphrase", /the passphrase is another one, or the file was changed/],
  ["a bit of the salt", flipped(10), passphrase, /the passphrase is another one/],
  ["a bit of the content", flipped(30), passphrase, /the passphrase is another one/],
  ["the last byte gone", made.subarray(0, -1), passphrase, /the passphrase is another one/],
  ["nearly all gone", made.subarray(0, 30), passphrase, /no sealed file of honest-paas, or is cut off/],
  ["empty", Buffer.alloc(0), passphrase, /no sealed file/],
  ["something else", Buffer.from("SQLite format 3".padEnd(200)), passphrase, /no sealed file/],
])("opens nothing of %s", async (_, data, key, words) => {
  const failed = await opened(data, key).then(
    () => undefined,
    (cause: unknown) => cause,
  );
  expect(failed).toBeInstanceOf(SealFailed);
  expect((failed as Error).message).toMatch(words);
});
