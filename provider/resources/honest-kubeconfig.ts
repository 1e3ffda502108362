// honest_kubeconfig: a kubeconfig for this run only. Ephemeral: neither state nor plan ever holds the key.
import { type Diagnostic, error } from "../framework/diagnostic.js";
import type { EphemeralResource } from "../framework/resource.js";
import { accessAttribute, accessFrom } from "./cluster/access.js";
import { text, texts } from "./cluster/decode.js";

const maxMinutes = 24 * 60;

export const honestKubeconfig: EphemeralResource = {
  name: "honest_kubeconfig",
  schema: {
    version: 0,
    description: "A kubeconfig with a client certificate of its own, made for this run and stored nowhere.",
    attributes: {
      cluster: { type: "string", required: true, description: "Name of the cluster: name of the context." },
      access: accessAttribute,
      user: { type: "string", optional: true, description: 'User in the certificate. Default "honest-paas:terraform".' },
      groups: {
        type: { list: "string" },
        optional: true,
        description: 'Groups in the certificate. Default ["kubeadm:cluster-admins"], bound to cluster-admin.',
      },
      ttl_minutes: { type: "number", optional: true, description: "Minutes that the certificate is valid, 1 to 1440. Default 10." },
      kubeconfig: { type: "string", computed: true, sensitive: true, description: "The kubeconfig (YAML; JSON is YAML)." },
    },
  },

  async validate({ config }) {
    const minutes = config.ttl_minutes;
    const bad = typeof minutes === "number" && (!Number.isInteger(minutes) || minutes < 1 || minutes > maxMinutes);
    return bad
      ? [
          error("Not a life time", `ttl_minutes is ${minutes}. Allowed: whole minutes, 1 to ${maxMinutes}.`, [
            "ttl_minutes",
          ]) satisfies Diagnostic,
        ]
      : [];
  },

  async open({ config }) {
    const access = accessFrom(config);
    const cluster = String(config.cluster);
    const user = text(config.user) ?? "honest-paas:terraform";
    const groups = texts(config.groups);
    const { issueClient } = await import("../pki/issue.js");
    const { cert, key } = await issueClient({
      caCert: access.client_ca_cert,
      caKey: access.client_ca_key,
      commonName: user,
      organizations: groups.length ? [...groups] : ["kubeadm:cluster-admins"],
      minutes: typeof config.ttl_minutes === "number" ? config.ttl_minutes : 10,
    });
    const kubeconfig = kubeconfigText({
      cluster,
      user,
      endpoint: access.endpoint,
      serverName: access.server_name ?? null,
      caBundle: access.ca_bundle,
      cert,
      key,
    });
    return { result: { ...config, kubeconfig } };
  },
};

export function kubeconfigText(of: {
  readonly cluster: string;
  readonly user: string;
  readonly endpoint: string;
  /** What the API's certificate is checked against; null: the endpoint's host. */
  readonly serverName: string | null;
  readonly caBundle: string;
  readonly cert: string;
  readonly key: string;
}): string {
  const base64 = (pem: string) => Buffer.from(pem).toString("base64");
  const context = `${of.user}@${of.cluster}`;
  return `${JSON.stringify(
    {
      apiVersion: "v1",
      kind: "Config",
      clusters: [
        {
          name: of.cluster,
          cluster: {
            server: of.endpoint,
            ...(of.serverName === null ? {} : { "tls-server-name": of.serverName }),
            "certificate-authority-data": base64(of.caBundle),
          },
        },
      ],
      users: [{ name: of.user, user: { "client-certificate-data": base64(of.cert), "client-key-data": base64(of.key) } }],
      contexts: [{ name: context, context: { cluster: of.cluster, user: of.user } }],
      "current-context": context,
    },
    null,
    2,
  )}\n`;
}
