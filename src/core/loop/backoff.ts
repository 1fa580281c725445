// How long to wait after a limit. Time and the jitter's source come in with the state, so a replay waits the same.

import type { IterationState, RunState } from "./state.ts";

const BACKOFF_FIRST_MS = 5_000;
const BACKOFF_MAX_MS = 15 * 60_000;
const RESET_MAX_MS = 8 * 24 * 3_600_000;

/** The told reset time with a margin; undefined where none was told that can be believed, or the agent got by. */
export function toldReset(
  { config }: RunState,
  current: IterationState,
  at: number,
): number | undefined {
  const told = current.exit?.limit?.resetsAt;
  if (told === undefined || current.exit?.result?.good === true) return undefined;
  return told > at && told < at + RESET_MAX_MS ? told + config.limitMarginMs : undefined;
}

/** Doubles from five seconds to fifteen minutes, less a quarter at most so that many runs do not return at once. */
export function backoffUntil(state: RunState, at: number): number {
  const full = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** Math.min(20, state.rateLimits - 1));
  return at + Math.round(full * (1 - 0.25 * fraction(`${state.run}/${state.iteration}`)));
}

/** A number in [0, 1) that depends on the text alone. */
function fraction(text: string): number {
  let hash = 2_166_136_261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16_777_619);
  return (hash >>> 0) / 4_294_967_296;
}
