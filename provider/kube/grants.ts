// Permission to join for one named machine, an hour long, and the addresses that a serving certificate may carry. Both are
// written only here, where no node can write.
import type { CallOptions, KubeClient } from "./client.js";
import { configMap, type KubeObject, prefix, secret, systemNamespace } from "./object.js";
import { type Outcome, ok } from "./outcome.js";

export interface Grant {
  readonly nodeName: string;
  readonly machineId: string;
  readonly tokenId: string;
  readonly tokenSecret: string;
}
export const bootstrapGroup = "system:bootstrappers:honest-paas";
export const addressesKey = configMap("honest-paas-addresses");
const hourMs = 3_600_000;

export const grantKey = (tokenId: string) => secret(`bootstrap-token-${tokenId}`);

const base64 = (text: string): string => Buffer.from(text).toString("base64");

export function grantSecret(grant: Grant, now: number): KubeObject {
  const data = {
    "token-id": grant.tokenId,
    "token-secret": grant.tokenSecret,
    expiration: new Date(now + hourMs).toISOString().replace(/\.\d+Z$/, "Z"),
    "usage-bootstrap-authentication": "true",
    "auth-extra-groups": bootstrapGroup,
    description: `lets machine ${grant.machineId} join as ${grant.nodeName}`,
  };
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: grantKey(grant.tokenId).name,
      namespace: systemNamespace,
      annotations: { [`${prefix}node`]: grant.nodeName, [`${prefix}machine-id`]: grant.machineId },
    },
    type: "bootstrap.kubernetes.io/token",
    // `data`, not `stringData`: server-side apply keeps no track of the latter.
    data: Object.fromEntries(Object.entries(data).map(([k, v]) => [k, base64(v)])),
  };
}

/** Makes the grant, or makes it an hour long again. */
export function writeGrant(client: KubeClient, grant: Grant, options?: CallOptions): Promise<Outcome<KubeObject>> {
  return client.apply(grantSecret(grant, Date.now()), options);
}

export function revokeGrant(client: KubeClient, tokenId: string, options?: CallOptions): Promise<Outcome<boolean>> {
  return client.delete(grantKey(tokenId), options);
}

/** Adds or removes names; the others stay, since several resources write here. null removes. */
export async function writeAddresses(
  client: KubeClient,
  addresses: Readonly<Record<string, readonly string[] | null>>,
  options?: CallOptions,
): Promise<Outcome<unknown>> {
  const data = Object.fromEntries(Object.entries(addresses).map(([name, list]) => [name, list === null ? null : JSON.stringify(list)]));
  if (Object.keys(data).length === 0) return ok(undefined);
  const patched = await client.patch(addressesKey, { data }, options);
  if (patched.ok || patched.failure.kind !== "status" || patched.failure.status !== 404) return patched;
  const present = Object.fromEntries(Object.entries(data).filter((entry): entry is [string, string] => entry[1] !== null));
  const made = await client.create(
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: addressesKey.name, namespace: systemNamespace }, data: present },
    options,
  );
  // Somebody made it in between: the patch works now.
  return made.ok || made.failure.kind !== "status" || made.failure.status !== 409 ? made : client.patch(addressesKey, { data }, options);
}
