// Copies the state while somebody else writes it.
import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { keepState } from "./state-file.js";

export interface Watch {
  /** Takes a last copy. */
  stop(): void;
}

/** Each change is looked at at once, and every 250 ms in case the file system reports none (network folders). */
export function watchState(stateFile: string, report: (problem: string) => void): Watch {
  let told = false;
  const look = (): void => {
    try {
      keepState(stateFile);
    } catch (cause) {
      if (!told) report(`the state cannot be copied: ${cause instanceof Error ? cause.message : String(cause)}`);
      told = true;
    }
  };
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(dirname(stateFile), (_event, name) => {
      if (name === null || name === basename(stateFile)) look();
    });
    watcher.on("error", () => watcher?.close());
  } catch (cause) {
    report(`changes of the state are only seen by looking: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  const timer = setInterval(look, 250);
  look();
  return {
    stop() {
      watcher?.close();
      clearInterval(timer);
      look();
    },
  };
}
