// How to reach a cluster and who we are there. Client certificates live ten minutes and are made per process: one kept in
// state would be expired on the day a destroy needs it.

export interface Access {
  /** "https://127.0.0.1:26443" */
  readonly endpoint: string;
  readonly ca_bundle: string;
  readonly client_ca_cert: string;
  readonly client_ca_key: string;
  /** Name that the API's certificate is checked against. @default - the host of the endpoint */
  readonly server_name?: string | null;
}

export interface IssueRequest {
  readonly caCert: string;
  readonly caKey: string;
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly minutes: number;
}
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}
/** Makes a client certificate; provider/pki has the real one. */
export type IssueClient = (request: IssueRequest) => Promise<ClientCertificate>;

/** The provider is cluster-admin by its group: no RBAC object has to exist yet, or still, for it to work. */
export const providerIdentity = { commonName: "honest-paas:provider", organizations: ["system:masters"] } as const;
export const certificateMinutes = 10;
