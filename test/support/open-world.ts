// Unit tests use no socket and no process (closed-world.ts) unless the file asks here, with the reason beside it.
export type Part = "sockets" | "processes";

const mark = Symbol.for("honest-paas/open-world");

export function openedParts(): Set<Part> {
  const found = Reflect.get(globalThis, mark) as Set<Part> | undefined;
  if (found) return found;
  const made = new Set<Part>();
  Reflect.set(globalThis, mark, made);
  return made;
}

export function openWorld(...parts: readonly Part[]): void {
  for (const part of parts) openedParts().add(part);
}
