// Folds one event into the state. The only way state changes; a fact that does not fit is a defect.

import { assert, unreachable } from "../../std/assert.ts";
import type { Event, IterationEnd } from "../schema/event.ts";
import { backoffUntil, toldReset } from "./backoff.ts";
import { rejectionOf } from "./judge.ts";
import type { IterationState, RunState } from "./state.ts";

export function reduce(state: RunState | undefined, event: Event): RunState {
  if (state === undefined) return start(event);
  // Not always the next number: events of a later version are passed over.
  assert(event.seq > state.seq, `event ${event.seq} follows ${state.seq}`);
  const timed = passTime(state, event);
  switch (event.type) {
    case "run-started":
      assert(false, "a run starts once");
      return timed;
    case "run-resumed":
      return {
        ...timed,
        program: event.program,
        stop: undefined,
        waiting: undefined,
        ending: undefined,
        end: undefined,
        current: takeUpAgain(timed.current),
      };
    case "config-changed":
      return { ...timed, config: event.config };
    case "control-received":
      // An order to stop at once is not softened by a later request.
      return timed.stop?.when === "now" ? timed : { ...timed, stop: event.control };
    case "cancel-ordered":
      return timed;
    case "wait-started":
      return { ...timed, waiting: { until: event.until, reason: event.reason } };
    case "wait-ended":
      return { ...timed, waiting: undefined };
    case "run-ended":
      return {
        ...timed,
        waiting: undefined,
        end: { reason: event.reason, exitCode: event.exitCode, detail: event.detail },
      };
    case "iteration-started":
      assert(timed.current === undefined, "one iteration at a time");
      return {
        ...timed,
        iteration: iterationOf(event),
        current: newIteration({ n: iterationOf(event), startedAt: event.at }),
      };
    case "iteration-ended":
      return endIteration(timed, event.end, event.at);
    case "effect-failed":
      return {
        ...withIteration(timed, event),
        ending: { reason: event.reason, detail: event.detail },
      };
    default:
      return withIteration(timed, event);
  }
}

function start(event: Event): RunState {
  assert(event.type === "run-started", "a log begins with run-started");
  return {
    run: event.run,
    program: event.program,
    feature: event.feature,
    layout: event.layout,
    tree: event.tree,
    config: event.config,
    startedAt: event.at,
    seq: event.seq,
    now: event.at,
    activeMs: 0,
    iteration: 0,
    charged: 0,
    stop: undefined,
    waiting: undefined,
    notBefore: undefined,
    rateLimits: 0,
    current: undefined,
    last: undefined,
    ending: undefined,
    rejection: undefined,
    tasks: undefined,
    accepted: Object.fromEntries((event.verified ?? []).map((id) => [id, "verified" as const])),
    attempts: {},
    costUsd: undefined,
    end: undefined,
  };
}

/** Time counts while a process works on the run: not while it waits, and not between two processes. */
function passTime(state: RunState, event: Event): RunState {
  const idle =
    event.type === "run-resumed" || state.waiting !== undefined || state.end !== undefined;
  const passed = idle ? 0 : Math.max(0, event.at - state.now);
  return {
    ...state,
    seq: event.seq,
    now: Math.max(state.now, event.at),
    activeMs: state.activeMs + passed,
  };
}

/**
 * A new process takes up what an older one had to leave. In between anybody may have changed the files: what was only
 * read is read again, what was done stays done.
 */
function takeUpAgain(it: IterationState | undefined): IterationState | undefined {
  if (it === undefined) return undefined;
  const pending = it.pending === undefined ? undefined : { ...it.pending, cut: false };
  const doing = pending?.effect.type;
  if (it.exit === undefined) {
    // Without its start on record an agent was never let go, so the iteration begins anew.
    return it.agent !== undefined
      ? { ...it, pending }
      : { ...newIteration(it), effects: it.effects };
  }
  if (it.restored || it.unmarked.length > 0 || doing === "mark-task") return { ...it, pending };
  const isJudged =
    it.remembered || it.commit !== undefined || doing === "write-memory" || doing === "commit";
  if (isJudged) return { ...it, pending, after: undefined };
  return { ...it, pending: undefined, after: undefined, gates: [] };
}

function newIteration({ n, startedAt }: { n: number; startedAt: number }): IterationState {
  return {
    n,
    startedAt,
    effects: 0,
    pending: undefined,
    before: undefined,
    task: undefined,
    attempt: 0,
    promptWritten: false,
    agent: undefined,
    exit: undefined,
    after: undefined,
    restored: false,
    gates: [],
    unmarked: [],
    remembered: false,
    commit: undefined,
  };
}

