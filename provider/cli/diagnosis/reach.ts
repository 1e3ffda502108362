// What the way to the endpoint says: name, connection, handshake, clock, answer. Pure.

import { timeOf } from "../status/words.js";
import type { Evidence, Finding, Reach } from "./evidence.js";
import { lackOfQuorum, readConsoles } from "./machines.js";

type Tls = Extract<Reach, { kind: "tls" }>;

/** Clocks of computers that are kept agree within a second; tickets and tokens bear five minutes. */
const skewMs = 60_000;
const strangers = /UNABLE_TO_VERIFY|SELF_SIGNED|UNABLE_TO_GET_ISSUER|CERT_SIGNATURE|CERT_UNTRUSTED|INVALID_CA/;
export function ofReach(evidence: Evidence): readonly Finding[] {
  const { reach } = evidence;
  switch (reach.kind) {
    case "unresolved":
      return [
        {
          cause: "dns",
          sureness: "certain",
          text: `The name of the endpoint, ${reach.name}, has no address on this computer.`,
          evidence: [reach.words],
          fix: [
            `Mend the DNS record of ${reach.name} or this computer's resolver, or set access.endpoint to a name or address that works from here.`,
          ],
        },
      ];
    case "silent":
      return ofSilence(evidence, reach);
    case "cut":
      return ofCut(evidence, reach.words);
    case "tls":
      return ofHandshake(evidence, reach);
    default:
      return reach satisfies never;
  }
}

function ofSilence(evidence: Evidence, { code, words }: Extract<Reach, { kind: "silent" }>): readonly Finding[] {
  const { endpoint, balancer, machines } = evidence;
  const gone = balancer === "stopped" || balancer === "gone";
  const why = gone
    ? `the balancer ${balancer === "gone" ? "is not there" : "does not run"}`
    : code === "ETIMEDOUT"
      ? "packets are lost on the way"
      : "nobody listens there";
  const living = (machines ?? []).filter((m) => m.role === "control-plane" && m.running).map((m) => m.name);
  return [
    {
      cause: "endpoint",
      sureness: gone ? "certain" : "likely",
      text: `Nobody answers at ${endpoint}: ${why}.`,
      evidence: [words, ...(living.length > 0 ? [`control planes that run: ${living.join(", ")}`] : [])],
      fix: gone
        ? ["terraform apply starts the balancer or makes it anew; machines stay as they are."]
        : [
            "See in your cloud whether the balancer (or, with one control plane, its machine) runs and its address is the endpoint's.",
            "See whether a firewall, a VPN or vpc_config.public_access_cidrs keeps this computer out; access.endpoint and access.proxy_url say how this computer reaches the API.",
          ],
    },
  ];
}

function ofCut(evidence: Evidence, words: string): readonly Finding[] {
  const { endpoint, controlPlanes, machines } = evidence;
  const seen = `${endpoint} takes a connection and ends it before the handshake: ${words}`;
  const known = lackOfQuorum(evidence);
  if (known) return [{ ...known, evidence: [...known.evidence, seen] }];
  return [
    {
      cause: "no-quorum",
      sureness: "possible",
      text: "No API server serves behind the endpoint: most often etcd has no quorum.",
      evidence: [seen],
      fix: [
        machines === null
          ? readConsoles(controlPlanes)
          : "Run honest-paas doctor again in a minute: machines say after 30 s what they see.",
        "terraform apply starts or makes anew the machines that are gone or off.",
      ],
    },
  ];
}

function ofHandshake(evidence: Evidence, reach: Tls): readonly Finding[] {
  const clock = ofClock(evidence, reach);
  const certificate = ofCertificate(evidence, reach, clock.length > 0);
  return [...clock, ...certificate, ...ofAnswer(evidence, reach, clock.length > 0 || certificate.length > 0)];
}

/** Both clocks are known: the certificate's dates do not have to be asked who is right. */
function ofClock({ now, controlPlanes }: Evidence, { clock, certificate }: Tls): readonly Finding[] {
  if (clock === null || Math.abs(clock - now) < skewMs) return [];
  const away = Math.round(Math.abs(clock - now) / 1000);
  const inside = (at: number): boolean => at >= certificate.notBefore && at <= certificate.notAfter;
  const mine = !inside(now) && inside(clock);
  return [
    {
      cause: "clock",
      sureness: "certain",
      text: mine
        ? `This computer's clock is ${away} s ${now > clock ? "ahead" : "behind"}: by the API server's clock its certificate is valid.`
        : `The clocks of this computer and of the API server are ${away} s apart.`,
      evidence: [
        `here ${timeOf(now)}, there ${timeOf(clock)}`,
        `its certificate is valid from ${timeOf(certificate.notBefore)} to ${timeOf(certificate.notAfter)}`,
      ],
      fix: [
        mine
          ? "Set this computer's clock (timedatectl set-ntp true)."
          : `See which one is wrong and let it follow a time server: on machines chronyc tracking or timedatectl; control planes are ${controlPlanes.join(", ")}.`,
      ],
    },
  ];
}

