// The resources of one control plane.
import type { Element } from "./element.js";

export class ControlPlaneElements {
  constructor(
    private readonly of: (part: string) => Element,
    private readonly everything: () => ReadonlyMap<string, Element>,
  ) {}

  get machine(): Element {
    return this.of("machine");
  }
  /** The etcd disk. */
  get disk(): Element {
    return this.of("disk");
  }
  /** What carries its fixed address, on clouds where that is a resource: a port, a network interface. */
  get address(): Element {
    return this.of("address");
  }
  /** All of its resources by name, attachments and the kit's own too. */
  get resources(): ReadonlyMap<string, Element> {
    return this.everything();
  }
}
