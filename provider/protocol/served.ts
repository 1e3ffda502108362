// The provider as bytes in, bytes out: what the listener calls once the provider is loaded. The same object answers in the
// provider process and inside a test.
import type { Log, Provider } from "../framework/resource.js";
import type { Unary } from "./grpc-server.js";
import { providerService, type Rpc } from "./messages.js";
import { createServices, type Handler } from "./services.js";
import { createSession } from "./session.js";
import { decode, encode } from "./wire.js";

export interface Served {
  /** The call of this name, "ReadResource"; undefined when there is none. */
  method(name: string): Unary | undefined;
  /** Asks what is under way to come to an end, and waits for it. */
  stop(reason: string): Promise<void>;
}

async function answer(handler: Handler, messages: Rpc, bytes: Uint8Array): Promise<Uint8Array> {
  return encode(messages.response, await handler(decode(messages.request, bytes)));
}

export function createServed(provider: Provider, log: Log): Served {
  const session = createSession(provider, log);
  const services = createServices(session);
  const underWay = new Set<Promise<unknown>>();
  const track = <T>(work: Promise<T>): Promise<T> => {
    underWay.add(work);
    const over = (): void => void underWay.delete(work);
    work.then(over, over);
    return work;
  };
  return {
    method(name) {
      const messages = Object.hasOwn(providerService, name) ? providerService[name] : undefined;
      const handler = services[name];
      if (!messages || !handler) return undefined;
      return (bytes) => track(answer(handler, messages, bytes));
    },
    async stop(reason) {
      session.stop.abort(new Error(reason));
      await Promise.allSettled(underWay);
    },
  };
}
