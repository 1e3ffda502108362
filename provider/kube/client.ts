// The Kubernetes API for day-2 work: typed outcomes, one identity, no cache. Every call is bounded.
import { type Access, type IssueClient, providerIdentity } from "./access.js";
import { fieldManager, type KubeObject, type ObjectKey } from "./object.js";
import { type Failure, failed, isNotFound, type Outcome, ok } from "./outcome.js";
import { collectionPath, groupPath, kindIn, knownKind, objectPath, type ResourceKind } from "./paths.js";
import { createTransport, type HttpAnswer, type HttpRequest } from "./transport.js";

export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
  /** @default 15000 */
  readonly timeoutMs?: number | undefined;
}
export interface ListOptions extends CallOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface KubeClient {
  readonly endpoint: string;
  /** undefined = the API says that there is no such object. */
  get(key: ObjectKey, options?: CallOptions): Promise<Outcome<KubeObject | undefined>>;
  list(apiVersion: string, kind: string, options?: ListOptions): Promise<Outcome<readonly KubeObject[]>>;
  /** Server-side apply; takes fields over from other managers. */
  apply(object: KubeObject, options?: CallOptions): Promise<Outcome<KubeObject>>;
  create(object: KubeObject, options?: CallOptions): Promise<Outcome<KubeObject>>;
  /** Replaces; refused with Conflict when metadata.resourceVersion is not the current one. */
  replace(object: KubeObject, options?: CallOptions): Promise<Outcome<KubeObject>>;
  /** JSON merge patch. */
  patch(key: ObjectKey, patch: unknown, options?: CallOptions): Promise<Outcome<KubeObject>>;
  /** False when it was not there. */
  delete(key: ObjectKey, options?: CallOptions): Promise<Outcome<boolean>>;
  /** POST to a subresource: "eviction". */
  post(key: ObjectKey, subresource: string, body: unknown, options?: CallOptions): Promise<Outcome<unknown>>;
  /** GET of a path that is no object: "/readyz". */
  raw(path: string, options?: CallOptions): Promise<Outcome<string>>;
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly issue: IssueClient;
  /** @default the provider's: group system:masters */
  readonly identity?: { readonly commonName: string; readonly organizations: readonly string[] };
}

const applyType = "application/apply-patch+yaml";

