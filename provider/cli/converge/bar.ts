const width = 20;

/** "[#######-------------]": never full before all is done, never empty when something is. */
export function bar(done: number, all: number): string {
  const share = all === 0 ? width : (width * done) / all;
  const filled = done === 0 ? 0 : done === all ? width : Math.min(width - 1, Math.max(1, Math.round(share)));
  return `[${"#".repeat(filled)}${"-".repeat(width - filled)}]`;
}
