// The terraform that the demo runs: the user's, else OpenTofu from its Go module.
import { UserError } from "../command.js";
import { findTerraform, howToGetOne, onPath, type Program } from "../terraform/find.js";
import { buildOpenTofu, openTofuVersion } from "../terraform/open-tofu.js";

export async function ensureTerraform(
  env: Readonly<Record<string, string | undefined>>,
  allowed: boolean,
  note: (line: string) => void,
  signal: AbortSignal,
): Promise<Program> {
  const { program, rejected } = await findTerraform(env);
  if (program) return program;
  for (const line of rejected) note(`not used: ${line}`);
  if (!allowed || !onPath("go", env)) throw new UserError(`No terraform or tofu that will do. ${howToGetOne}`);
  note(`no terraform or tofu on PATH: building OpenTofu ${openTofuVersion} from its Go module into the cache`);
  return buildOpenTofu(note, signal);
}
