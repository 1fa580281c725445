// Which branch a feature is worked on: the one its list names, else one that is made of its own name.

import { BRANCH_PREFIX, type BranchConfig } from "../../core/schema/config.ts";

/** The name a branch gets by itself; git allows neither a dot nor `.lock` at its end. */
export function branchNameOf(feature: string, config: BranchConfig | undefined): string {
  return `${config?.prefix ?? BRANCH_PREFIX}${feature.replace(/\.(lock)?$/u, "-$1")}`;
}

/** A branch that is wanted, and who says so. */
export interface WantedBranch {
  readonly name: string;
  readonly from: "list" | "settings";
  /** Whether it may be created where it is missing. */
  readonly missing: "create" | "refuse";
}

/** Undefined where the work is to be done on whatever branch is checked out. */
export function wantedBranch(
  feature: string,
  named: string | undefined,
  config: BranchConfig | undefined,
): WantedBranch | undefined {
  if (named !== undefined && named !== "")
    return {
      name: named,
      from: "list",
      missing: config?.autoCreate === false ? "refuse" : "create",
    };
  if (config?.autoCreate !== true) return undefined;
  return { name: branchNameOf(feature, config), from: "settings", missing: "create" };
}
