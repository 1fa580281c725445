// Folds one event into the state. The only way state changes; a fact that does not fit is a defect.

import { assert, unreachable } from "../../std/assert.ts";
import { HOUR_MS } from "../../std/duration.ts";
import { lookUp } from "../../std/look-up.ts";
import type { Config, Gate } from "../schema/config.ts";
import type { LimitAnswer } from "../schema/control.ts";
import type { EffectType } from "../schema/effect.ts";
import type { Event, GateResult } from "../schema/event.ts";
import { endIteration } from "./end-iteration.ts";
import { sumTokens } from "./figures.ts";
import { NOT_FINISHED } from "./finish.ts";
import type { Aside, IterationState, RunState } from "./state.ts";
import { CLOSED } from "./struggle.ts";
import { NO_ASIDE, trustAfter, trustAtStart } from "./trust.ts";

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
      return resume(timed, event);
    case "edits-accepted":
      return { ...timed, trust: trustAfter(timed, event), aside: NO_ASIDE };
    case "config-changed":
      return { ...timed, config: event.config, gates: forgetChanged(timed, event.config.gates) };
    case "control-received":
      if (event.control.type === "answer") return answerLimit(timed, event.control.answer);
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
        breaker: event.reason === "circuit-open" ? openBreaker(timed, event.detail) : timed.breaker,
        end: { reason: event.reason, exitCode: event.exitCode, detail: event.detail },
      };
    case "iteration-started":
      assert(timed.current === undefined, "one iteration at a time");
      return {
        ...timed,
        iteration: iterationOf(event),
        current: newIteration({
          n: iterationOf(event),
          startedAt: event.at,
          activeBefore: timed.activeMs,
        }),
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
    branch: event.branch,
    config: event.config,
    unattended: event.unattended === true,
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
    acceptances: 0,
    finish: NOT_FINISHED,
    doubt: undefined,
    attempts: {},
    parked: {},
    struggles: {},
    breaker:
      event.inherited?.breaker === undefined
        ? CLOSED
        : halfOpen(event.config, event.inherited.breaker, event.inherited.breakerError),
    gates: Object.fromEntries(
      (event.inherited?.greenGates ?? []).map((name) => [name, "was-green" as const]),
    ),
    trust: trustAtStart(event.inherited),
    calls: event.calls ?? [],
    commits: 0,
    costUsd: undefined,
    tokens: undefined,
    spent: { costUsd: event.inherited?.costUsd, tokens: event.inherited?.tokens },
    aside: { ...NO_ASIDE, ...event.inherited?.aside },
    end: undefined,
  };
}

/** An answer to a question that nobody asks any more changes nothing. */
function answerLimit(state: RunState, answer: LimitAnswer): RunState {
  const { notBefore } = state;
  if (notBefore?.limit === undefined) return state;
  return { ...state, notBefore: { ...notBefore, limit: { ...notBefore.limit, answer } } };
}

/** Whoever starts the run again can be asked again. */
function askAgain(notBefore: RunState["notBefore"], at: number): RunState["notBefore"] {
  if (notBefore?.limit === undefined) return notBefore;
  return { ...notBefore, limit: { since: at, answer: undefined } };
}

/** Whatever ended the run this way, the next one has to show first that it can go on. */
function openBreaker({ breaker }: RunState, detail: string): RunState["breaker"] {
  return { ...breaker, state: "open", why: breaker.why ?? detail };
}

/** A run that begins on an open breaker gets one iteration to show that it can go on: another error, and a change. */
function halfOpen(config: Config, why: string, error: string | undefined): RunState["breaker"] {
  const errors = error === undefined ? 0 : config.breaker.sameErrorMax - 1;
  return { ...CLOSED, state: "half-open", why, error, errors };
}

