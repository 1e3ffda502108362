// Whether a cluster has been seen alive: something answers at its endpoint with a certificate that its own CA signed.
// Only "yes" says anything; silence may be a network that is down.
import { createHash } from "node:crypto";
import { connect } from "node:tls";
import type { Context } from "../../framework/resource.js";

const limitMs = 5_000;

export function seen(endpoint: string, ca: string, limit = limitMs): Promise<boolean> {
  return new Promise((done) => {
    const { hostname, port } = new URL(endpoint);
    const host = hostname.replace(/^\[|\]$/g, "");
    // The name is not checked: a published port or a tunnel has another one, and the CA belongs to this cluster alone.
    const link = connect({ host, port: Number(port || 443), ca, rejectUnauthorized: true, checkServerIdentity: () => undefined });
    const end = (answer: boolean): void => {
      clearTimeout(timer);
      link.destroy();
      done(answer);
    };
    const timer = setTimeout(() => end(false), limit);
    link.on("secureConnect", () => end(link.authorized));
    // refused, cut off, another cluster's certificate: no statement about this cluster
    link.on("error", () => end(false));
  });
}

/** Asked once per process and cluster, whatever the number of resources that want to know. */
export const noticeBirth = (context: Context, endpoint: string, ca: string): Promise<boolean> =>
  context.once(`pki/seen/${createHash("sha256").update(`${endpoint}\n${ca}`).digest("hex").slice(0, 16)}`, () => seen(endpoint, ca));
