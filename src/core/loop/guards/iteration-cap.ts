// Ends a run that has used up its iterations. Limits of a provider are not charged and do not count.

import type { Guard } from "../guards.ts";

export const iterationCap: Guard = (state) => {
  const { iterationMax } = state.config;
  if (state.charged < iterationMax) return undefined;
  const detail = `${state.charged} of ${iterationMax} iterations used, ${state.tasks?.open ?? 0} tasks open`;
  return { reason: "iterations-used-up", detail };
};
