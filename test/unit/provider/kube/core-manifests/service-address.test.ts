import { expect, it } from "vitest";
import { serviceAddress } from "../../../../../provider/kube/core-manifests/service-address.js";

it.each([
  ["10.96.0.0/16", 10, "10.96.0.10"],
  ["10.96.0.0/12", 1, "10.96.0.1"],
  ["172.20.255.0/24", 10, "172.20.255.10"],
  ["192.168.0.250/16", 10, "192.168.0.10"],
])("%s, number %i is %s", (cidr, number, address) => {
  expect(serviceAddress(cidr, number)).toBe(address);
});
