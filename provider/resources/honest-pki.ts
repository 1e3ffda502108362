// The trust of one cluster: authorities and service-account keys, made once, and the knowledge whether the cluster was born.
import { toSeconds } from "../../constructs/spec/duration.js";
import { shortestLife } from "../../constructs/spec/rules/certificates.js";
import { type Diagnostic, error, warning } from "../framework/diagnostic.js";
import { equalValues } from "../framework/equal.js";
import type { Resource } from "../framework/resource.js";
import type { Attribute } from "../framework/schema.js";
import { hasUnknown, isUnknown, type ObjectValue, unknown, type Value } from "../framework/value.js";
import { nextRotation, wordRotation } from "../pki/rotation.js";
import { noticeBirth } from "./pki/born.js";
import { begun, documentsFollow, moved, newbornProblem, rotationOf, rotationProblems, stepProblems } from "./pki/rotation.js";
import { readTrust, trustSeen } from "./pki/trust-seen.js";

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
const withLifetime = (bundle: Readonly<Record<string, unknown>>, lifetime: Value): string =>
  JSON.stringify({ ...bundle, leaf_seconds: leafSeconds(lifetime) });

function expiryWarning(prior: ObjectValue): readonly Diagnostic[] {
  const left = Math.floor((Date.parse(text(prior.expires_at)) - Date.now()) / dayMs);
  if (!(left < warnDays)) return [];
  const when = left < 0 ? "have ended" : `end in ${left} days`;
  const rotation = rotationOf(prior.rotation);
  const how = `${rotation === null || rotation.state === "retire" ? "Rotate them: set" : "Go on with their rotation: set"} certificates.rotation = ${wordRotation(nextRotation(rotation))} (docs/guides/ca-rotation.md)`;
  return [
    warning(
      "A certificate authority ends soon",
      `The authorities of cluster ${text(prior.cluster)} ${when} (${text(prior.expires_at)}). After that no node joins, no certificate is renewed, and the API is not believed. ${how}.`,
    ),
  ];
}

