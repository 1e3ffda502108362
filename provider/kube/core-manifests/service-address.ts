// Addresses inside an IPv4 range by number: the API is the first of the service range, the cluster's DNS the tenth.

export function serviceAddress(cidr: string, number: number): string {
  const [base = "", size = "32"] = cidr.split("/");
  const block = 2 ** (32 - Number(size));
  const address = base.split(".").reduce((sum, octet) => sum * 256 + Number(octet), 0);
  const value = Math.floor(address / block) * block + number;
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
}