export function connect(access: Access, options: ConnectOptions): KubeClient {
  const transport = createTransport({ access, issue: options.issue, identity: options.identity ?? providerIdentity });
  const discovered = new Map<string, Promise<Outcome<unknown>>>();

  const send = async (request: Omit<HttpRequest, "signal">, call: CallOptions = {}): Promise<Outcome<HttpAnswer>> => {
    const limit = AbortSignal.timeout(call.timeoutMs ?? 15_000);
    const answer = await transport.send({ ...request, signal: call.signal ? AbortSignal.any([call.signal, limit]) : limit });
    if (!answer.ok) return answer;
    return answer.value.status < 300 ? answer : failed(refusal(answer.value));
  };
  const json = async <T>(request: Omit<HttpRequest, "signal">, call?: CallOptions): Promise<Outcome<T>> => {
    const answer = await send(request, call);
    return answer.ok ? parse<T>(answer.value) : answer;
  };
  const resolve = async (apiVersion: string, kind: string, call?: CallOptions): Promise<Outcome<ResourceKind>> => {
    const inTable = knownKind(apiVersion, kind);
    if (inTable) return ok(inTable);
    const path = groupPath(apiVersion);
    const asked = discovered.get(path) ?? json<unknown>({ method: "GET", path }, call);
    discovered.set(path, asked);
    const answer = await asked;
    const found = answer.ok ? kindIn(answer.value, kind) : undefined;
    // Only a success is remembered: a kind may be installed a moment later.
    if (!found) discovered.delete(path);
    if (found) return ok(found);
    if (!answer.ok && !isNotFound(answer.failure)) return answer;
    return failed({ kind: "status", status: 404, reason: "NotFound", message: `the cluster does not serve kind ${kind} of ${apiVersion}` });
  };
  const at = async (key: ObjectKey, call?: CallOptions): Promise<Outcome<string>> => {
    const kind = await resolve(key.apiVersion, key.kind, call);
    return kind.ok ? ok(objectPath(kind.value, key)) : kind;
  };
  const write = async (method: "PUT" | "PATCH", key: ObjectKey, query: string, contentType: string, body: unknown, call?: CallOptions) => {
    const path = await at(key, call);
    if (!path.ok) return path;
    return json<KubeObject>({ method, path: `${path.value}${query}`, contentType, body: JSON.stringify(body) }, call);
  };
  const key = (object: KubeObject): ObjectKey => ({ ...object.metadata, apiVersion: object.apiVersion, kind: object.kind });

  return {
    endpoint: access.endpoint,
    async get(wanted, call) {
      const path = await at(wanted, call);
      if (!path.ok) return path;
      const answer = await json<KubeObject>({ method: "GET", path: path.value }, call);
      return !answer.ok && isNotFound(answer.failure) ? ok(undefined) : answer;
    },
    async list(apiVersion, kind, call = {}) {
      const resource = await resolve(apiVersion, kind, call);
      if (!resource.ok) return resource;
      const query = new URLSearchParams();
      if (call.labelSelector) query.set("labelSelector", call.labelSelector);
      if (call.fieldSelector) query.set("fieldSelector", call.fieldSelector);
      const path = collectionPath(resource.value, apiVersion, call.namespace);
      const answer = await json<{ items?: readonly KubeObject[] }>({ method: "GET", path: query.size ? `${path}?${query}` : path }, call);
      // Items of a list come without apiVersion and kind.
      return answer.ok ? ok((answer.value.items ?? []).map((item) => ({ ...item, apiVersion, kind }))) : answer;
    },
    apply: (object, call) => write("PATCH", key(object), `?fieldManager=${fieldManager}&force=true`, applyType, object, call),
    async create(object, call) {
      const resource = await resolve(object.apiVersion, object.kind, call);
      if (!resource.ok) return resource;
      const path = collectionPath(resource.value, object.apiVersion, object.metadata.namespace);
      return json({ method: "POST", path: `${path}?fieldManager=${fieldManager}`, body: JSON.stringify(object) }, call);
    },
    replace: (object, call) => write("PUT", key(object), `?fieldManager=${fieldManager}`, "application/json", object, call),
    patch: (wanted, patch, call) => write("PATCH", wanted, `?fieldManager=${fieldManager}`, "application/merge-patch+json", patch, call),
    async delete(wanted, call) {
      const path = await at(wanted, call);
      if (!path.ok) return path;
      const answer = await send({ method: "DELETE", path: `${path.value}?propagationPolicy=Background` }, call);
      if (answer.ok) return ok(true);
      return isNotFound(answer.failure) ? ok(false) : answer;
    },
    async post(wanted, subresource, body, call) {
      const path = await at(wanted, call);
      if (!path.ok) return path;
      return json({ method: "POST", path: `${path.value}/${subresource}`, body: JSON.stringify(body) }, call);
    },
    async raw(path, call) {
      const answer = await send({ method: "GET", path }, call);
      return answer.ok ? ok(answer.value.text) : answer;
    },
    close: () => transport.close(),
  };
}

function refusal(answer: HttpAnswer): Failure {
  const status = parse<{ reason?: string; message?: string }>(answer);
  const body = status.ok ? status.value : {};
  return {
    kind: "status",
    status: answer.status,
    reason: body.reason ?? "",
    message: body.message ?? answer.text.slice(0, 300),
    ...(answer.retryAfterSec === undefined ? {} : { retryAfterSec: answer.retryAfterSec }),
  };
}

/** A success whose body is no JSON comes from something that is not the API: a proxy's login page, a balancer. */
function parse<T>(answer: HttpAnswer): Outcome<T> {
  try {
    return ok(JSON.parse(answer.text) as T);
  } catch {
    return failed({ kind: "unreachable", message: `the answer is not from a Kubernetes API: ${answer.text.slice(0, 120)}` });
  }
}
