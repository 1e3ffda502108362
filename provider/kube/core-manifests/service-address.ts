// Addresses inside an IPv4 range by number: the API is the first of the service range, the cluster's DNS the tenth.

export function serviceAddress(cidr: string, number: number): string {
  const [base = ""] = cidr.split("/");
  const value = base.split(".").reduce((sum, octet) => sum * 256 + Number(octet), 0) + number;
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
}
