// Entry of the packed test provider, as provider/main.ts; with a dependency that prints before the handshake.
import { keepStdoutClean } from "../../../provider/protocol/log.js";
import { serve } from "../../../provider/protocol/server.js";

const write = keepStdoutClean();
if (process.env.PACKED_NOISE) {
  console.log("hello from a dependency", { deep: { er: [1] } });
  process.stdout.write("and past the console\n");
}
void serve(async (log) => (await import("./served.js")).served(log), { version: "0.0.1", write });
