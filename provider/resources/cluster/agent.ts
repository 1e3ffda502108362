// The agent of this kit, packed once per process.
import type { Context } from "../../framework/resource.js";
import { agentArchive } from "../../kube/agent-archive.js";

export const packedAgent = (context: Context): Promise<ReturnType<typeof agentArchive>> =>
  context.once("cluster/agent", async () => {
    const { agentSources, agentVersion } = await import("../../boot/gen/cloud-init-sources.js");
    return agentArchive(agentSources, agentVersion);
  });
