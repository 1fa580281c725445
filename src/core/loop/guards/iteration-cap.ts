// Ends a run that has used up its iterations. Limits of a provider are not charged and do not count.

import { count } from "../../../std/text.ts";
import type { Guard } from "../guards.ts";

export const iterationCap: Guard = {
  name: "iteration-cap",
  check: (state) => {
    const { iterationMax } = state.config;
    // With nothing open no agent starts any more: one last look tells whether all is well.
    if (state.charged < iterationMax || state.tasks?.open === 0) return undefined;
    const detail = `${state.charged} of ${count(iterationMax, "iteration")} used, ${count(state.tasks?.open ?? 0, "task")} open`;
    return { type: "end", reason: "iterations-used-up", detail };
  },
};
