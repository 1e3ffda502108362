// Spreading over zones. The order of the list is the priority: a zone that is appended gets machines of those that are
// added and takes none from the others, when as many are added as it is due.

/** Zone of the n-th control plane. */
export function zoneOf(zones: readonly string[], n: number): string {
  const zone = zones[n % zones.length];
  if (zone === undefined) throw new TypeError("no zones passed parse()");
  return zone;
}

/** How many of `total` each zone gets; the first zones get one more. */
export function countsPerZone(zones: readonly string[], total: number): ReadonlyMap<string, number> {
  const each = Math.floor(total / zones.length);
  const more = total % zones.length;
  return new Map(zones.map((zone, n) => [zone, each + (n < more ? 1 : 0)]));
}
