// Certificates have to outlive the time that their renewal needs, and end before who signs them.
import { shortestWords, toSeconds } from "../duration.js";
import type { ClusterSpec } from "../gen/spec.js";
import type { Problem } from "../problem.js";

/** A kubelet renews its own when 10 % of their life are left: shorter ones would end while it asks. */
export const shortestLife = 180;
/** A machine looks at its certificates every ten seconds, and control planes renew one after another. */
export const shortestWindow = 60;

export function certificateRules({ certificates }: ClusterSpec): readonly Problem[] {
  const { ca_hours, lifetime, renew_before } = certificates;
  const [life = 0, window = 0] = [lifetime, renew_before].map(toSeconds);
  const at = (field: string) => ["certificates", field];
  if (life < shortestLife || life > ca_hours * 3600)
    return [
      {
        code: "certificates.lifetime",
        path: at("lifetime"),
        message: "is out of range",
        got: lifetime,
        allowed: `${shortestWords(shortestLife)} to ${ca_hours}h, the life of the authorities that sign them`,
      },
    ];
  if (window >= life)
    return [
      {
        code: "certificates.window",
        path: at("renew_before"),
        message: `is not less than lifetime ${lifetime}: certificates would be renewed without end`,
        got: renew_before,
        allowed: `less than ${lifetime}`,
        fix: "leave it out: a third of lifetime",
      },
    ];
  if (window < shortestWindow)
    return [
      {
        code: "certificates.window",
        path: at("renew_before"),
        message: "leaves no time for a renewal",
        got: renew_before,
        allowed: `at least ${shortestWords(shortestWindow)}`,
      },
    ];
  return [];
}
