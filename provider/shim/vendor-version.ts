// Versions of providers: what a mapping works with, and whether one that is installed lies within.

export interface VersionRange {
  /** The lowest that works, "3.0.0". */
  readonly from: string;
  /** The first that does not, "4.0.0". */
  readonly below: string;
}

/** What "~> 3.4" or "~> 3.4.1" means: all but the last number stays. Throws for any other constraint. */
export function rangeOf(constraint: string): VersionRange {
  const numbers = /^~> (\d+(?:\.\d+){1,2})$/.exec(constraint)?.[1]?.split(".").map(Number);
  if (!numbers) throw new TypeError(`no "~> MAJOR.MINOR": ${constraint}`);
  const [major = 0, minor = 0, patch = 0] = numbers;
  const below = numbers.length === 2 ? `${major + 1}.0.0` : `${major}.${minor + 1}.0`;
  return { from: `${major}.${minor}.${patch}`, below };
}

/** As it stands in required_providers. */
export const constraintText = ({ from, below }: VersionRange): string => `>= ${from}, < ${below}`;

function parts(version: string): { readonly numbers: readonly number[]; readonly pre: readonly string[] } {
  const [plain = ""] = version.split("+");
  const [core = "", ...pre] = plain.split("-");
  return { numbers: core.split(".").map(Number), pre: pre.length > 0 ? pre.join("-").split(".") : [] };
}

function comparePre(a: readonly string[], b: readonly string[]): number {
  // a pre-release comes before its release
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  for (let i = 0; i < Math.max(a.length, b.length); i += 1) {
    const [x, y] = [a[i], b[i]];
    if (x === undefined || y === undefined) return x === undefined ? -1 : 1;
    if (x === y) continue;
    const [xNumber, yNumber] = [/^\d+$/.test(x), /^\d+$/.test(y)];
    if (xNumber && yNumber) return Number(x) - Number(y);
    if (xNumber !== yNumber) return xNumber ? -1 : 1;
    return x < y ? -1 : 1;
  }
  return 0;
}

export function compareVersions(a: string, b: string): number {
  const [x, y] = [parts(a), parts(b)];
  for (let i = 0; i < 3; i += 1) {
    const difference = (x.numbers[i] ?? 0) - (y.numbers[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return comparePre(x.pre, y.pre);
}

export function judgeVersion(version: string, range: VersionRange): "fits" | "too old" | "too new" {
  if (compareVersions(version, range.from) < 0) return "too old";
  return compareVersions(version, range.below) < 0 ? "fits" : "too new";
}
