// Paths of a plugin: the provider service and what core's plugin library asks of every plugin.
import type { GrpcRoutes } from "./grpc-server.js";
import type { Served } from "./served.js";

const provider = "/tfplugin6.Provider/";

/** `served` is asked at each call: the listener is there before the provider is loaded. */
export function pluginRoutes(served: () => Promise<Served>, shutdown: () => void): GrpcRoutes {
  return {
    async unary(path) {
      if (path.startsWith(provider)) return (await served()).method(path.slice(provider.length));
      if (path === "/plugin.GRPCController/Shutdown")
        return async () => {
          shutdown();
          return new Uint8Array();
        };
      // field 1, varint 1: SERVING
      if (path === "/grpc.health.v1.Health/Check") return async () => Uint8Array.of(0x08, 0x01);
      return undefined;
    },
    silent: ["/plugin.GRPCStdio/StreamStdio", "/plugin.GRPCBroker/StartStream"],
  };
}
