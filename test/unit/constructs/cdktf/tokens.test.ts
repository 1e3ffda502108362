import { Fn, Token } from "cdktf";
import { expect, it } from "vitest";
import { unresolved } from "../../../../constructs/cdktf/tokens.js";

const token = { resolve: () => "x" };

it.each([
  ["text", { a: { b: Token.asString(token) } }, ["a.b"]],
  ["text with a token inside", { a: `x-${Token.asString(token)}` }, ["a"]],
  ["number", { a: Token.asNumber(token) }, ["a"]],
  ["list", { a: Token.asList(token) }, ["a"]],
  ["function", { a: [Fn.lower("x")] }, ["a.0"]],
  ["object", { a: token }, ["a"]],
  ["nothing", { a: [1, "x", null, undefined, true] }, []],
])("finds a token: %s", (_, value, wanted) => {
  expect(unresolved(value).map((problem) => problem.path.join("."))).toEqual(wanted);
});

it("lets keys of the backup come from elsewhere, and nothing else of it", () => {
  const key = Token.asString(token);
  const backup = { schedule: key, target: { passphrase: key, s3: { accessKeyId: key, secretAccessKey: key, bucket: key } } };
  expect(unresolved({ backup }).map((problem) => problem.path.join("."))).toEqual(["backup.schedule", "backup.target.s3.bucket"]);
});
