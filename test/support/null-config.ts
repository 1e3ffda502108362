// hashicorp/null as a stack has it, for tests of elements alone.
import type { ProviderElementConfig } from "../../constructs/cdktf/element.js";

export const nullProviderConfig: ProviderElementConfig = { type: "null", source: "hashicorp/null", version: "~> 3.2", args: {} };
