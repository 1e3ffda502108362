// Short-lived client certificates for whoever talks to a cluster. Never stored: a stored one is expired when a destroy needs it.
import { type Issued, issueCertificate } from "./certificate.js";

const end = "-----END CERTIFICATE-----\n";

export interface ClientRequest {
  readonly caCert: string;
  readonly caKey: string;
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Life in minutes. */
  readonly minutes: number;
}

/**
 * Valid from five minutes ago: clocks differ. What follows the authority's own certificate in `caCert` travels with the client's:
 * the certificate by which the authority before vouches for this one.
 */
export async function issueClient(request: ClientRequest): Promise<Issued> {
  const now = Date.now();
  const made = issueCertificate({
    subject: { commonName: request.commonName, organizations: request.organizations },
    notBefore: new Date(now - 5 * 60_000),
    notAfter: new Date(now + request.minutes * 60_000),
    issuer: { cert: request.caCert, key: request.caKey },
  });
  const chain = request.caCert.slice(request.caCert.indexOf(end) + end.length);
  return { ...made, cert: made.cert + chain };
}
