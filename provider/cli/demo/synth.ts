// Runs the example that is the demo (examples/local-cluster) as a user runs a program of their own: another process.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../command.js";
import { packageRoot } from "../package-root.js";
import type { Layout } from "./layout.js";
import type { Settings } from "./settings.js";

export function synthesize(layout: Layout, wanted: Settings, env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const program = join(packageRoot(), "dist", "examples", "local-cluster.js");
  if (!existsSync(program)) throw new UserError(`${program} is missing. In a clone, run npm run build first.`);
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [program], {
      cwd: layout.folder,
      env: {
        ...env,
        NODE_OPTIONS: "",
        HONEST_DEMO_NAME: layout.name,
        HONEST_DEMO_CONTROL_PLANES: String(wanted.controlPlanes),
        HONEST_DEMO_WORKERS: String(wanted.workers),
        HONEST_DEMO_VERSION: wanted.version,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        said = (said + chunk).slice(-4000);
      });
    child.on("error", fail);
    child.on("close", (code) => {
      if (code === 0) return done();
      const missing = /Cannot find (?:package|module) '(cdktf|constructs)'/.exec(said)?.[1];
      const fix = missing ? `The demo's program needs ${missing}: npm install cdktf constructs@~10.7.` : said.trim();
      fail(new UserError(`The demo's program (examples/local-cluster) ended with ${code}. ${fix}`));
    });
  });
}