function withIteration(state: RunState, event: Event): RunState {
  const current = state.current;
  assert(current !== undefined && current.n === event.iteration, `${event.type} has its iteration`);
  const next = reduceIteration(current, event);
  switch (event.type) {
    case "project-read":
      return { ...state, current: next, tasks: event.reading.tasks };
    case "project-inspected":
      return { ...state, current: next, tasks: event.change.tasks };
    case "tasks-restored":
      return { ...state, current: next, tasks: current.before?.tasks };
    case "task-marked":
      return { ...state, current: next, tasks: recount(state.tasks, event) };
    case "agent-started":
      return { ...state, current: next, attempts: countAttempt(state, current) };
    case "agent-exited":
      return { ...state, current: next, costUsd: addCost(state, event.exit.result?.costUsd) };
    default:
      return { ...state, current: next };
  }
}

function reduceIteration(it: IterationState, event: Event): IterationState {
  const done = { ...it, pending: undefined };
  switch (event.type) {
    case "effect-ordered":
      return announce(it, event);
    case "effect-cut":
    case "effect-failed":
      return it.pending === undefined ? it : { ...it, pending: { ...it.pending, cut: true } };
    case "project-read":
      return { ...done, before: event.reading };
    case "prompt-written":
      return { ...done, promptWritten: true };
    case "agent-started":
      return { ...it, agent: { pid: event.pid, startTime: event.startTime } };
    case "agent-exited":
      return { ...done, exit: event.exit };
    case "project-inspected":
      return { ...done, after: event.change };
    case "tasks-restored":
      return { ...done, restored: true };
    case "gate-ran":
      return { ...done, gates: [...it.gates, event.result] };
    case "task-marked":
      return event.status === "open" ? { ...done, unmarked: [...it.unmarked, event.task] } : done;
    case "memory-written":
      return { ...done, remembered: true };
    case "committed":
      return { ...done, commit: { sha: event.commit, problem: event.problem } };
    case "run-started":
    case "run-resumed":
    case "config-changed":
    case "control-received":
    case "cancel-ordered":
    case "wait-started":
    case "wait-ended":
    case "run-ended":
    case "iteration-started":
    case "iteration-ended":
      return it;
    default:
      return unreachable(event);
  }
}

function announce(it: IterationState, event: Event & { type: "effect-ordered" }): IterationState {
  const { order } = event;
  const chosen = order.type === "write-prompt" ? { task: order.task, attempt: order.attempt } : {};
  const k = it.effects + 1;
  return { ...it, ...chosen, effects: k, pending: { k, effect: order, cut: false } };
}

function endIteration(state: RunState, end: IterationEnd, at: number): RunState {
  const current = state.current;
  assert(current !== undefined, "an iteration that ends has begun");
  const rateLimits = end.outcome === "rate-limited" ? state.rateLimits + 1 : 0;
  return {
    ...state,
    current: undefined,
    charged: state.charged + (end.charged ? 1 : 0),
    accepted: { ...state.accepted, ...acceptedBy(end) },
    rejection: rejectionOf(state, current, end),
    rateLimits,
    notBefore: waitAfter({ ...state, rateLimits }, current, at, end),
    last: { iteration: current.n, end },
    ending: endingAfter(end),
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
  const told = toldReset(current, at);
  if (told !== undefined) return { at: told, reason: "usage limit of the agent's provider" };
  switch (end.outcome) {
    case "usage-limited":
      return { at: at + state.config.limitWaitMs, reason: "usage limit of the agent's provider" };
    case "rate-limited":
      return { at: backoffUntil(state, at), reason: "the agent's provider is overloaded" };
    default:
      return state.config.pauseMs > 0
        ? { at: at + state.config.pauseMs, reason: "pause between iterations" }
        : undefined;
  }
}

function endingAfter(end: IterationEnd): RunState["ending"] {
  if (end.complete) return { reason: "complete", detail: end.reason };
  if (end.outcome === "fatal") return { reason: "agent-unusable", detail: end.reason };
  if (end.outcome === "needs-human") return { reason: "needs-human", detail: end.reason };
  return undefined;
}

/** A mark that was taken back makes the task open again. */
function recount(
  tasks: RunState["tasks"],
  event: Event & { type: "task-marked" },
): RunState["tasks"] {
  if (tasks === undefined || event.problem !== undefined) return tasks;
  const change = event.status === "done" ? 1 : -1;
  return { ...tasks, done: tasks.done + change, open: tasks.open - change };
}

function countAttempt(state: RunState, current: IterationState): RunState["attempts"] {
  return current.task === undefined
    ? state.attempts
    : { ...state.attempts, [current.task.id]: current.attempt };
}

function addCost(state: RunState, costUsd: number | undefined): number | undefined {
  return costUsd === undefined ? state.costUsd : (state.costUsd ?? 0) + costUsd;
}

function iterationOf(event: Event): number {
  assert(event.iteration !== undefined, `${event.type} names its iteration`);
  return event.iteration;
}
