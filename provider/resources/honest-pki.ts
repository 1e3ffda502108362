// The trust of one cluster: authorities and service-account keys, made once, and the knowledge whether the cluster was born.
import { toSeconds } from "../../constructs/spec/duration.js";
import { shortestLife } from "../../constructs/spec/rules/certificates.js";
import { type Diagnostic, error, warning } from "../framework/diagnostic.js";
import { equalValues } from "../framework/equal.js";
import type { Resource } from "../framework/resource.js";
import type { Attribute } from "../framework/schema.js";
import { isUnknown, type ObjectValue, unknown, type Value } from "../framework/value.js";
import { noticeBirth } from "./pki/born.js";

const computed = (description: string, sensitive = false): Attribute => ({ type: "string", computed: true, sensitive, description });
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const warnDays = 90;
const dayMs = 86_400_000;

const kept = [
  "uid",
  "ca_cert",
  "client_ca_cert",
  "client_ca_key",
  "etcd_ca_cert",
  "front_proxy_ca_cert",
  "sa_pub",
  "token_seed",
  "ticket_not_after",
  "expires_at",
  "born",
];

/** Least, most, why. The longest life is what X.509's dates and a few generations of people hold. */
const limits: Readonly<Record<string, readonly [least: number, most: number, why: string]>> = {
  ca_hours: [24, 876_000, " (100 years)"],
  ticket_minutes: [5, 10_080, " (a week): whoever holds an old ticket could found a second cluster"],
};

function endpointProblem(endpoint: Value | undefined): readonly Diagnostic[] {
  if (typeof endpoint !== "string") return [];
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url?.protocol === "https:" && url.hostname !== "") return [];
  return [
    error("Not a URL of an API", `endpoint is ${JSON.stringify(endpoint)}; it is a URL such as "https://203.0.113.10:6443".`, ["endpoint"]),
  ];
}

const leafSeconds = (lifetime: Value): number => toSeconds(text(lifetime)) ?? 0;

function lifetimeProblem(lifetime: Value | undefined): readonly Diagnostic[] {
  if (typeof lifetime !== "string" || leafSeconds(lifetime) >= shortestLife) return [];
  const got = JSON.stringify(lifetime);
  return [
    error("Not a life of certificates", `leaf_lifetime is ${got}; it is a duration such as "8760h", at least "3m".`, ["leaf_lifetime"]),
  ];
}

/** The same text whenever it is made: what was planned is what is applied. */
const withLifetime = (bundle: string, lifetime: Value): string =>
  JSON.stringify({ ...(JSON.parse(bundle) as Record<string, unknown>), leaf_seconds: leafSeconds(lifetime) });

function expiryWarning(prior: ObjectValue): readonly Diagnostic[] {
  const left = Math.floor((Date.parse(text(prior.expires_at)) - Date.now()) / dayMs);
  if (!(left < warnDays)) return [];
  const when = left < 0 ? "have ended" : `end in ${left} days`;
  return [
    warning(
      "A certificate authority ends soon",
      `The authorities of cluster ${text(prior.cluster)} ${when} (${text(prior.expires_at)}). After that no node joins, no certificate is renewed, and the API is not believed.`,
    ),
  ];
}