const rotationUnknown = (cluster: string): Diagnostic =>
  error(
    "A rotation is not known at plan",
    `Cluster ${cluster}: rotation is only known after apply; write its number and state as they are.`,
    ["rotation"],
  );

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
      rotation: {
        optional: true,
        description:
          "Rotation of the authorities, in three states that are applied one after another. It stays in the configuration when it is done. In place.",
        nested: {
          mode: "single",
          attributes: {
            number: { type: "number", required: true, description: "1 for a cluster's first rotation, then one more each time." },
            state: {
              type: "string",
              required: true,
              description:
                '"create": new authorities are made and trusted beside the old ones; "promote": they sign; "retire": the old ones are forgotten.',
            },
          },
        },
      },
      uid: computed("Identity of the cluster."),
      ca_cert: computed("Cluster CA, PEM."),
      ca_bundle: computed("What the API's certificate is checked against, PEM: while authorities rotate, the old and the new one."),
      client_ca_cert: computed(
        "CA of people's and the provider's client certificates, PEM; while authorities rotate, the certificate by which the one before vouches for it follows.",
      ),
      client_ca_key: computed("Its key, PEM.", true),
      etcd_ca_cert: computed("etcd CA, PEM."),
      front_proxy_ca_cert: computed("Front-proxy CA, PEM."),
      sa_pub: computed("Public half of the service-account key, PEM."),
      token_seed: computed("What join tokens are derived from, hex.", true),
      bundle: computed("Everything of the above with all keys as JSON, for honest_boot.", true),
      generation: {
        type: "number",
        computed: true,
        description: "Number of the rotation whose authorities boot documents carry; 0 = the first.",
      },
      next: computed("A rotation's new authorities with keys as JSON, from create until retire.", true),
      rotation_set: computed(
        "What machines are to trust and to sign with, as JSON, for honest_barrier; null before the first rotation.",
        true,
      ),
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
      ...rotationProblems(config.rotation),
    ];
  },

  async plan({ prior, proposed, private: held }) {
    if (proposed === null) return { planned: proposed };
    const [cluster, wanted] = [text(proposed.cluster), rotationOf(proposed.rotation)];
    if (hasUnknown(proposed.rotation ?? null)) return { planned: prior ?? proposed, diagnostics: [rotationUnknown(cluster)] };
    const replaced = ["cluster", "ca_hours", "ticket_minutes"].some((name) => !equalValues(prior?.[name] ?? null, proposed[name] ?? null));
    if (prior === null || replaced) {
      const planned = { ...proposed, generation: wanted?.number ?? 0, next: null, rotation_set: null };
      return { planned, diagnostics: newbornProblem(cluster, wanted) };
    }
    const seen = trustSeen(held);
    const problems = stepProblems(prior, wanted, seen);
    if (problems.length > 0) return { planned: prior, diagnostics: problems };
    const same = Object.fromEntries(kept.map((name) => [name, prior[name] ?? null]));
    const generation = documentsFollow(prior, wanted, seen) && wanted ? wanted.number : Number(prior.generation ?? 0);
    const { attributes, bundle } = moved(prior, wanted, generation);
    const lifetime = proposed.leaf_lifetime ?? null;
    const documents = isUnknown(lifetime) ? unknown : withLifetime(bundle, lifetime);
    return { planned: { ...proposed, ...same, ...attributes, bundle: documents }, private: held, diagnostics: expiryWarning(prior) };
  },

  async create({ planned }) {
    const { createPki } = await import("../pki/create.js");
    const { expiryOf } = await import("../pki/certificate.js");
    const { bundleOf } = await import("../pki/bundle.js");
    const generation = rotationOf(planned.rotation)?.number ?? 0;
    const made = createPki(text(planned.cluster), Number(planned.ca_hours), generation);
    const ticket = new Date(Date.now() + Number(planned.ticket_minutes) * 60_000).toISOString().replace(/\.\d+Z$/, "Z");
    const ends = [made.ca, made.clientCa, made.etcdCa, made.frontProxyCa].map((ca) => expiryOf(ca.cert).getTime());
    const bundle = bundleOf(made, { leafSeconds: leafSeconds(planned.leaf_lifetime ?? null), ticketNotAfter: ticket, generation });
    return {
      state: {
        ...planned,
        uid: made.uid,
        ca_cert: bundle.ca_cert,
        ca_bundle: bundle.ca_cert,
        client_ca_cert: bundle.client_ca_cert,
        client_ca_key: bundle.client_ca_key,
        etcd_ca_cert: bundle.etcd_ca_cert,
        front_proxy_ca_cert: bundle.front_proxy_ca_cert,
        sa_pub: bundle.sa_pub,
        token_seed: bundle.token_seed,
        bundle: JSON.stringify(bundle),
        generation,
        next: null,
        rotation_set: null,
        ticket_not_after: ticket,
        expires_at: new Date(Math.min(...ends)).toISOString(),
        born: false,
      },
    };
  },

  async read({ state, private: held }, context) {
    const endpoint = text(state.endpoint);
    // A state of before rotations knows neither.
    const whole = { ...state, ca_bundle: state.ca_bundle ?? state.ca_cert ?? null, generation: state.generation ?? 0 };
    if (state.born !== true && endpoint !== "")
      return { state: { ...whole, born: await noticeBirth(context, endpoint, text(state.ca_cert)) }, private: held };
    return { state: whole, private: await readTrust(whole, rotationOf(state.rotation), context) };
  },

  async update({ prior, planned, private: held }) {
    if (prior === null) throw new Error("an update without what was before");
    const wanted = rotationOf(planned.rotation);
    const { attributes, bundle } = moved(prior, wanted, Number(planned.generation));
    const fresh = isUnknown(attributes.next) && wanted ? begun(prior, wanted, Number(planned.ca_hours)) : {};
    return { state: { ...planned, ...attributes, ...fresh, bundle: withLifetime(bundle, planned.leaf_lifetime ?? null) }, private: held };
  },

  async delete() {
    return { state: null };
  },
};
