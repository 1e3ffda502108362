// Resources of our own through the same client, without a child process: the bytes go straight to the code that answers
// Terraform. One way for all resources of a cluster, whoever makes them.
import type { Log, Provider } from "../framework/resource.js";
import { createServed } from "../protocol/served.js";
import { createClient } from "./client.js";
import { servicePrefix } from "./messages.js";
import type { Vendor } from "./vendor.js";

export function inProcessVendor(provider: Provider, log: Log): Vendor {
  const served = createServed(provider, log);
  const transport = {
    protocol: 6 as const,
    process: null,
    alive: () => true,
    async call(path: string, request: Uint8Array): Promise<Uint8Array> {
      const method = served.method(path.slice(servicePrefix[6].length));
      if (!method) throw new Error(`the provider has no ${path}`);
      // Unary takes a Buffer; the bytes are shared, not copied
      return method(Buffer.from(request.buffer, request.byteOffset, request.length));
    },
    close: () => served.stop("the work that needed it is done"),
  };
  return createClient(transport, { name: `honest-paas ${provider.version}`, terraformVersion: provider.version });
}
