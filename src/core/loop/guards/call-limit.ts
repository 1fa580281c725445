// Holds a run that has started as many agents within an hour as it may. One start is one call, whatever came of it.

import { HOUR_MS } from "../../../std/duration.ts";
import { count } from "../../../std/text.ts";
import type { Guard } from "../guards.ts";

export const callLimit: Guard = {
  name: "call-limit",
  check: (state) => {
    const max = state.config.callsPerHourMax;
    // The start that has to be an hour old before another one fits in.
    const oldest = state.calls.at(-max);
    if (state.calls.length < max || oldest === undefined) return undefined;
    const until = oldest + HOUR_MS;
    if (until <= state.now || state.tasks?.open === 0) return undefined;
    return { type: "wait", until, reason: `${count(max, "agent start")} within an hour` };
  },
};
