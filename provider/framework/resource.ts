// What a resource is to the framework. One file per resource in provider/resources implements this; nothing here knows
// the wire. `Private` is data that Terraform keeps beside the state for the provider alone (JSON object).
import type { Diagnostic } from "./diagnostic.js";
import type { Schema } from "./schema.js";
import type { ObjectValue } from "./value.js";

export type Private = { readonly [key: string]: unknown };

export type Log = (level: "debug" | "info" | "warn" | "error", message: string, fields?: Record<string, unknown>) => void;

/** What the process gives to every call. */
export interface Context {
  /** Aborted when Terraform asks the provider to stop (ctrl-C) or when Terraform itself is gone. */
  readonly signal: AbortSignal;
  /** Lines go to TF_LOG, never to stdout. Level "info" is progress: what a person waits for, also in the file of HONEST_PAAS_PROGRESS. */
  readonly log: Log;
  /** The provider block, decoded; defaults filled. */
  readonly config: ObjectValue;
  /**
   * One value per key for the life of the process, made at first use: Docker clients, cluster snapshots, marks that one
   * resource leaves for another. The only shared mutable state of the provider.
   */
  readonly once: <T>(key: string, make: () => T) => T;
}

export interface ValidateRequest {
  readonly config: ObjectValue;
}
export interface PlanRequest {
  /** null for a create, and for the second call of a replacement. */
  readonly prior: ObjectValue | null;
  /** null for a destroy (only called because plan_destroy is declared). */
  readonly config: ObjectValue | null;
  /**
   * The framework's own proposal: config, defaults filled, computed attributes that the config leaves out = prior when
   * nothing changed, else unknown. Start from it.
   */
  readonly proposed: ObjectValue | null;
  readonly private: Private;
}
export interface PlanResponse {
  readonly planned: ObjectValue | null;
  /** Top-level attributes that force a replacement, besides those whose schema says change: "replace". */
  readonly replace?: readonly string[];
  /** Goes to Apply as `plannedPrivate`. Core throws away what the first of its two plan calls returned (<= 1.15). */
  readonly private?: Private;
  readonly diagnostics?: readonly Diagnostic[];
}
export interface ApplyRequest {
  readonly prior: ObjectValue | null;
  readonly planned: ObjectValue;
  readonly config: ObjectValue;
  readonly private: Private;
}
export interface DeleteRequest {
  readonly prior: ObjectValue;
  readonly private: Private;
}
export interface ReadRequest {
  readonly state: ObjectValue;
  readonly private: Private;
}
/** `state: null` after create = nothing stored; after read = gone; after a failed update or delete give the prior back. */
export interface StateResponse {
  readonly state: ObjectValue | null;
  readonly private?: Private;
  readonly diagnostics?: readonly Diagnostic[];
}

export interface Resource {
  /** Full name, "honest_boot". The file is named after it. */
  readonly name: string;
  readonly schema: Schema;
  validate?(request: ValidateRequest, context: Context): Promise<readonly Diagnostic[]>;
  /** Left out = the framework's proposal stands. Must give the same answer in both of core's calls. */
  plan?(request: PlanRequest, context: Context): Promise<PlanResponse>;
  create(request: ApplyRequest, context: Context): Promise<StateResponse>;
  read(request: ReadRequest, context: Context): Promise<StateResponse>;
  /** Left out when every attribute replaces. */
  update?(request: ApplyRequest, context: Context): Promise<StateResponse>;
  delete(request: DeleteRequest, context: Context): Promise<StateResponse>;
  /** Left out = import is refused with the reason in `importRefused`. Core calls read next. */
  importState?(id: string, context: Context): Promise<StateResponse>;
  readonly importRefused?: string;
  /** State of an older schema version as JSON data. */
  upgrade?(state: ObjectValue, version: number): ObjectValue;
}

export interface DataSource {
  readonly name: string;
  readonly schema: Schema;
  validate?(request: ValidateRequest, context: Context): Promise<readonly Diagnostic[]>;
  read(request: { readonly config: ObjectValue }, context: Context): Promise<StateResponse>;
}

/** What an ephemeral resource hands from one of its calls to the next, and when it wants to be called. */
export interface Lease {
  readonly private?: Private;
  /** Core calls `renew` about then, when it still needs the result. */
  readonly renewAt?: Date;
  readonly diagnostics?: readonly Diagnostic[];
}

export interface EphemeralResource {
  readonly name: string;
  readonly schema: Schema;
  validate?(request: ValidateRequest, context: Context): Promise<readonly Diagnostic[]>;
  open(request: { readonly config: ObjectValue }, context: Context): Promise<Lease & { readonly result: ObjectValue | null }>;
  /** The result itself stays as it was opened. */
  renew?(request: { readonly private: Private }, context: Context): Promise<Lease>;
  /** Core 1.11 gives what `open` left, whatever `renew` made of it. */
  close?(request: { readonly private: Private }, context: Context): Promise<readonly Diagnostic[]>;
}

export interface Provider {
  /** Schema of the provider block. */
  readonly schema: Schema;
  readonly version: string;
  /** Loaded after the handshake line, so that importing them does not delay the start. */
  readonly resources: readonly Resource[];
  readonly dataSources: readonly DataSource[];
  readonly ephemeralResources: readonly EphemeralResource[];
  /** Checks the provider block. */
  configure?(config: ObjectValue): Promise<readonly Diagnostic[]>;
}
