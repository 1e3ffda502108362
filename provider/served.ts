// What the process answers with once it has said the handshake line: codec, framework and resources, in a file of their own.
// Reading them takes as long as starting Node does, and core waits for the line.
import type { Log } from "./framework/resource.js";
import { createServed, type Served } from "./protocol/served.js";
import { loadProvider } from "./provider.js";

export const served = async (log: Log): Promise<Served> => createServed(await loadProvider(), log);
