// Sets of evidence: endpoint, quorum, clocks, certificates, disks.
import { cut, dead, distress, evidence, hour, iso, machine, machines, node, now, pod, second, silent, tls } from "./evidence.js";
import type { Row } from "./row.js";

const expired = { notBefore: now - 3 * hour, notAfter: now - hour, names: "DNS:demo-api", issuer: "CN=demo" };
const certificates = (items: object, problem: string | null = null) => ({
  annotations: { "honest-paas.dev/certificates": JSON.stringify({ items, problem }) },
});

export const rows: readonly Row[] = [
  // endpoint and no quorum: both silent to a client
  [
    "endpoint: balancer stopped",
    dead(silent(), { balancer: "stopped", machines: machines() }),
    "endpoint",
    "certain",
    /the balancer does not run/,
  ],
  ["endpoint: balancer removed", dead(silent(), { balancer: "gone", machines: machines() }), "endpoint", "certain", /is not there/],
  ["endpoint: refused on a cloud", dead(silent()), "endpoint", "likely", /nobody listens there/],
  ["endpoint: packets lost", dead(silent("ETIMEDOUT")), "endpoint", "likely", /packets are lost/],
  [
    "endpoint: another service answers",
    dead(tls({ body: "<html>Welcome to nginx</html>", status: 200 })),
    "endpoint",
    "likely",
    /Something else than a Kubernetes API/,
  ],
  [
    "no quorum: two of three machines are off",
    dead(cut, { balancer: "runs", machines: machines({ "demo-cp-a": { running: false }, "demo-cp-c": { running: false } }) }),
    "no-quorum",
    "certain",
    /1 of 3 members can answer, 2 needed/,
  ],
  [
    "no quorum: etcd stopped on two machines that run",
    dead(cut, {
      balancer: "runs",
      machines: machines({
        "demo-cp-a": { distress: distress({ etcd: "inactive" }) },
        "demo-cp-b": { distress: distress({ etcd: "inactive" }) },
        "demo-cp-c": { distress: distress({ etcd: "active, no answer" }) },
      }),
    }),
    "no-quorum",
    "certain",
    /1 of 3 members can answer/,
  ],
  [
    "no quorum: one member sees one of three",
    dead(cut, { machines: machines({ "demo-cp-c": { distress: distress({ etcd: "active, 1 of 3 members answer" }) } }) }),
    "no-quorum",
    "certain",
    /etcd has no quorum/,
  ],
  [
    "no quorum: a machine was deleted, another is off",
    dead(cut, { machines: [machine("demo-cp-a"), machine("demo-cp-b", { running: false })] }),
    "no-quorum",
    "certain",
    /1 of 3/,
  ],
  ["no quorum: on a cloud the balancer cuts", dead(cut), "no-quorum", "possible", /No API server serves/],
  [
    "no quorum: the API server says that etcd fails",
    dead(tls({ status: 500, body: "[+]ping ok\n[-]etcd failed: reason withheld\nreadyz check failed" })),
    "no-quorum",
    "likely",
    /its etcd does not answer/,
  ],
  [
    "no quorum is near",
    evidence({ etcd: { "demo-cp-a": "answers", "demo-cp-b": "dead", "demo-cp-c": "answers" } }),
    "no-quorum",
    "likely",
    /one member away/,
  ],
  // clock and certificate: both end in a certificate that is refused
  [
    "clock: here ahead, so that all is expired",
    dead(tls({ problem: "CERT_HAS_EXPIRED", certificate: expired, clock: now - 2 * hour })),
    "clock",
    "certain",
    /This computer's clock is 7200 s ahead/,
  ],
  [
    "clock: here behind",
    dead(
      tls({
        problem: "CERT_NOT_YET_VALID",
        certificate: { ...expired, notBefore: now + hour, notAfter: now + 90 * hour },
        clock: now + 2 * hour,
      }),
    ),
    "clock",
    "certain",
    /behind/,
  ],
  [
    "clock: a certificate of the future, nobody's clock known",
    dead(
      tls({ problem: "CERT_NOT_YET_VALID", certificate: { ...expired, notBefore: now + hour, notAfter: now + 90 * hour }, clock: null }),
    ),
    "clock",
    "likely",
    /which is not yet/,
  ],
  ["clock: five minutes apart, all valid", evidence({ reach: tls({ clock: now + 300 * second }) }), "clock", "certain", /300 s apart/],
  [
    "clock: one node is ahead",
    evidence({ nodes: [node("demo-w-1", { agentAt: now + 600 * second })] }),
    "clock",
    "likely",
    /demo-w-1 is 600 s ahead/,
  ],
  [
    "clock: a machine that waits for it at birth",
    dead(cut, {
      controlPlanes: ["demo-cp-a"],
      machines: [
        machine("demo-cp-a", {
          marker: { stage: "etcd birth", ok: false, reason: "its clock is not synchronised yet, so its ticket proves nothing" },
        }),
      ],
    }),
    "clock",
    "certain",
    /not synchronised/,
  ],
  [
    "certificate: ended, and both clocks say so",
    dead(tls({ problem: "CERT_HAS_EXPIRED", certificate: expired })),
    "certificate",
    "certain",
    /ended at 2026-06-01T11:00:00Z and was not renewed/,
  ],
  [
    "certificate: ended, the server's clock is unknown",
    dead(tls({ problem: "CERT_HAS_EXPIRED", certificate: expired, clock: null })),
    "certificate",
    "certain",
    /was not renewed/,
  ],
  ["certificate: another name", dead(tls({ problem: "ERR_TLS_CERT_ALTNAME_INVALID" })), "certificate", "certain", /for other names/],
  [
    "certificate: another authority",
    dead(tls({ problem: "SELF_SIGNED_CERT_IN_CHAIN" })),
    "certificate",
    "certain",
    /not signed by this cluster's CA/,
  ],
  [
    "certificate: the client's authority is not known",
    evidence({ refused: { kind: "status", status: 401, reason: "Unauthorized", message: "Unauthorized" }, nodes: [] }),
    "certificate",
    "likely",
    /does not know the client CA/,
  ],
  [
    "certificate: etcd's have ended, so nobody serves",
    dead(cut, {
      controlPlanes: ["demo-cp-a"],
      machines: [
        machine("demo-cp-a", { distress: distress({ etcd: "active, no answer", certificates: "ended: etcd-peer, etcd-server" }) }),
      ],
    }),
    "certificate",
    "certain",
    /ended: etcd-peer, etcd-server/,
  ],
  [
    "certificate: a worker is locked out",
    evidence({ nodes: [node("demo-w-1", { ready: false, ...certificates({ "kubelet-client": { not_after: iso(now - hour) } }) })] }),
    "certificate",
    "certain",
    /locked out/,
  ],
  [
    "certificate: a renewal fails",
    evidence({
      nodes: [node("demo-cp-a", certificates({ apiserver: { not_after: iso(now + hour) } }, "apiserver: renew failed: openssl"))],
    }),
    "certificate",
    "certain",
    /not as they should be/,
  ],
  ["certificate: an authority", evidence({ authorities: { "etcd CA": now - hour } }), "certificate", "certain", /The etcd CA ended/],
  // disk
  [
    "disk: etcd's is full, so etcd does not run",
    dead(cut, {
      controlPlanes: ["demo-cp-a"],
      balancer: "runs",
      machines: [machine("demo-cp-a", { distress: distress({ etcd: "activating", "disk etcd": "100%" }) })],
    }),
    "disk",
    "certain",
    /etcd disk of demo-cp-a is full \(100%\)/,
  ],
  [
    "disk: etcd's is not mounted",
    dead(cut, { machines: machines({ "demo-cp-a": { distress: distress({ etcd: "failed", "disk etcd": "not mounted" }) } }) }),
    "disk",
    "certain",
    /is not mounted/,
  ],
  [
    "disk: a foreign one at boot",
    evidence({
      machines: machines({
        "demo-cp-b": { marker: { stage: "etcd disk", ok: false, reason: "the etcd disk is not this machine's: it is of cluster other" } },
      }),
    }),
    "disk",
    "certain",
    /not what it waits for/,
  ],
  [
    "disk: a node's",
    evidence({
      nodes: [
        {
          ...node("demo-w-1"),
          status: { conditions: [{ type: "DiskPressure", status: "True", message: "kubelet has disk pressure" }] },
        },
      ],
    }),
    "disk",
    "certain",
    /disk of node demo-w-1 is full/,
  ],
  [
    "disk: etcd is out of space, says its agent",
    evidence({
      nodes: [
        node("demo-cp-a", { annotations: { "honest-paas.dev/health": JSON.stringify({ problems: ["etcd raised NOSPACE"], healed: [] }) } }),
      ],
    }),
    "disk",
    "certain",
    /full/,
  ],
  [
    "disk: pods were evicted",
    evidence({
      pods: [pod("web", { status: { phase: "Failed", reason: "Evicted", message: "The node was low on resource: ephemeral-storage." } })],
    }),
    "disk",
    "likely",
    /evicted/,
  ],
];
