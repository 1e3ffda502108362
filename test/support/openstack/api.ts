// OpenStack's APIs as a test asks them: JSON over HTTP with a token. Errors are what the API said.

export interface Credentials {
  readonly OS_AUTH_URL: string;
  readonly OS_USERNAME: string;
  readonly OS_PASSWORD: string;
  readonly OS_PROJECT_NAME: string;
}

type Service = "compute" | "network" | "volumev3" | "load-balancer" | "image" | "placement";
export type Item = Readonly<Record<string, unknown>> & { readonly id: string; readonly name?: string };

export interface OpenStack {
  readonly projectId: string;
  get<T>(service: Service, path: string): Promise<T>;
  send<T>(method: "POST" | "PUT" | "DELETE" | "PATCH", service: Service, path: string, body?: unknown): Promise<T>;
  /** All of a collection; it is wrapped in a key of its own name. */
  list(service: Service, path: string, key: string): Promise<readonly Item[]>;
}

/** The versions whose words are used: what comes after nova's 2.42 (tags) is not. */
const versions: Readonly<Partial<Record<Service, string>>> = {
  compute: "compute 2.60",
  volumev3: "volume 3.60",
  placement: "placement 1.20",
};

export async function signIn({ OS_AUTH_URL, OS_USERNAME, OS_PASSWORD, OS_PROJECT_NAME }: Credentials): Promise<OpenStack> {
  const domain = { name: "Default" };
  const reply = await fetch(`${OS_AUTH_URL}/auth/tokens`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      auth: {
        identity: { methods: ["password"], password: { user: { name: OS_USERNAME, domain, password: OS_PASSWORD } } },
        scope: { project: { name: OS_PROJECT_NAME, domain } },
      },
    }),
  });
  if (!reply.ok) throw new Error(`keystone said ${reply.status}: ${await reply.text()}`);
  const secret = reply.headers.get("x-subject-token") ?? "";
  const { token } = (await reply.json()) as {
    token: { project: { id: string }; catalog: { type: string; endpoints: { interface: string; url: string }[] }[] };
  };
  const endpoint = (service: Service): string => {
    const url = token.catalog.find(({ type }) => type === service)?.endpoints.find((one) => one.interface === "public")?.url;
    if (url === undefined) throw new Error(`the catalog has no ${service}`);
    return service === "network" || service === "load-balancer" ? `${url}/v2.0` : service === "image" ? `${url}/v2` : url;
  };
  const send = async <T>(method: string, service: Service, path: string, body?: unknown): Promise<T> => {
    const url = `${endpoint(service)}${path}`;
    const version = versions[service];
    const answer = await fetch(url, {
      method,
      headers: {
        "x-auth-token": secret,
        "content-type": "application/json",
        ...(version === undefined ? {} : { "openstack-api-version": version }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${url} said ${answer.status}: ${text.slice(0, 1000)}`);
    return (text === "" ? undefined : JSON.parse(text)) as T;
  };
  return {
    projectId: token.project.id,
    get: (service, path) => send("GET", service, path),
    send,
    list: async (service, path, key) => (await send<Record<string, Item[]>>("GET", service, path))[key] ?? [],
  };
}

/** The administrator of the same cloud. */
export const administrator = (member: Credentials): Credentials => ({ ...member, OS_USERNAME: "admin", OS_PROJECT_NAME: "admin" });
