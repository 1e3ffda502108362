// Certificates that the API servers show through the endpoint, seen without believing them: one that has ended is the very
// thing to look for.
import type { X509Certificate } from "node:crypto";
import { connect } from "node:tls";

const limitMs = 5_000;

/** undefined = no handshake came about. */
function handshake(endpoint: URL): Promise<X509Certificate | undefined> {
  return new Promise((done) => {
    const host = endpoint.hostname.replace(/^\[|\]$/g, "");
    const link = connect({ host, port: Number(endpoint.port || 443), rejectUnauthorized: false });
    const end = (certificate: X509Certificate | undefined): void => {
      clearTimeout(timer);
      link.destroy();
      done(certificate);
    };
    const timer = setTimeout(() => end(undefined), limitMs);
    link.on("secureConnect", () => end(link.getPeerX509Certificate()));
    // refused or cut: the API's own answer says so in words
    link.on("error", () => end(undefined));
  });
}

/** A balancer chooses who answers, so it is asked a few times for each member; every certificate once. */
export async function servedCertificates(endpoint: string, members: number): Promise<readonly X509Certificate[]> {
  const url = new URL(endpoint);
  const found = new Map<string, X509Certificate>();
  const times = Math.max(1, Math.min(members, 9)) * 2;
  for (const certificate of await Promise.all(Array.from({ length: times }, () => handshake(url))))
    if (certificate) found.set(certificate.fingerprint256, certificate);
  return [...found.values()];
}
