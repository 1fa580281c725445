// Counts how a task and a run fare from one iteration to the next. What follows from the counts is decided in
// parking.ts and in the guards.

import type { Config } from "../schema/config.ts";
import type { IterationEnd } from "../schema/event.ts";
import type { Breaker, Struggle } from "./state.ts";

const NO_STRUGGLE: Struggle = {
  tries: 0,
  worked: false,
  rejected: 0,
  testOnly: 0,
  idle: 0,
  error: undefined,
  errors: 0,
};

export const CLOSED: Breaker = {
  state: "closed",
  idle: 0,
  error: undefined,
  errors: 0,
  why: undefined,
};

/** The task's counts after an iteration that worked on it. */
export function nextStruggle(before: Struggle = NO_STRUGGLE, end: IterationEnd): Struggle {
  const worked = before.worked || end.progress === true;
  if (!isTelling(end)) return worked === before.worked ? before : { ...before, worked };
  const { error, errors } = countError(before, end.error);
  return {
    tries: before.tries + 1,
    worked,
    rejected: end.outcome === "rejected" ? before.rejected + 1 : 0,
    testOnly: end.testOnly === true ? before.testOnly + 1 : 0,
    idle: end.progress === true ? 0 : before.idle + 1,
    error,
    errors,
  };
}

/** The breaker after an iteration. Success closes it; a trial iteration without any change opens it again. */
export function nextBreaker(before: Breaker, end: IterationEnd, config: Config): Breaker {
  if (!isTelling(end) || before.state === "open") return before;
  if (end.outcome === "accepted") return CLOSED;
  const idle = end.progress === true ? 0 : before.idle + 1;
  const { error, errors } = countError(before, end.error);
  const counted = { idle, error, errors };
  const isTrial = before.state === "half-open";
  const { idleMax, sameErrorMax } = config.breaker;
  if (idle >= idleMax || (isTrial && idle > 0)) {
    const why = isTrial
      ? `the trial iteration changed nothing either (${before.why ?? "the breaker was open"})`
      : `${idle} ${idle === 1 ? "iteration" : "iterations in a row"} without any change`;
    return { ...counted, state: "open", why };
  }
  if (errors >= sameErrorMax) {
    const why = isTrial
      ? `the trial iteration had the same error: ${error ?? ""}`
      : `the same error ${errors} times: ${error ?? ""}`;
    return { ...counted, state: "open", why };
  }
  return { ...counted, state: "closed", why: undefined };
}

/** An iteration that says something about the work: not one that a limit, a crash, a stop or a question cut short. */
function isTelling(end: IterationEnd): boolean {
  return end.charged && end.outcome !== "interrupted" && end.outcome !== "needs-human";
}

function countError(
  before: { readonly error: string | undefined; readonly errors: number },
  error: string | undefined,
): { error: string | undefined; errors: number } {
  if (error === undefined) return { error: undefined, errors: 0 };
  return { error, errors: error === before.error ? before.errors + 1 : 1 };
}
