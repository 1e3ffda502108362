// CDKTF ignores construct.node.addDependency. Within a cluster it counts; on a stack, add this aspect to have it count there.
import { type IAspect, TerraformResource } from "cdktf";
import type { IConstruct } from "constructs";

export class DependencyAspect implements IAspect {
  visit(construct: IConstruct): void {
    if (!TerraformResource.isTerraformResource(construct)) return;
    // What was said of a construct holds for everything inside it.
    const roots = construct.node.scopes.flatMap((scope) => scope.node.dependencies);
    const wanted = roots.flatMap((root) => root.node.findAll()).filter((found) => found !== construct && isResource(found));
    if (wanted.length === 0) return;
    const addresses = wanted.map(
      (found) => `${(found as TerraformResource).terraformResourceType}.${(found as TerraformResource).friendlyUniqueId}`,
    );
    construct.dependsOn = [...new Set([...(construct.dependsOn ?? []), ...addresses])];
  }
}

const isResource = (construct: IConstruct): boolean => TerraformResource.isTerraformResource(construct);
