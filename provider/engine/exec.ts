// Runs a program in a running container and gives what it said.
import type { Core } from "./core.js";
import { splitFrames } from "./frames.js";

export interface ExecResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function execIn(core: Core, container: string, argv: readonly string[]): Promise<ExecResult> {
  const { Id } = await core.json<{ Id: string }>(`/containers/${container}/exec`, {
    method: "POST",
    json: { AttachStdout: true, AttachStderr: true, Tty: false, Cmd: argv },
  });
  const started = await core.call(`/exec/${Id}/start`, { method: "POST", json: { Detach: false, Tty: false } });
  const output = splitFrames(await started.bytes());
  const { ExitCode } = await core.json<{ ExitCode: number | null }>(`/exec/${Id}/json`);
  return { code: ExitCode ?? -1, ...output };
}
