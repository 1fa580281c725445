// Ends a run that has used up its time. The time of all its processes counts, waiting for a limit does not.

import { renderDuration } from "../../../std/duration.ts";
import { count } from "../../../std/text.ts";
import type { Guard } from "../guards.ts";

export const timeCap: Guard = {
  name: "time-cap",
  check: (state) => {
    const { runMsMax } = state.config;
    if (runMsMax === undefined || state.activeMs < runMsMax) return undefined;
    const used = `${renderDuration(state.activeMs)} of ${renderDuration(runMsMax)} used`;
    const detail = `${used}, ${count(state.tasks?.open ?? 0, "task")} open`;
    return { type: "end", reason: "budget-used-up", detail };
  },
};
