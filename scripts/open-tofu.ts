// Builds the OpenTofu that the tests use into the cache, unless PATH has one. Done is found again.
import { openTofu } from "../test/support/open-tofu.js";

const { missing, path } = await openTofu();
console.log(missing ?? path);
