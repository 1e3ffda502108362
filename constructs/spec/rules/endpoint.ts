// Who reaches the API: nobody from the world whom the spec does not name.
import { formatCidr, network, parseCidr } from "../cidr.js";
import type { ClusterSpec } from "../gen/spec.js";
import type { Problem } from "../problem.js";

export function endpointRules(spec: ClusterSpec): readonly Problem[] {
  const { vpc_config: wanted } = spec;
  const at = (field: string, n?: number): Problem["path"] => ["vpc_config", field, ...(n === undefined ? [] : [n])];
  const cidrs = wanted.public_access_cidrs.flatMap((text, n) => rangeProblem(text, at("public_access_cidrs", n)));
  if (wanted.endpoint_public_access && wanted.public_access_cidrs.length === 0)
    return [
      {
        code: "endpoint.nobody",
        path: at("public_access_cidrs"),
        message: "is empty, but the endpoint is public: nobody could reach it",
        allowed: "ranges such as 203.0.113.0/24; 0.0.0.0/0 for the whole world",
        fix: "name the ranges that may reach the API, or set endpoint_public_access to false",
      },
    ];
  const unused = (field: "public_access_cidrs" | "endpoint_public_addresses"): readonly Problem[] =>
    wanted.endpoint_public_access || wanted[field].length === 0
      ? []
      : [
          {
            code: "endpoint.private",
            path: at(field),
            message: "has no effect: the endpoint is not public",
            got: wanted[field],
            fix: "leave it out, or set endpoint_public_access to true and name public_access_cidrs",
          },
        ];
  return [...cidrs, ...unused("public_access_cidrs"), ...unused("endpoint_public_addresses")];
}

/** A range of the world as firewalls take it; 0.0.0.0/0 is one. */
export function rangeProblem(text: string, path: Problem["path"]): readonly Problem[] {
  const cidr = parseCidr(text);
  if (!cidr)
    return [
      { code: "cidr.invalid", path, message: "is not an IPv4 range", got: text, allowed: "address/prefix, for example 203.0.113.0/24" },
    ];
  const straight = formatCidr(network(cidr));
  if (network(cidr).base === cidr.base) return [];
  return [{ code: "cidr.host_bits", path, message: "has bits set after its prefix", got: text, fix: `write ${straight}` }];
}
