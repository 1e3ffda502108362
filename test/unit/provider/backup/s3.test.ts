import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { authorization, getChunks, getText, listKeys, presigned, S3Failed, type S3Place } from "../../../../provider/backup/s3.js";
import { type StandInS3, standInS3 } from "../../../support/stand-in-s3.js";

const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
let s3: StandInS3;
let place: S3Place;
const signal = new AbortController().signal;
beforeEach(async () => {
  s3 = await standInS3("b");
  place = { endpoint: s3.endpoint, bucket: "b", region: "r", accessKeyId: "id", secretAccessKey: "secret", ca: null };
});
afterEach(() => s3.close());

it.each([
  ["/test.txt", {}, { range: "bytes=0-9" }, "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"],
  ["/", { lifecycle: "" }, {}, "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"],
  ["/", { "max-keys": "2", prefix: "J" }, {}, "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"],
])("the manual's example of %s %o has the manual's signature", (path, query, more, wanted) => {
  const account = { region: "us-east-1", accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" };
  const stamp = "20130524T000000Z";
  const headers = { host: "examplebucket.s3.amazonaws.com", "x-amz-content-sha256": empty, "x-amz-date": stamp, ...more };
  const made = authorization(account, { method: "GET", path, query: query as Record<string, string>, headers, payload: empty }, stamp);
  expect(made.slice(made.indexOf("Signature=") + 10)).toBe(wanted);
});

it("a presigned URL is the manual's own", () => {
  const signer = { region: "us-east-1", accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" };
  const url = presigned("https://examplebucket.s3.amazonaws.com/test.txt", signer, 86_400, new Date("2013-05-24T00:00:00Z"));
  expect(url).toBe(
    "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
  );
});

it("lists page by page, with names as they are", async () => {
  for (const key of ["p/a&b", "p/c", "p/d+e", "q/x"]) s3.objects.set(key, Buffer.from(""));
  s3.page = 2;
  expect(await listKeys(place, "p/", signal)).toEqual(["p/a&b", "p/c", "p/d+e"]);
  expect(s3.asked).toHaveLength(2);
});

it("gets what stands there", async () => {
  s3.objects.set("p/x y+z", Buffer.from("hello"));
  expect(await getText(place, "p/x y+z", signal)).toBe("hello");
});

describe("what goes wrong is said with what to do", () => {
  const failure = async (work: Promise<unknown>): Promise<S3Failed> => {
    const cause = await work.then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(cause).toBeInstanceOf(S3Failed);
    return cause as S3Failed;
  };
  it.each([
    [403, "SignatureDoesNotMatch", "the secret access key is another one than the server's"],
    [403, "InvalidAccessKeyId", "does not know the access key id"],
    [403, "AccessDenied", "s3:ListBucket on the bucket and s3:GetObject"],
    [403, "RequestTimeTooSkewed", "(here it is "],
    [403, "QuotaExceeded", "the target is full: raise its quota"],
    [507, "InsufficientStorage", "the target is full: raise its quota"],
    [301, "PermanentRedirect", "at another endpoint or in another region"],
    [400, "AuthorizationHeaderMalformed", "correct the region"],
    [404, "NoSuchBucket", "there is no such bucket: correct its name"],
    [500, "InternalError", "said by the server"],
  ])("%d %s", async (status, code, words) => {
    s3.refusal = { status, code };
    const { message, ...seen } = await failure(listKeys(place, "", signal));
    expect(message).toContain(words);
    expect(seen).toMatchObject({ status, code });
  });

  it("a refusal without words", async () => {
    s3.refusal = { status: 403, code: "", body: "<html>no</html>" };
    expect((await failure(getText(place, "x", signal))).message).toMatch(/HTTP 403 Forbidden: the key may not do that/);
  });

  it("something that is no S3 server", async () => {
    s3.refusal = { status: 200, code: "", body: "<html>welcome</html>" };
    expect((await failure(listKeys(place, "", signal))).message).toContain("answers, but not as an S3 server: correct the endpoint");
  });

  it("nobody there", async () => {
    const nobody = { ...place, endpoint: "http://127.0.0.1:1" };
    const { status, message } = await failure(listKeys(nobody, "", signal));
    expect(status).toBe(0);
    expect(message).toMatch(/^http:\/\/127\.0\.0\.1:1 does not answer \(.*ECONNREFUSED.*\): look at the endpoint/);
  });

  it("a link that breaks off", async () => {
    s3.objects.set("x", Buffer.alloc(100_000));
    s3.cut = 1000;
    const read = async (): Promise<number> => {
      let size = 0;
      for await (const chunk of getChunks(place, "x", signal)) size += chunk.length;
      return size;
    };
    expect((await failure(read())).message).toContain("does not answer");
  });
});
