import type { Evidence, Finding } from "../../../../../provider/cli/diagnosis/evidence.js";

/** Name of the case, what is seen, and what the first finding has to be. */
export type Row = readonly [string, Evidence, Finding["cause"], Finding["sureness"], RegExp];
