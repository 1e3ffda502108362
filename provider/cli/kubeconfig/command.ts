// honest-paas kubeconfig, and the credential plugin that the file calls.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { type Command, type Flag, type FlagValues, first, has, type Io, UserError } from "../command.js";
import { packageRoot } from "../package-root.js";
import { pullState, stackFolder } from "../terraform/state.js";
import { type ClusterAccess, chooseCluster, clustersIn } from "./access.js";
import { parseLifetime } from "./lifetime.js";
import { type ExecEntry, type KeyEntry, mergeKubeconfig, renderKubeconfig } from "./render.js";

const defaultUser = "admin";
/** Bound to cluster-admin by the cluster's own parts; unlike system:masters it can be taken away. */
const defaultGroup = "kubeadm:cluster-admins";

const commonFlags: readonly Flag[] = [
  { name: "stack", value: "FOLDER", help: "Folder of the stack. Default: this folder, or the only stack below its cdktf.out." },
  { name: "cluster", value: "NAME", help: "Which cluster, when the stack has several." },
  { name: "user", value: "NAME", help: `User in the certificate. Default ${defaultUser}.` },
  { name: "group", value: "NAME", many: true, help: `Group in the certificate; may be repeated. Default ${defaultGroup} (cluster-admin).` },
  { name: "ttl", value: "TIME", help: "How long a certificate is valid: 10m, 8h, 30d. Default 10m; with --embed 8h." },
];

interface Wanted {
  readonly folder: string;
  readonly access: ClusterAccess;
  readonly user: string;
  readonly groups: readonly string[];
  readonly minutes: number;
}

async function wantedFrom(flags: FlagValues, io: Io, ttl: string): Promise<Wanted> {
  const minutes = parseLifetime(first(flags, "ttl") ?? ttl);
  const folder = stackFolder(resolve(io.cwd, first(flags, "stack") ?? "."));
  const access = chooseCluster(clustersIn(await pullState(folder, io.env)), first(flags, "cluster"), folder);
  return { folder, access, user: first(flags, "user") ?? defaultUser, groups: flags.group ?? [defaultGroup], minutes };
}

async function mint({ access, user, groups, minutes }: Wanted): Promise<KeyEntry> {
  const { issueClient } = await import("../../pki/issue.js");
  return issueClient({ caCert: access.clientCaCert, caKey: access.clientCaKey, commonName: user, organizations: [...groups], minutes });
}

/** kubectl's rule: the first file of KUBECONFIG, else ~/.kube/config. */
const userKubeconfig = (io: Io): string =>
  io.env.KUBECONFIG?.split(delimiter).find((path) => path !== "") ?? join(io.env.HOME ?? homedir(), ".kube", "config");

async function mergeInto(path: string, added: ReturnType<typeof renderKubeconfig>): Promise<void> {
  const { parse, stringify } = await import("yaml");
  let text = "";
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
  }
  const existing = (parse(text) ?? {}) as Record<string, unknown>;
  mkdirSync(dirname(path), { recursive: true });
  const beside = `${path}.${process.pid}.part`;
  writeFileSync(beside, stringify(mergeKubeconfig(existing, added)), { mode: 0o600 });
  renameSync(beside, path);
}

/** What kubectl runs for each of its own runs: the file itself holds no key. */
const pluginEntry = ({ folder, access, user, groups, minutes }: Wanted): ExecEntry => ({
  command: process.execPath,
  args: [
    join(packageRoot(), "dist/cli/honest-paas.js"),
    "credential",
    ...["--stack", folder, "--cluster", access.cluster, "--user", user],
    ...groups.flatMap((name) => ["--group", name]),
    ...["--ttl", `${minutes}m`],
  ],
});

/** The file as `honest-paas kubeconfig` writes it, for other commands. */
export async function kubeconfigText(stack: string, io: Io): Promise<string> {
  const wanted = await wantedFrom({ stack: [stack] }, io, "10m");
  const { stringify } = await import("yaml");
  return stringify(renderKubeconfig(wanted.access, wanted.user, pluginEntry(wanted)));
}

export const kubeconfig: Command = {
  name: "kubeconfig",
  summary: "Writes a kubeconfig for the cluster of a stack to standard output.",
  details: [
    "The file holds no key: kubectl calls honest-paas, which reads the stack's state through terraform and makes a certificate that lives ten minutes. Whoever may read the state may use the cluster.",
    "With --embed the file holds a certificate and its key, for places where neither terraform nor the state is. There is no way to revoke it before --ttl is over but to rotate the client CA.",
    "  honest-paas kubeconfig > kubeconfig\n  honest-paas kubeconfig --merge\n  honest-paas kubeconfig --user ci --group deployers --embed --ttl 1h > ci.kubeconfig",
  ],
  flags: [
    ...commonFlags,
    { name: "embed", help: "Put certificate and key into the file." },
    { name: "merge", help: "Write into the first file of KUBECONFIG, else ~/.kube/config, instead of standard output." },
  ],
  async run(flags, io) {
    const embed = has(flags, "embed");
    if (embed && io.terminal && !has(flags, "merge"))
      throw new UserError("A key is not shown on a screen. Send it where it belongs: honest-paas kubeconfig --embed > FILE.");
    const wanted = await wantedFrom(flags, io, embed ? "8h" : "10m");
    const made = renderKubeconfig(wanted.access, wanted.user, embed ? await mint(wanted) : pluginEntry(wanted));
    if (has(flags, "merge")) {
      const path = userKubeconfig(io);
      await mergeInto(path, made);
      io.say(`context ${wanted.access.cluster} is in ${path} and is the current one`);
      return 0;
    }
    const { stringify } = await import("yaml");
    io.out(stringify(made));
    return 0;
  },
};

export const credential: Command = {
  name: "credential",
  summary: "Credential plugin for kubectl: an ExecCredential with a fresh certificate.",
  hidden: true,
  flags: commonFlags,
  async run(flags, io) {
    if (io.terminal) throw new UserError("A key is not shown on a screen. kubectl calls this command by itself.");
    const wanted = await wantedFrom(flags, io, "10m");
    const { cert, key } = await mint(wanted);
    // kubectl asks again a minute early, so that a certificate never ends between two requests
    const expires = new Date(Date.now() + Math.max(wanted.minutes - 1, 0.5) * 60_000).toISOString();
    io.out(
      `${JSON.stringify({
        apiVersion: "client.authentication.k8s.io/v1",
        kind: "ExecCredential",
        status: { clientCertificateData: cert, clientKeyData: key, expirationTimestamp: expires },
      })}\n`,
    );
    return 0;
  },
};
