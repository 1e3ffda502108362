// Progress that a person can read: which stage runs, what it is at, how long each took.
export interface StageTime {
  readonly name: string;
  readonly ms: number;
}

export interface Stages {
  /** Runs one stage; the work gives its summary. */
  run<T>(name: string, work: (note: (line: string) => void) => Promise<{ readonly summary: string; readonly value: T }>): Promise<T>;
  readonly times: readonly StageTime[];
}

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

export function createStages(names: readonly string[], print: (line: string) => void, now: () => number = Date.now): Stages {
  const times: StageTime[] = [];
  const column = Math.max(...names.map((name) => name.length));
  return {
    times,
    async run(name, work) {
      const head = `[${names.indexOf(name) + 1}/${names.length}] ${name.padEnd(column)}`;
      const begun = now();
      print(`${head}  ...`);
      let last = "";
      const note = (line: string): void => {
        // builders repeat themselves
        if (line !== last) print(`      ${seconds(now() - begun).padStart(8)}  ${line}`);
        last = line;
      };
      try {
        const { summary, value } = await work(note);
        print(`${head}  ${summary} (${seconds(now() - begun)})`);
        return value;
      } catch (cause) {
        print(`${head}  failed after ${seconds(now() - begun)}`);
        throw cause;
      } finally {
        times.push({ name, ms: now() - begun });
      }
    },
  };
}
