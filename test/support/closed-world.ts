// Setup of the unit tests: no socket and no process unless the test file asks with openWorld(). What a unit test needs
// from outside is a sign that the unit is not one.
import childProcess from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import { openedParts, type Part } from "./open-world.js";

type Method = (this: unknown, ...args: unknown[]) => unknown;

function guard(holder: object, name: string, part: Part): void {
  const original = Reflect.get(holder, name) as Method;
  const guarded: Method = function (...args) {
    if (!openedParts().has(part))
      throw new Error(`${name}: unit tests use no ${part}; openWorld("${part}") of test/support/open-world.ts allows them`);
    return Reflect.apply(original, this, args);
  };
  // promisify() finds the promise form of exec and execFile by a symbol on them
  for (const key of Reflect.ownKeys(original)) if (typeof key === "symbol") Reflect.set(guarded, key, Reflect.get(original, key));
  Reflect.set(holder, name, guarded);
}

const mark = Symbol.for("honest-paas/closed-world");
if (!Reflect.has(globalThis, mark)) {
  Reflect.set(globalThis, mark, true);
  guard(net.Socket.prototype, "connect", "sockets");
  guard(net.Server.prototype, "listen", "sockets");
  for (const name of ["spawn", "spawnSync", "exec", "execSync", "execFile", "execFileSync", "fork"]) guard(childProcess, name, "processes");
  syncBuiltinESMExports();
}