export const honestPki: Resource = {
  name: "honest_pki",
  schema: {
    version: 0,
    description:
      "What a cluster trusts: certificate authorities (EC P-256) and service-account keys, made once and kept in state. Destroy forgets them.",
    attributes: {
      cluster: { type: "string", required: true, change: "replace", description: "Name of the cluster; part of the authorities' names." },
      endpoint: {
        type: "string",
        optional: true,
        description:
          "URL of the API as this computer reaches it. Only used to notice that the cluster was born; no ticket is issued after that.",
      },
      ca_hours: {
        type: "number",
        default: 87_600,
        change: "replace",
        description: "Life of the authorities in hours. Default 87600, ten years.",
      },
      leaf_lifetime: {
        type: "string",
        default: "8760h",
        description:
          'Life of the certificates that a control plane issues for itself at its birth, such as "8760h" (the default, one year) or "90m". Machines take a change with their next boot document; running ones are told by honest_barrier.certificate_lifetime.',
      },
      ticket_minutes: {
        type: "number",
        default: 180,
        change: "replace",
        description: "Minutes within which the cluster may be born. Default 180.",
      },
      uid: computed("Identity of the cluster."),
      ca_cert: computed("Cluster CA, PEM."),
      client_ca_cert: computed("CA of people's and the provider's client certificates, PEM."),
      client_ca_key: computed("Its key, PEM.", true),
      etcd_ca_cert: computed("etcd CA, PEM."),
      front_proxy_ca_cert: computed("Front-proxy CA, PEM."),
      sa_pub: computed("Public half of the service-account key, PEM."),
      token_seed: computed("What join tokens are derived from, hex.", true),
      bundle: computed("Everything of the above with all keys as JSON, for honest_boot.", true),
      ticket_not_after: computed("Until when the cluster may be born, RFC 3339."),
      expires_at: computed("When the first authority ends, RFC 3339."),
      born: { type: "bool", computed: true, description: "The cluster's API has been seen once. True for ever after." },
    },
  },
  importRefused: "its keys are in no place that an id could name. Keep the state, or make a new cluster.",

  async validate({ config }) {
    return [
      ...Object.entries(limits).flatMap(([name, [least, most, why]]) => {
        const given = config[name];
        return typeof given === "number" && !(given >= least && given <= most)
          ? [error(`${name} is out of range`, `${name} is ${given}; it is a number from ${least} to ${most}${why}.`, [name])]
          : [];
      }),
      ...lifetimeProblem(config.leaf_lifetime),
      ...endpointProblem(config.endpoint),
    ];
  },

  async plan({ prior, proposed }) {
    if (proposed === null || prior === null) return { planned: proposed };
    const replaced = ["cluster", "ca_hours", "ticket_minutes"].some((name) => !equalValues(prior[name] ?? null, proposed[name] ?? null));
    if (replaced) return { planned: proposed };
    const same = Object.fromEntries(kept.map((name) => [name, prior[name] ?? null]));
    const lifetime = proposed.leaf_lifetime ?? null;
    const bundle = isUnknown(lifetime) ? unknown : withLifetime(text(prior.bundle), lifetime);
    return { planned: { ...proposed, ...same, bundle }, diagnostics: expiryWarning(prior) };
  },

  async create({ planned }) {
    const { createPki } = await import("../pki/create.js");
    const { expiryOf } = await import("../pki/certificate.js");
    const { bundleOf } = await import("../pki/bundle.js");
    const made = createPki(text(planned.cluster), Number(planned.ca_hours));
    const ticket = new Date(Date.now() + Number(planned.ticket_minutes) * 60_000).toISOString().replace(/\.\d+Z$/, "Z");
    const ends = [made.ca, made.clientCa, made.etcdCa, made.frontProxyCa].map((ca) => expiryOf(ca.cert).getTime());
    const bundle = bundleOf(made, { leafSeconds: leafSeconds(planned.leaf_lifetime ?? null), ticketNotAfter: ticket });
    return {
      state: {
        ...planned,
        uid: made.uid,
        ca_cert: bundle.ca_cert,
        client_ca_cert: bundle.client_ca_cert,
        client_ca_key: bundle.client_ca_key,
        etcd_ca_cert: bundle.etcd_ca_cert,
        front_proxy_ca_cert: bundle.front_proxy_ca_cert,
        sa_pub: bundle.sa_pub,
        token_seed: bundle.token_seed,
        bundle: JSON.stringify(bundle),
        ticket_not_after: ticket,
        expires_at: new Date(Math.min(...ends)).toISOString(),
        born: false,
      },
    };
  },

  async read({ state }, context) {
    const endpoint = text(state.endpoint);
    if (state.born === true || endpoint === "") return { state };
    return { state: { ...state, born: await noticeBirth(context, endpoint, text(state.ca_cert)) } };
  },

  async update({ prior, planned }) {
    return { state: { ...planned, bundle: withLifetime(text(prior?.bundle), planned.leaf_lifetime ?? null) } };
  },

  async delete() {
    return { state: null };
  },
};