function ofCertificate({ endpoint, now }: Evidence, { problem, certificate, clock }: Tls, clocksDiffer: boolean): readonly Finding[] {
  if (problem === null) return [];
  const { notBefore, notAfter, names, issuer } = certificate;
  const what = (text: string, evidence: readonly string[], fix: readonly string[]): readonly Finding[] => [
    { cause: "certificate", sureness: "certain", text, evidence: [problem, ...evidence], fix },
  ];
  if (problem === "CERT_HAS_EXPIRED" || problem === "CERT_NOT_YET_VALID") {
    const there = clock ?? now;
    // by the server's own clock it is valid: that is the clock's finding
    if (clocksDiffer && there >= notBefore && there <= notAfter) return [];
    if (now < notBefore)
      return [
        {
          cause: "clock",
          sureness: "likely",
          text: `The certificate at ${endpoint} begins at ${timeOf(notBefore)}, which is not yet: the clock was wrong here or where it was made.`,
          evidence: [problem, `here it is ${timeOf(now)}`],
          fix: ["Compare this computer's clock with a time server, then those of the control planes."],
        },
      ];
    return what(
      `The certificate at ${endpoint} ended at ${timeOf(notAfter)} and was not renewed.`,
      [`here it is ${timeOf(now)}${clock === null ? "" : `, there ${timeOf(clock)}`}`],
      [
        "An agent renews it by itself within minutes after its machine is on: see on a control plane journalctl -u honest-agent for why it did not.",
        "When machines were off for long, start them and wait two minutes, then terraform apply lets the workers in again.",
      ],
    );
  }
  if (problem === "ERR_TLS_CERT_ALTNAME_INVALID")
    return what(
      `The certificate at ${endpoint} is for other names.`,
      [`it names ${names || "none"}`],
      ["Use one of those names in access.endpoint, or add the name to control_plane.cert_names and apply; control planes roll for it."],
    );
  if (strangers.test(problem))
    return what(
      `The certificate at ${endpoint} is not signed by this cluster's CA.`,
      [`it was issued by ${issuer || "nobody named"}`],
      [
        "Another cluster or a proxy that opens TLS answers at that address, or this state is older than the last rotation of the CA: compare with terraform output honest_access, and pull the newest state.",
      ],
    );
  return what(`The certificate at ${endpoint} is refused.`, [], ["Look at it: openssl s_client -showcerts -connect HOST:PORT."]);
}

/** The handshake is good, the answer is not. */
function ofAnswer(evidence: Evidence, { status, body, problem }: Tls, explained: boolean): readonly Finding[] {
  const { refused, endpoint, controlPlanes, machines } = evidence;
  if (refused === null) return [];
  if (refused.kind === "status" && refused.status === 401)
    return explained
      ? []
      : [
          {
            cause: "certificate",
            sureness: "likely",
            text: "The API server does not know the client CA of this state.",
            evidence: [`${refused.status} ${refused.reason}`],
            fix: ["Pull the newest state; if it is, a machine with older documents serves: honest-paas converge."],
          },
        ];
  const failing = [...body.matchAll(/^\[-\](\S+)/gm)].map((match) => match[1] ?? "");
  if (failing.some((check) => check.startsWith("etcd"))) {
    const known = lackOfQuorum(evidence);
    const seen = `the API server's /readyz: ${failing.join(", ")} failed`;
    if (known) return [{ ...known, evidence: [...known.evidence, seen] }];
    return [
      {
        cause: "no-quorum",
        sureness: "likely",
        text: "The API server runs and its etcd does not answer.",
        evidence: [seen],
        fix: [
          machines === null ? readConsoles(controlPlanes) : "See on a control plane journalctl -u honest-etcd.",
          "terraform apply starts or makes anew the machines that are gone or off.",
        ],
      },
    ];
  }
  if (status !== null && problem === null && body !== "" && !/^\[[+-]\]|^ok|"kind"/m.test(body))
    return [
      {
        cause: "endpoint",
        sureness: "likely",
        text: `Something else than a Kubernetes API answers at ${endpoint}.`,
        evidence: [`${status}: ${body.replace(/\s+/g, " ").slice(0, 120)}`],
        fix: ["See who has the address; the port of access.endpoint may be another service's."],
      },
    ];
  return [];
}