function resume(state: RunState, event: Event & { type: "run-resumed" }): RunState {
  const { breaker } = state;
  const isReset = event.circuit === "reset" || breaker.state === "closed";
  // Whoever starts it again after it asked for a person has looked at what was laid aside.
  const isLookedAt = state.end?.reason === "needs-human";
  return {
    ...state,
    program: event.program,
    unattended: event.unattended === true,
    stop: undefined,
    waiting: undefined,
    ending: undefined,
    end: undefined,
    parked: isLookedAt ? {} : state.parked,
    struggles: isLookedAt ? {} : state.struggles,
    breaker:
      event.circuit === "reset"
        ? CLOSED
        : isReset
          ? breaker
          : halfOpen(state.config, breaker.why ?? "", breaker.error),
    calls: event.calls ?? state.calls,
    notBefore: askAgain(state.notBefore, event.at),
    current: takeUpAgain(state.current),
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
  // Without its start on record an agent was never let go, so the iteration begins anew.
  const isUnstarted = it.exit === undefined || it.exit.unusable !== undefined;
  if (it.agent === undefined && isUnstarted) return { ...newIteration(it), effects: it.effects };
  if (it.exit === undefined) return { ...it, pending };
  // Found and perhaps already put right: read again it would look as if nothing had been done.
  const isMending = doing === "mend-git" || doing === "restore-tasks" || doing === "restore-file";
  if (it.restored || it.unmarked.length > 0 || doing === "mark-task" || isMending)
    return { ...it, pending };
  if (isJudged(it, doing)) return { ...it, pending, after: undefined };
  return { ...it, pending: undefined, after: undefined, gates: [] };
}

/** What comes after the judgement is done or under way, so that it is not judged anew from other gates. */
function isJudged(it: IterationState, doing: EffectType | undefined): boolean {
  const isDone = it.remembered || it.closed || it.archived !== undefined || it.commit !== undefined;
  return isDone || doing === "write-memory" || doing === "archive" || doing === "commit";
}

function newIteration(
  begun: Pick<IterationState, "n" | "startedAt" | "activeBefore">,
): IterationState {
  return {
    n: begun.n,
    startedAt: begun.startedAt,
    activeBefore: begun.activeBefore,
    effects: 0,
    pending: undefined,
    before: undefined,
    task: undefined,
    attempt: 0,
    promptWritten: false,
    agent: undefined,
    exit: undefined,
    after: undefined,
    mended: undefined,
    restored: false,
    restoredFiles: [],
    signal: undefined,
    gates: [],
    gateImproved: false,
    unmarked: [],
    markProblem: undefined,
    remembered: false,
    closed: false,
    archived: undefined,
    commit: undefined,
  };
}

function withIteration(state: RunState, event: Event): RunState {
  const current = state.current;
  assert(current !== undefined && current.n === event.iteration, `${event.type} has its iteration`);
  const next = {
    ...state,
    current: reduceIteration(current, event, state),
    trust: trustAfter(state, event),
  };
  switch (event.type) {
    case "project-read":
      return { ...next, tasks: event.reading.tasks, ...takeEdits(state, event) };
    case "project-inspected":
      return { ...next, tasks: event.change.tasks };
    case "tasks-restored":
      return {
        ...next,
        tasks: event.tasks ?? current.before?.tasks,
        aside: asideAfter(state, "tasks", event.keptAside),
      };
    case "file-restored":
      return { ...next, aside: asideAfter(state, event.file, event.keptAside) };
    case "task-marked":
      return { ...next, tasks: recount(state.tasks, event) };
    case "gate-ran":
      return { ...next, gates: learnGate(state, event.result) };
    case "agent-started":
      return {
        ...next,
        attempts: countAttempt(state, current),
        calls: countCall(state, event.at),
      };
    case "agent-exited":
      return {
        ...next,
        costUsd: add(state.costUsd, event.exit.result?.costUsd),
        tokens: add(state.tokens, sumTokens(event.exit.result?.tokens)),
      };
    default:
      return next;
  }
}

/** What was deleted left nothing to keep. */
function asideAfter({ aside }: RunState, file: keyof Aside, keptAside: string): Aside {
  return keptAside === "" ? aside : { ...aside, [file]: keptAside };
}

/** A task that a person has touched is worth a new try. */
function takeEdits(
  state: RunState,
  event: Event & { type: "project-read" },
): Pick<RunState, "parked" | "struggles"> {
  const touched = new Set<string>(event.reading.edits?.tasks);
  const without = <T>(record: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(record).filter(([id]) => !touched.has(id)));
  if (touched.size === 0) return { parked: state.parked, struggles: state.struggles };
  return { parked: without(state.parked), struggles: without(state.struggles) };
}

/** A gate that was green once must stay so; only what was red before any agent, ever, is forgiven. */
function learnGate(state: RunState, { name, passed, phase }: GateResult): RunState["gates"] {
  if (passed) return { ...state.gates, [name]: "green" };
  if (phase !== "baseline") return state.gates;
  const wasGreen = lookUp(state.gates, name) === "was-green";
  return { ...state.gates, [name]: wasGreen ? "broken" : "red" };
}

/** What is known of a gate is known of its command. */
function forgetChanged({ config, gates }: RunState, young: readonly Gate[]): RunState["gates"] {
  const isOther = (old: Gate): boolean =>
    young.some(({ name, command }) => name === old.name && command !== old.command);
  const changed = new Set(config.gates.filter(isOther).map(({ name }) => name));
  return Object.fromEntries(Object.entries(gates).filter(([name]) => !changed.has(name)));
}

function countCall(state: RunState, at: number): readonly number[] {
  const recent = state.calls.filter((call) => call > at - HOUR_MS);
  return [...recent, at].slice(-state.config.callsPerHourMax);
}

function reduceIteration(it: IterationState, event: Event, state: RunState): IterationState {
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
    case "git-mended":
      // What was seen before is not true any more, so it is looked at once more.
      return {
        ...done,
        after: undefined,
        mended: {
          did: event.did,
          problem: event.problem,
          lostHistory: (it.after?.dropped ?? 0) > 0,
        },
      };
    case "tasks-restored":
      return { ...done, restored: true };
    case "file-restored":
      return { ...done, restoredFiles: [...it.restoredFiles, event.file] };
    case "signal-set-aside":
      return { ...done, signal: it.after?.signal };
    case "gate-ran":
      return event.result.phase === "baseline" ? done : noteGate(done, event.result, state);
    case "task-marked":
      if (event.status === "done") return done;
      return {
        ...done,
        unmarked: [...it.unmarked, event.task],
        markProblem: event.problem ?? it.markProblem,
      };
    case "memory-written":
      return { ...done, ...noteEntry(it) };
    case "archived":
      return { ...done, archived: { path: event.path, problem: event.problem } };
    case "committed":
      return { ...done, commit: { sha: event.commit, problem: event.problem } };
    case "run-started":
    case "run-resumed":
    case "edits-accepted":
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

/** Which entry was written, the iteration's own or the closing one, stands in its order. */
function noteEntry({ pending }: IterationState): Partial<IterationState> {
  const order = pending?.effect;
  const isClosing = order?.type === "write-memory" && order.entry.output !== undefined;
  return isClosing ? { closed: true } : { remembered: true };
}

function announce(it: IterationState, event: Event & { type: "effect-ordered" }): IterationState {
  const { order } = event;
  const chosen = order.type === "write-prompt" ? { task: order.task, attempt: order.attempt } : {};
  const k = it.effects + 1;
  return { ...it, ...chosen, effects: k, pending: { k, effect: order, cut: false } };
}

function noteGate(it: IterationState, result: GateResult, state: RunState): IterationState {
  const before = lookUp(state.gates, result.name);
  const isBetter = result.passed && (before === "red" || before === "broken");
  return { ...it, gates: [...it.gates, result], gateImproved: it.gateImproved || isBetter };
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

/** What nobody has told stays unknown. */
function add(sum: number | undefined, more: number | undefined): number | undefined {
  return more === undefined ? sum : (sum ?? 0) + more;
}

function iterationOf(event: Event): number {
  assert(event.iteration !== undefined, `${event.type} names its iteration`);
  return event.iteration;
}
