// Names what a run needs next. The driver starts whatever is ordered and not yet in flight.

import type { LimitAnswer } from "../schema/control.ts";
import { exitCodeOf, type EndReason } from "../schema/outcome.ts";
import { decideIteration } from "./decide-iteration.ts";
import { askGuards } from "./guards.ts";
import type { RunEnd, RunState } from "./state.ts";

/** Each order has an id, so that the driver can tell one it has started from a new one. */
export type Order =
  | {
      readonly type: "run-iteration";
      readonly id: string;
      readonly n: number;
      readonly reason: string;
    }
  | { readonly type: "cancel"; readonly id: string; readonly reason: string }
  | {
      readonly type: "wait-until";
      readonly id: string;
      readonly until: number;
      readonly reason: string;
      /** A person is asked meanwhile whether to wait until this time. */
      readonly question?: { readonly until: number };
    }
  | { readonly type: "end"; readonly id: string; readonly end: RunEnd };

export function decideRun(state: RunState): readonly Order[] {
  if (state.end !== undefined) return [];
  if (state.stop?.when === "now") return stopNow(state);
  // A fault of the machine ends the run in the middle of an iteration; the others wait for its end.
  if (state.ending !== undefined) return endWith(state, state.ending.reason, state.ending.detail);
  if (state.current !== undefined) return goOn(state);
  if (state.stop !== undefined) return endWith(state, "stopped", `stopped by ${state.stop.from}`);
  const verdict = askGuards(state);
  if (verdict?.type === "end") return endWith(state, verdict.reason, verdict.detail);
  const wait = state.notBefore;
  const isHeld = wait !== undefined && wait.at > state.now;
  // A person is asked when the limit is met, not after some other wait.
  if (isHeld && wait.limit !== undefined) return holdAtLimit(state, wait, wait.limit);
  if (verdict?.type === "wait") return waitUntil(verdict.until, verdict.reason);
  if (isHeld) return waitUntil(wait.at, wait.reason);
  return [
    {
      type: "run-iteration",
      id: `iteration/${state.iteration + 1}`,
      n: state.iteration + 1,
      reason: state.last === undefined ? "the first iteration" : `after ${state.last.end.outcome}`,
    },
  ];
}

/** How long a person has to answer. */
const ANSWER_MS = 30_000;

/** At a usage limit the settings, or the person who is asked, say whether to wait at all. */
function holdAtLimit(
  state: RunState,
  { at, reason }: NonNullable<RunState["notBefore"]>,
  limit: { readonly since: number; readonly answer: LimitAnswer | undefined },
): readonly Order[] {
  const { onLimit } = state.config;
  const isAlone = onLimit === "ask" && state.unattended;
  if (onLimit === "wait" || isAlone || limit.answer === "wait") return waitUntil(at, reason);
  const detail = `${reason} until ${new Date(at).toISOString()}`;
  if (limit.answer === "exit")
    return endWith(state, "usage-limit", `${detail}; a person said exit`);
  if (onLimit === "exit") return endWith(state, "usage-limit", detail);
  const deadline = limit.since + ANSWER_MS;
  if (deadline <= state.now)
    return endWith(state, "usage-limit", `${detail}; nobody said whether to wait`);
  // What is over before anybody can have answered is not worth a question.
  if (at <= deadline) return waitUntil(at, reason);
  const question = { until: at };
  return [{ type: "wait-until", id: `ask/${deadline}`, until: deadline, reason, question }];
}

function waitUntil(until: number, reason: string): readonly Order[] {
  return [{ type: "wait-until", id: `wait/${until}`, until, reason }];
}

/** Cuts what is running, reads what it left, and leaves the checking to the day the run goes on. */
function stopNow(state: RunState): readonly Order[] {
  const detail = `stopped at once by ${state.stop?.from ?? "a signal"}`;
  const current = state.current;
  if (current === undefined || current.pending?.cut === true)
    return endWith(state, "stopped", detail);
  if (current.pending !== undefined) {
    return [{ type: "cancel", id: `cancel/${current.n}.${current.pending.k}`, reason: detail }];
  }
  const next = decideIteration(state);
  const isQuick =
    next.type === "end" || (next.effect.type === "inspect-project" && current.exit !== undefined);
  return isQuick ? goOn(state) : endWith(state, "stopped", detail);
}

function goOn(state: RunState): readonly Order[] {
  const n = state.iteration;
  return [{ type: "run-iteration", id: `iteration/${n}`, n, reason: "the iteration goes on" }];
}

function endWith(state: RunState, reason: EndReason, detail: string): readonly Order[] {
  const exitCode = exitCodeOf(reason, state.stop?.signal ?? "SIGINT");
  return [{ type: "end", id: "end", end: { reason, exitCode, detail } }];
}
