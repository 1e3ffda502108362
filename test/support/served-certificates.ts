// Certificates of a local machine as others meet them: what its ports serve, beside what stands on its disk. Asked by
// openssl on the machine itself, so that nothing of the kit's own reading is believed.
import { run } from "./demo-project.js";

export interface Seen {
  readonly serial: string;
  /** Milliseconds since the epoch. */
  readonly notAfter: number;
}

const script = `
address=$(ip -4 -o route get 1.1.1.1 2>/dev/null | sed -n 's/.* src \\([^ ]*\\).*/\\1/p')
[ -n "$address" ] || address=$(ip -4 -o address show scope global | sed -n 's/.* inet \\([^/]*\\).*/\\1/p' | head -1)
say() { echo "$1 $(openssl x509 -noout -serial -enddate 2>/dev/null | tr '\\n' ' ')"; }
port() { timeout 4 openssl s_client -connect "$2" </dev/null 2>/dev/null | say "$1"; }
conf() { [ -f "$2" ] && sed -n 's/.*client-certificate-data: *//p' "$2" | base64 -d | say "$1"; }
file() { [ -f "$2" ] && say "$1" < "$2"; }
port kubelet-server:served 127.0.0.1:10250
file kubelet-client /var/lib/kubelet/pki/kubelet-client-current.pem
if [ -d /etc/kubernetes/pki/etcd ]; then
  port apiserver:served "$address:6443"
  port etcd-server:served 127.0.0.1:2379
  port etcd-peer:served "$address:2380"
  port kube-controller-manager:served 127.0.0.1:10257
  port kube-scheduler:served 127.0.0.1:10259
  for name in apiserver apiserver-kubelet-client apiserver-etcd-client front-proxy-client; do file $name /etc/kubernetes/pki/$name.crt; done
  for name in server peer healthcheck-client; do file etcd-$name /etc/kubernetes/pki/etcd/$name.crt; done
  for name in admin super-admin controller-manager scheduler; do conf $name.conf /etc/kubernetes/$name.conf; done
fi
true
`;

/** By name; ":served" marks what a port gave. A port that does not answer in this moment is left out. */
export async function certificatesOn(machine: string): Promise<ReadonlyMap<string, Seen>> {
  const said = await run("docker", ["exec", "-i", machine, "sh"], { input: script });
  if (said.code !== 0) throw new Error(`${machine}: ${said.stderr}`);
  const found = new Map<string, Seen>();
  for (const line of said.stdout.split("\n")) {
    const [, name = "", serial = "", date = ""] = /^(\S+) serial=(\S+) notAfter=(.*?)\s*$/.exec(line) ?? [];
    if (name !== "") found.set(name, { serial, notAfter: Date.parse(date) });
  }
  return found;
}

export interface Watched {
  /** Distinct serial numbers by name, in the order in which they were met. */
  readonly serials: ReadonlyMap<string, readonly string[]>;
  /** "name ended …": a certificate that was met after its end. */
  readonly ended: readonly string[];
}

/** Notes every certificate that one machine has and serves, until stopped. */
export function watchCertificates(machine: string, everyMs = 3_000): { now(): Watched; stop(): Promise<Watched> } {
  const serials = new Map<string, string[]>();
  const ended: string[] = [];
  let going = true;
  const loop = (async () => {
    while (going) {
      for (const [name, { serial, notAfter }] of await certificatesOn(machine)) {
        const known = serials.get(name) ?? [];
        if (!known.includes(serial)) serials.set(name, [...known, serial]);
        if (notAfter < Date.now())
          ended.push(`${name} ended ${new Date(notAfter).toISOString()} and was met at ${new Date().toISOString()}`);
      }
      await new Promise((wake) => setTimeout(wake, everyMs));
    }
  })();
  const now = (): Watched => ({ serials, ended });
  return {
    now,
    async stop() {
      going = false;
      await loop;
      return now();
    },
  };
}
