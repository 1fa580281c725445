// Ends a run that has used up its time. The time of all its processes counts, waiting for a limit does not.

import { renderDuration } from "../../../std/duration.ts";
import type { Guard } from "../guards.ts";

export const timeCap: Guard = (state) => {
  const { runMsMax } = state.config;
  if (runMsMax === undefined || state.activeMs < runMsMax) return undefined;
  const used = `${renderDuration(state.activeMs)} of ${renderDuration(runMsMax)} used`;
  return { reason: "budget-used-up", detail: `${used}, ${state.tasks?.open ?? 0} tasks open` };
};
