// Progress of builds as notes of a stage: only what has something to say.
import type { Progress } from "../../mirror/build.js";

export const readProgress =
  (note: (line: string) => void) =>
  (progress: Progress): void => {
    if (progress.note) note(progress.note);
  };
