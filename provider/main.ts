// Entry of the provider process. Nothing but the listener is loaded before the handshake line: Terraform starts a provider
// three to four times a command, one start after the other.
import { keepStdoutClean } from "./protocol/log.js";
import { serve } from "./protocol/server.js";
import { version } from "./version.js";

const write = keepStdoutClean();
void serve(async (log) => (await import("./served.js")).served(log), { version, write });
