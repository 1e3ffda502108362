// A provider for tests through the real launcher: each command is a process of its own, so the objects of "packed_file" are
// files below PACKED_FOLDER.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { error } from "../../../provider/framework/diagnostic.js";
import type { Log, Provider, Resource } from "../../../provider/framework/resource.js";
import type { ObjectValue } from "../../../provider/framework/value.js";
import { createServed, type Served } from "../../../provider/protocol/served.js";

const folder = process.env.PACKED_FOLDER ?? "";
const note = (kind: string, text = ""): void => {
  mkdirSync(join(folder, kind), { recursive: true });
  writeFileSync(join(folder, kind, String(process.pid)), text);
};
const fileOf = (state: ObjectValue): string => join(folder, "objects", `${state.name}.json`);

const file: Resource = {
  name: "packed_file",
  schema: {
    version: 0,
    description: "A file.",
    attributes: {
      name: { type: "string", required: true, change: "replace", description: "Name of the file." },
      body: { type: "string", optional: true, description: "Content." },
      wait_ms: { type: "number", default: 0, description: "How long a create takes." },
      fault: { type: "string", optional: true, description: "What goes wrong at create." },
      id: { type: "string", computed: true, description: "Id." },
    },
  },
  async create({ planned }, { signal }) {
    if (planned.fault === "uncaught") {
      setTimeout(() => {
        throw new Error("thrown where nobody listens");
      }, 1);
      await sleep(10_000);
    }
    note("creating");
    try {
      await sleep(Number(planned.wait_ms), undefined, { signal });
    } catch {
      note("stopped", String((signal.reason as Error).message));
      return { state: null, diagnostics: [error("Stopped", `${planned.name} was not made: the run was stopped.`)] };
    }
    const state = { ...planned, id: `file-${planned.name}` };
    mkdirSync(join(folder, "objects"), { recursive: true });
    writeFileSync(fileOf(state), JSON.stringify(state));
    return { state };
  },
  async read({ state }) {
    return { state: existsSync(fileOf(state)) ? (JSON.parse(readFileSync(fileOf(state), "utf8")) as ObjectValue) : null };
  },
  async update({ prior, planned }) {
    const state = { ...planned, id: prior?.id ?? null };
    writeFileSync(fileOf(state), JSON.stringify(state));
    return { state };
  },
  async delete({ prior }) {
    rmSync(fileOf(prior), { force: true });
    return { state: null };
  },
};

const provider: Provider = {
  version: "0.0.1",
  schema: { version: 0, description: "Packed.", attributes: {} },
  resources: [file],
  dataSources: [],
  ephemeralResources: [],
};

export async function served(log: Log): Promise<Served> {
  console.log("a dependency that prints when it is loaded");
  if (folder) note("processes");
  return createServed(provider, log);
}
