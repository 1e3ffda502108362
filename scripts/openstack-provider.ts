// Builds the vendor's provider for OpenStack that the tests use into the cache. Done is found again.
import { openStackProvider } from "../test/support/openstack/provider.js";

const { missing, mirror } = await openStackProvider((line) => console.log(line));
console.log(missing ?? mirror);
