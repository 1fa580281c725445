// The rules that end or hold a run between two iterations, as one table, in the order in which they are asked. What lays
// a single task aside is in parking.ts.

import type { EndReason } from "../schema/outcome.ts";
import { callLimit } from "./guards/call-limit.ts";
import { circuitBreaker } from "./guards/circuit-breaker.ts";
import { costCap } from "./guards/cost-cap.ts";
import { iterationCap } from "./guards/iteration-cap.ts";
import { timeCap } from "./guards/time-cap.ts";
import { tokenCap } from "./guards/token-cap.ts";
import type { RunState } from "./state.ts";

/** What a guard wants: the end of the run, or that no agent starts before a time. */
export type GuardVerdict =
  | { readonly type: "end"; readonly reason: EndReason; readonly detail: string }
  | { readonly type: "wait"; readonly until: number; readonly reason: string };

/** One rule. */
export interface Guard {
  readonly name: string;
  /** Must not look at anything but the state. */
  readonly check: (state: RunState) => GuardVerdict | undefined;
}

const guards: readonly Guard[] = [
  circuitBreaker,
  iterationCap,
  timeCap,
  tokenCap,
  costCap,
  callLimit,
];

/** What the first guard wants that wants something. */
export function askGuards(state: RunState): GuardVerdict | undefined {
  for (const guard of guards) {
    const verdict = guard.check(state);
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}

/** Why no agent may start now, as far as a guard says so: the run is over, or it has to wait. */
export function startDenied(state: RunState): string | undefined {
  const verdict = askGuards(state);
  return verdict?.type === "end" ? verdict.detail : verdict?.reason;
}
