// Certificates that live three minutes, on three control planes and a worker: the cluster renews every one of them five
// times while it is written to; then a longer life is taken in place. What counts is what is served, asked by openssl, and
// that who holds a renewed certificate still gets in. The steps build on each other, in order.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Grant, revokeGrant, writeGrant } from "../../provider/kube/grants.js";
import { startWriter } from "../support/api-writer.js";
import { eventually, leftovers, run } from "../support/demo-project.js";
import { certificatesOn, watchCertificates } from "../support/served-certificates.js";
import { certificatesOf, isReady, type ShortLived, shortLivedCluster } from "../support/short-lived-cluster.js";

const name = "e2e-certs";
/** 18 on each control plane, the kubelet's two on a worker. */
const everyCertificate = 3 * 18 + 2;
const renewals = 5;
/** How long a leader may not have said that it leads; it says so every two seconds. */
const leaderSilentMs = 30_000;
let cluster: ShortLived | undefined;
const made = (): ShortLived => {
  if (!cluster) throw new Error("there is no cluster");
  return cluster;
};

beforeAll(async () => {
  cluster = await shortLivedCluster(name, 3, 1);
}, 900_000);

afterAll(async () => {
  await cluster?.close();
  expect(await leftovers(name)).toEqual([]);
}, 300_000);

/** What a stranger with a grant for one name, and a worker that would be the API, ask for. */
const strangersRequests = (worker: string, { tokenId, tokenSecret }: Pick<Grant, "tokenId" | "tokenSecret">): string => `
server=$(sed -n 's/^ *server: *//p' /etc/kubernetes/kubelet.conf)
host=\${server#https://}; address=$(getent ahostsv4 "\${host%:*}" | awk '{print $1; exit}')
ask() { # name, signer, usages, subject, options of openssl
  request=$(openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout /dev/null -subj "$4" "\${@:5}" 2>/dev/null | base64 -w0)
  printf '{"apiVersion":"certificates.k8s.io/v1","kind":"CertificateSigningRequest","metadata":{"name":"%s"},"spec":{"signerName":"kubernetes.io/%s","usages":[%s],"request":"%s"}}' "$1" "$2" "$3" "$request"
}
ask foreign-name kube-apiserver-client-kubelet '"digital signature","client auth"' /O=system:nodes/CN=system:node:foreign-name |
  kubectl --kubeconfig=/dev/null --server="$server" --certificate-authority=/etc/kubernetes/pki/ca.crt --token=${tokenId}.${tokenSecret} create --validate=false -f -
ask endpoint-address kubelet-serving '"digital signature","server auth"' /O=system:nodes/CN=system:node:${worker} -addext subjectAltName=IP:$address |
  kubectl --kubeconfig=/etc/kubernetes/kubelet.conf create --validate=false -f -
`;

