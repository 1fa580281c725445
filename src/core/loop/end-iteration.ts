// What the end of an iteration means for the run: counts, waits, tasks laid aside, and whether the run is over.

import { assert } from "../../std/assert.ts";
import { lookUp } from "../../std/look-up.ts";
import type { IterationEnd } from "../schema/event.ts";
import { backoffUntil, toldReset } from "./backoff.ts";
import { finishSoFar, NOT_FINISHED } from "./finish.ts";
import type { IterationState, RunState } from "./state.ts";
import { nextBreaker, nextStruggle } from "./struggle.ts";
import { trustAtEnd } from "./trust.ts";

export function endIteration(state: RunState, end: IterationEnd, at: number): RunState {
  const current = state.current;
  assert(current !== undefined, "an iteration that ends has begun");
  const rateLimits = end.outcome === "rate-limited" ? state.rateLimits + 1 : 0;
  return {
    ...state,
    current: undefined,
    charged: state.charged + (end.charged ? 1 : 0),
    commits: state.commits + (end.figures?.commits ?? 0),
    accepted: { ...state.accepted, ...acceptedBy(end) },
    acceptances: end.complete ? 0 : state.acceptances + end.accepted.length,
    finish: end.complete ? NOT_FINISHED : finishSoFar(state, current),
    doubt: isDoubtful(end) ? end.reason : state.doubt,
    parked: parkedAfter(state, end),
    struggles: strugglesAfter(state, end),
    breaker: nextBreaker(state.breaker, end, state.config),
    trust: trustAtEnd(state.trust, end),
    // An accepted claim leaves nothing to say about those before it.
    rejection: end.rejection ?? (end.outcome === "accepted" ? undefined : state.rejection),
    rateLimits,
    notBefore: waitAfter({ ...state, rateLimits }, current, at, end),
    last: { iteration: current.n, end },
    ending: endingAfter(state, end),
  };
}

function acceptedBy(end: IterationEnd): RunState["accepted"] {
  return Object.fromEntries(end.accepted.map((task) => [task.id, task.verification]));
}

function waitAfter(
  state: RunState,
  current: IterationState,
  at: number,
  end: IterationEnd,
): RunState["notBefore"] {
  // Whatever else came of the iteration: the provider has said until when it refuses to work.
  const told = toldReset(state, current, at);
  if (told !== undefined) return usageLimit(told, at);
  switch (end.outcome) {
    case "usage-limited":
      return usageLimit(at + state.config.limitWaitMs, at);
    case "rate-limited":
      return {
        at: backoffUntil(state, at),
        reason: "the agent's provider is overloaded",
        limit: undefined,
      };
    default:
      return state.config.pauseMs > 0
        ? { at: at + state.config.pauseMs, reason: "pause between iterations", limit: undefined }
        : undefined;
  }
}

function usageLimit(until: number, at: number): RunState["notBefore"] {
  const limit = { since: at, answer: undefined };
  return { at: until, reason: "usage limit of the agent's provider", limit };
}

function endingAfter(state: RunState, end: IterationEnd): RunState["ending"] {
  const { reason: detail } = end;
  if (end.complete) return { reason: "complete", detail };
  if (end.outcome === "fatal") return { reason: "agent-unusable", detail };
  if (end.blocked === true) return { reason: "needs-human", detail };
  if (end.outcome !== "needs-human" || end.task !== undefined) return undefined;
  // Only tasks are left that were laid aside: a question waits for its answer, all else has gone wrong too often.
  const isAsking = Object.values(state.parked).some(({ why }) => why === "asked");
  return { reason: isAsking ? "needs-human" : "circuit-open", detail };
}

function isDoubtful(end: IterationEnd): boolean {
  return end.accepted.some(({ verification }) => verification === "unverified");
}

function parkedAfter(state: RunState, end: IterationEnd): RunState["parked"] {
  const done = new Set<string>(end.accepted.map(({ id }) => id));
  const left = Object.entries(state.parked).filter(([id]) => !done.has(id));
  const { task, parked } = end;
  const fresh = task === undefined || parked === undefined ? [] : [[task.id, parked] as const];
  return Object.fromEntries([...left, ...fresh]);
}

/** A task that is done or laid aside starts with a clean sheet if it ever comes back. */
function strugglesAfter(state: RunState, end: IterationEnd): RunState["struggles"] {
  const { task } = end;
  const settled = new Set<string>(end.accepted.map(({ id }) => id));
  if (task !== undefined && end.parked !== undefined) settled.add(task.id);
  const left = Object.entries(state.struggles).filter(([id]) => !settled.has(id));
  const isCounted = task !== undefined && !settled.has(task.id);
  const own = isCounted ? nextStruggle(lookUp(state.struggles, task.id), end) : undefined;
  const fresh = task === undefined || own === undefined ? [] : [[task.id, own] as const];
  return Object.fromEntries([...left, ...fresh]);
}
