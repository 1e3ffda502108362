// Credentials at plan. Most vendors make no request until they read or create something, so that wrong credentials would be
// found half-way through an apply. A mapping names one cheap data source that needs them.
import { type Diagnostic, error } from "../framework/diagnostic.js";
import type { ObjectValue } from "../framework/value.js";
import { hasErrors } from "./diagnostics.js";
import { lostDiagnostic } from "./object.js";
import type { Vendor } from "./vendor.js";

export interface Preflight {
  /** "openstack_identity_auth_scope_v3" */
  readonly dataSource: string;
  readonly config: ObjectValue;
  /** Which account answered, for comparison with the one that the state was made in: "project_id". */
  readonly account?: string;
}

export interface Account {
  /** null when the preflight names none. */
  readonly account: string | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** `known`: the account that the state was made in; null for a new cluster. */
export async function preflight(vendor: Vendor, { dataSource, config, account }: Preflight, known: string | null): Promise<Account> {
  try {
    const { state, diagnostics } = await vendor.readData(dataSource, config);
    if (hasErrors(diagnostics)) {
      const summary = "The cloud does not accept the credentials, or cannot be reached";
      return {
        account: null,
        diagnostics: diagnostics.map((d) =>
          d.severity === "error" ? error(summary, `${vendor.name}: ${d.summary} ${d.detail}`.trim()) : d,
        ),
      };
    }
    const found = account === undefined ? null : (state?.[account] ?? null);
    const name = typeof found === "string" ? found : null;
    if (known === null || name === null || name === known) return { account: name, diagnostics };
    const detail = `The credentials belong to ${name}; the cluster was made in ${known}. With these, every object of it would look deleted. Use the credentials of ${known}.`;
    return { account: name, diagnostics: [error("The credentials belong to another account", detail)] };
  } catch (cause) {
    return { account: null, diagnostics: [lostDiagnostic(cause)] };
  }
}
