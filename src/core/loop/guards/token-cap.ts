// Ends a run that has used up its tokens, or those of its feature. What no agent has told is not counted.

import type { Guard, GuardVerdict } from "../guards.ts";

export const tokenCap: Guard = {
  name: "token-cap",
  check: ({ config: { budget }, tokens = 0, spent }) =>
    over(tokens, budget.tokensMax, "") ??
    over(tokens + (spent.tokens ?? 0), budget.featureTokensMax, " of the feature"),
};

function over(used: number, max: number | undefined, whose: string): GuardVerdict | undefined {
  if (max === undefined || used < max) return undefined;
  const detail = `${used} of ${max} tokens${whose} used`;
  return { type: "end", reason: "budget-used-up", detail };
}
