// A group of workers, as a place in the construct tree: its zones and machines are below it.
import { Construct } from "constructs";

export class NodeGroup extends Construct {
  constructor(
    scope: Construct,
    /** Name of the group. */
    readonly groupName: string,
  ) {
    super(scope, groupName);
  }
}