describe("certificates that live three minutes", () => {
  it("are all renewed five times, served in time, while the API takes every write and no node is NotReady", async () => {
    const { client, controlPlanes, workers, nodes } = made();
    const notReady = new Set<string>();
    const silent = new Set<string>();
    let watching = true;
    const readiness = (async () => {
      while (watching) {
        // the longest gap is the writer's to tell
        for (const node of await nodes().catch(() => [])) if (!isReady(node)) notReady.add(node.metadata.name);
        // what these two serve is made at their start; that they still get in shows their client certificates
        for (const component of ["kube-controller-manager", "kube-scheduler"]) {
          const lease = await client.get({
            apiVersion: "coordination.k8s.io/v1",
            kind: "Lease",
            name: component,
            namespace: "kube-system",
          });
          const renewed = lease.ok ? (lease.value?.spec as { renewTime?: string } | undefined)?.renewTime : undefined;
          if (renewed !== undefined && Date.now() - Date.parse(renewed) > leaderSilentMs) silent.add(`${component} since ${renewed}`);
        }
        await new Promise((wake) => setTimeout(wake, 2_000));
      }
    })();
    const writer = startWriter(client);
    const watches = [...controlPlanes, ...workers].map((machine) => ({ machine, watch: watchCertificates(machine, 5_000) }));
    const met = (): readonly (readonly [what: string, generations: number])[] =>
      watches.flatMap(({ machine, watch }) =>
        [...watch.now().serials].map(([what, serials]) => [`${machine} ${what}`, serials.length] as const),
      );
    const begun = Date.now();
    const late = await eventually("five renewals of every certificate", 960, async () => {
      const left = met().filter(([, generations]) => generations < renewals + 1);
      if (left.length > 0) throw new Error(`fewer than ${renewals} of: ${left.map((row) => row.join(" ")).join(", ")}`);
      return met().length === everyCertificate ? true : undefined;
    }).then(
      () => null,
      (cause: Error) => cause.message,
    );
    watching = false;
    await readiness;
    const written = await writer.stop();
    console.log(JSON.stringify({ seconds: Math.round((Date.now() - begun) / 1000), written, generations: Object.fromEntries(met()) }));
    const ended = (await Promise.all(watches.map(({ watch }) => watch.stop()))).flatMap((seen) => seen.ended);
    // all of it at once, so that one failure does not hide another
    expect({ late, ended, notReady: [...notReady], silent: [...silent], lost: written.lost }).toEqual({
      late: null,
      ended: [],
      notReady: [],
      silent: [],
      lost: [],
    });
    expect(written.longestGapMs).toBeLessThan(5_000);
  }, 1_080_000);

  it("are still what the API server meets kubelets with, and the agents say what they did", async () => {
    const { project, controlPlane, controlPlanes, workers, nodes } = made();
    for (const machine of controlPlanes) {
      const asked = await run("docker", ["exec", machine, "kubectl", "--kubeconfig=/etc/kubernetes/admin.conf", "get", "--raw=/readyz"]);
      expect(`${asked.stdout}${asked.stderr}`, machine).toBe("ok");
    }
    for (const node of [...controlPlanes, ...workers]) {
      const listed = await project.kubectl(["-n", "kube-system", "get", "pods", "-o", "name", "--field-selector", `spec.nodeName=${node}`]);
      const [pod = ""] = listed.stdout.split("\n").filter((row) => row.includes("kube-proxy"));
      // the API server cuts its connections to kubelets when it loads its new certificate: a request on one fails once
      await eventually(`logs of ${pod} on ${node}`, 15, async () => {
        const logs = await project.kubectl(["-n", "kube-system", "logs", "--tail=1", pod]);
        if (logs.code !== 0) throw new Error(logs.stderr);
        return true;
      });
    }
    const events = await project.kubectl(["get", "events", "-o", "json", "--field-selector", `involvedObject.name=${controlPlane}`]);
    const items = (JSON.parse(events.stdout) as { items: { reason: string; message: string }[] }).items;
    for (const what of ["apiserver", "etcd-server", "etcd-peer", "front-proxy-client", "admin.conf", "scheduler.conf"]) {
      expect(items.filter((e) => e.reason === "CertificateRenewed" && e.message.startsWith(`${what}:`)).length, what).toBeGreaterThan(1);
    }
    expect(items.filter((e) => e.reason === "CertificateTrouble")).toEqual([]);
    for (const node of await nodes()) {
      const report = certificatesOf(node);
      expect(report?.problem).toBeNull();
      for (const [what, { not_after, served }] of Object.entries(report?.items ?? {})) {
        for (const time of [not_after, served]) if (time) expect(Date.parse(time), what).toBeGreaterThan(Date.now());
      }
    }
  });

  it("are refused, with an event, to a token for a foreign name and to a worker for the endpoint's address", async () => {
    const { project, client, workers } = made();
    const [worker = ""] = workers;
    const grant = { nodeName: "granted-name", machineId: "i-none", tokenId: "e2e0e2", tokenSecret: "0123456789abcdef" };
    expect(await writeGrant(client, grant)).toMatchObject({ ok: true });
    const asked = await run("docker", ["exec", "-i", worker, "bash", "-eu"], { input: strangersRequests(worker, grant) });
    expect(asked.code, asked.stdout + asked.stderr).toBe(0);
    const wanted = [/its token was granted to granted-name, it asks for system:node:foreign-name/, new RegExp(`is not ${worker}'s`)];
    await eventually("both refusals", 60, async () => {
      const events = await project.kubectl(["get", "events", "-A", "-o", "json"]);
      const refused = (JSON.parse(events.stdout) as { items: { reason: string; message: string }[] }).items
        .filter((event) => event.reason === "CertificateRefused")
        .map((event) => event.message);
      const left = wanted.filter((words) => !refused.some((message) => words.test(message)));
      if (left.length > 0) throw new Error(`no event says ${left.join(" or ")}: ${refused.join("; ")}`);
      return true;
    });
    for (const name of ["foreign-name", "endpoint-address"]) {
      const csr = await project.kubectl(["get", "csr", name, "-o", "json"]);
      const { status = {} } = JSON.parse(csr.stdout) as { status?: { certificate?: string; conditions?: readonly { type: string }[] } };
      expect([name, status.certificate, status.conditions?.find((condition) => condition.type === "Approved")]).toEqual([
        name,
        undefined,
        undefined,
      ]);
    }
    expect(await revokeGrant(client, grant.tokenId)).toMatchObject({ ok: true });
  });

  it("take a longer life in place: no machine changes, and what is served lives that long", async () => {
    const { project, controlPlane, synth, plan } = made();
    await synth("2h");
    const planned = await plan();
    expect(planned.stdout).toMatch(/Plan: 0 to add, \d+ to change, 0 to destroy/);
    expect(planned.stdout).not.toMatch(/honest_local_machine\.\S+ will be/);
    await project.apply();
    await eventually("certificates of two hours", 120, async () => {
      const found = await certificatesOn(controlPlane);
      // a kubelet takes its own when it is due
      const short = [...found].filter(([what, { notAfter }]) => !what.startsWith("kube") && notAfter - Date.now() < 3_600_000);
      if (short.length > 0) throw new Error(short.map(([what]) => what).join(", "));
      const said = await run("docker", ["exec", controlPlane, "sh", "-c", "tr '\\0' ' ' < /proc/$(pidof kube-controller-manager)/cmdline"]);
      return said.stdout.includes("--cluster-signing-duration=7200s") ? true : undefined;
    });
    const again = await plan();
    expect(again.code, again.stdout + again.stderr).toBe(0);
  });
});
