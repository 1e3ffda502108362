// What a machine's console says to a diagnosis: the last line of distress, while it holds. The same for every cloud; where a
// cloud's consoles cannot be read from here, a person reads them. Pure.

const head = "honest: distress: ";

/** By what was looked at: {"etcd": "failed", "disk etcd": "100%"}; null = the machine is not in distress. */
export function distressOf(lines: readonly string[]): Readonly<Record<string, string>> | null {
  let found: string | null = null;
  for (const line of lines) {
    const at = line.indexOf(head);
    if (at >= 0) found = line.slice(at + head.length);
    // a boot begins with a clean slate
    else if (line.includes("honest: boot stage of ")) found = null;
  }
  if (found === null || found.startsWith("over")) return null;
  return Object.fromEntries(
    found.split("; ").flatMap((part) => {
      const split = part.indexOf("=");
      return split > 0 ? [[part.slice(0, split), part.slice(split + 1)] as const] : [];
    }),
  );
}
