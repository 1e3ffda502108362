// Builds the S3 server that the tests use into the cache. Done is found again.
import { s3Program } from "../test/support/s3-server.js";

const { missing, path } = await s3Program((line) => console.log(line));
console.log(missing ?? path);
