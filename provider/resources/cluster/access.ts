// The `access` block: how a resource reaches the cluster. The same attribute on every resource that talks to one.
import type { Attribute } from "../../framework/schema.js";
import type { ObjectValue, Value } from "../../framework/value.js";
import type { Access } from "../../kube/access.js";
import { isObject, text } from "./decode.js";

export const accessAttributes: Readonly<Record<string, Attribute>> = {
  endpoint: { type: "string", required: true, description: "URL at which the machine that runs Terraform reaches the Kubernetes API." },
  ca_bundle: {
    type: "string",
    required: true,
    sensitive: true,
    description: "PEM certificates that the API's certificate is checked against.",
  },
  client_ca_cert: {
    type: "string",
    required: true,
    sensitive: true,
    description: "PEM certificate of the CA that signs ten-minute client certificates.",
  },
  client_ca_key: { type: "string", required: true, sensitive: true, description: "PEM key of that CA." },
  server_name: {
    type: "string",
    optional: true,
    description:
      "Name that the API's certificate is checked against, where the endpoint's host is not in it: a public address that only the cloud knows. Left out: that host.",
  },
};

export const accessAttribute: Attribute = {
  nested: { mode: "single", attributes: accessAttributes },
  required: true,
  sensitive: true,
  description:
    "How to reach the cluster. Client certificates are made from it for each run and never stored. A change takes effect in place.",
};

/** False while a part is still to come: there is nobody to ask yet. */
export const isWholeAccess = (access: Value | undefined): boolean =>
  isObject(access) &&
  Object.entries(accessAttributes).every(([name, { required }]) => required !== true || typeof access[name] === "string");

export function accessFrom(value: ObjectValue): Access {
  const access = value.access as ObjectValue;
  return {
    endpoint: String(access.endpoint),
    ca_bundle: String(access.ca_bundle),
    client_ca_cert: String(access.client_ca_cert),
    client_ca_key: String(access.client_ca_key),
    server_name: text(access.server_name),
  };
}
