// A vendor provider as the client side sees it: decoded values in, decoded values out. Behind it stands a child process that
// speaks plugin protocol 5 or 6 (launch.ts), or resources of our own without a process (in-process.ts).
//
// What the vendor finds wrong comes back as diagnostics. A call that gets no answer throws `VendorLost`: nobody knows then
// whether it happened (object.ts turns that into the outcome "unknown").
import type { Diagnostic } from "../framework/diagnostic.js";
import type { ObjectValue } from "../framework/value.js";
import type { ProcessIdentity } from "./process-identity.js";
import type { VendorSchema } from "./schema.js";

export type AttributePath = NonNullable<Diagnostic["path"]>;

export interface VendorPlanRequest {
  /** Complete: see `configOf`. null plans the destroy of `prior`. */
  readonly config: ObjectValue | null;
  readonly prior: ObjectValue | null;
  /** What belongs to `prior`; of the second plan of a replacement: what the first one answered. */
  readonly private: Uint8Array;
}

export interface VendorPlan {
  readonly planned: ObjectValue | null;
  /** As the vendor says it: also attributes that do not change. `planObject` keeps those that do. */
  readonly requiresReplace: readonly AttributePath[];
  /** Secrets stand in it in clear (raw user-data): never into logs or the journal. */
  readonly private: Uint8Array;
  readonly diagnostics: readonly Diagnostic[];
}

export interface VendorApplyRequest {
  readonly config: ObjectValue | null;
  readonly prior: ObjectValue | null;
  /** null destroys. */
  readonly planned: ObjectValue | null;
  /** What the plan answered, byte for byte. */
  readonly private: Uint8Array;
}

export interface VendorState {
  /** After an error: what the vendor still knows of the object. null: none, or not known. */
  readonly state: ObjectValue | null;
  readonly private: Uint8Array;
  readonly diagnostics: readonly Diagnostic[];
}

export interface Vendor {
  /** For messages: "registry.terraform.io/example/openstack 3.4.0". */
  readonly name: string;
  readonly protocol: 5 | 6;
  /** The child behind it; null for resources of our own. */
  readonly process: ProcessIdentity | null;
  /** False once its process has ended or its connection broke: every further call throws `VendorLost`. */
  alive(): boolean;
  /** Decoded at first use, per type. Rejects with `VendorProblem` when the provider has no such resource type. */
  schema(type: string): Promise<VendorSchema>;
  dataSchema(type: string): Promise<VendorSchema>;
  providerSchema(): Promise<VendorSchema>;
  /** Once, before plan, apply, read. Incomplete objects are completed. Most vendors make no request here: see preflight.ts. */
  configure(config: ObjectValue): Promise<readonly Diagnostic[]>;
  validate(type: string, config: ObjectValue): Promise<readonly Diagnostic[]>;
  plan(type: string, request: VendorPlanRequest): Promise<VendorPlan>;
  /** Never with a deadline: cancelling the call cancels the vendor's work, as its own `timeouts` block would. */
  apply(type: string, request: VendorApplyRequest): Promise<VendorState>;
  /** `state: null` without errors: the object is gone. */
  read(type: string, object: { readonly state: ObjectValue; readonly private: Uint8Array }): Promise<VendorState>;
  /** Stored state in today's schema. A stored version above the schema's is an error. */
  upgrade(
    type: string,
    stored: { readonly version: number; readonly json: string },
  ): Promise<{ readonly state: ObjectValue | null; readonly diagnostics: readonly Diagnostic[] }>;
  /** A stub: read it next. Lossy, so adopting goes another way (`adoptObject`). */
  importState(type: string, id: string): Promise<VendorState>;
  readData(type: string, config: ObjectValue): Promise<VendorState>;
  /** Cancels what is under way, and thereby makes orphans: `Executor.drain` comes first. */
  stop(): Promise<void>;
  /** Ends the process, within two seconds. */
  close(): Promise<void>;
}

/** No answer: the vendor's process died, its connection broke, or it hung. */
export class VendorLost extends Error {
  constructor(
    message: string,
    /** The vendor's last words, such as the text of a panic. "" when it said nothing. */
    readonly lastWords: string,
  ) {
    super(message);
    this.name = "VendorLost";
  }
}

/** The vendor cannot be used, for a reason that a person can mend. `detail` has the way out. */
export class VendorProblem extends Error {
  constructor(
    readonly summary: string,
    readonly detail: string,
  ) {
    super(`${summary}: ${detail}`);
    this.name = "VendorProblem";
  }

  get diagnostic(): Diagnostic {
    return { severity: "error", summary: this.summary, detail: this.detail };
  }
}
