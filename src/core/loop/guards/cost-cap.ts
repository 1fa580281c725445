// Ends a run that has used up its money, or that of its feature. What no agent has told is unknown, and never zero.

import type { Guard, GuardVerdict } from "../guards.ts";

export const costCap: Guard = {
  name: "cost-cap",
  check: ({ config: { budget }, costUsd = 0, spent }) =>
    over(costUsd, budget.usdMax, "") ??
    over(costUsd + (spent.costUsd ?? 0), budget.featureUsdMax, " of the feature"),
};

function over(used: number, max: number | undefined, whose: string): GuardVerdict | undefined {
  if (max === undefined || used < max) return undefined;
  const detail = `$${used.toFixed(2)} of $${max.toFixed(2)}${whose} used, as told by the agent`;
  return { type: "end", reason: "budget-used-up", detail };
}
