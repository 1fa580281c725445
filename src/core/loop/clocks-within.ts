// What is left of a run's time bounds the clocks of its next agent.

import type { ClockLimits } from "../schema/config.ts";
import type { RunState } from "./state.ts";

/** The clocks of the next agent: it gets no more time than the run has left. */
export function clocksWithin(state: RunState): ClockLimits {
  const { clocks, runMsMax } = state.config;
  if (runMsMax === undefined) return clocks;
  return { ...clocks, wallMs: Math.max(1, Math.min(clocks.wallMs, runMsMax - state.activeMs)) };
}
