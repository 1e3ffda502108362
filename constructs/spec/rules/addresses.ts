// URLs, addresses, certificates and time zones that others will parse: better wrong here than in an API server's log.
import { parseAddress } from "../cidr.js";
import type { ClusterSpec } from "../gen/spec.js";
import type { Problem } from "../problem.js";

export function addressRules(spec: ClusterSpec): readonly Problem[] {
  const { access, mirror, iaas, upgrade_policy } = spec;
  return [
    ...url(access.endpoint, ["access", "endpoint"], ["https:"]),
    ...access.cert_names.flatMap((name, n) => certName(name, ["access", "cert_names", n])),
    ...url(mirror.binaries, ["mirror", "binaries"], ["http:", "https:"]),
    ...url(mirror.images, ["mirror", "images"], ["http:", "https:"]),
    ...pem(mirror.ca, ["mirror", "ca"]),
    ...published(iaas.local?.published_address ?? null),
    ...timezone(upgrade_policy.maintenance_window?.timezone ?? null),
  ];
}

function url(text: string | null, path: Problem["path"], schemes: readonly string[]): readonly Problem[] {
  if (text === null) return [];
  const parsed = URL.canParse(text) ? new URL(text) : null;
  if (parsed && schemes.includes(parsed.protocol) && !parsed.search && !parsed.hash && !parsed.username) return [];
  return [
    {
      code: "url.invalid",
      path,
      message: "is not a URL that can be used here",
      got: text,
      allowed: schemes.map((s) => `${s}//host[:port]`).join(", "),
    },
  ];
}

const host = /^(\*\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

function certName(text: string, path: Problem["path"]): readonly Problem[] {
  if (/^[\d.]+$/.test(text) ? parseAddress(text) !== null : host.test(text) && text.length <= 253) return [];
  return [
    {
      code: "name.invalid",
      path,
      message: "is not a host name or address",
      got: text,
      allowed: "a host name in lower case or an IPv4 address",
    },
  ];
}

function pem(text: string | null, path: Problem["path"]): readonly Problem[] {
  if (text === null || /-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----/.test(text)) return [];
  return [{ code: "pem.invalid", path, message: "is not a PEM certificate", allowed: "-----BEGIN CERTIFICATE----- …" }];
}

function published(text: string | null): readonly Problem[] {
  if (text === null || parseAddress(text) !== null) return [];
  return [
    {
      code: "address.invalid",
      path: ["iaas", "local", "published_address"],
      message: "is not an IPv4 address",
      got: text,
      allowed: "an address of the engine's host, or 0.0.0.0 for all",
    },
  ];
}

/** Newer runtimes take "+05:37" for a zone too, in which no hour ever begins: such a window would never open. */
export function isZone(text: string): boolean {
  if (/^[+-]/.test(text)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

function timezone(text: string | null): readonly Problem[] {
  if (text === null || isZone(text)) return [];
  return [
    {
      code: "timezone.unknown",
      path: ["upgrade_policy", "maintenance_window", "timezone"],
      message: "is not a known time zone",
      got: text,
      allowed: 'a name of the tz database, for example "Europe/Berlin"',
    },
  ];
}
