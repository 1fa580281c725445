// Decides whether the claims of an iteration stand. A claim is a mark in the task list or a promise in the final
// message; what makes it true is that nothing is open and that the gates pass.

import type { Rejection } from "../schema/effect.ts";
import type { AgentExit, IterationEnd, Verification } from "../schema/event.ts";
import type { Outcome } from "../schema/outcome.ts";
import type { TaskRef } from "../schema/task.ts";
import { classifyExit, type ExitClass } from "./classify-exit.ts";
import { hasPromise } from "./promise.ts";
import type { IterationState, RunState } from "./state.ts";

/** What is true after an iteration, once its gates have run. */
export interface Judgement {
  readonly outcome: Outcome;
  readonly reason: string;
  readonly accepted: readonly TaskRef[];
  /** Marks that do not stand and are taken back. */
  readonly takenBack: readonly TaskRef[];
  readonly verification: Verification;
  readonly complete: boolean;
  readonly charged: boolean;
}

/** Gates have to run: something claims to be done, or everything is. */
export function needsGates(it: IterationState): boolean {
  const after = it.after;
  if (after === undefined) return it.before?.tasks.open === 0;
  return marks(it).length > 0 || (after.problem === undefined && after.tasks.open === 0);
}

/** What most judgements have in common. */
const NOTHING_CLAIMED = {
  accepted: [],
  takenBack: [],
  verification: "unverified",
  complete: false,
  charged: true,
} as const;

export function judge(state: RunState, it: IterationState): Judgement {
  if (it.exit === undefined) return judgeUnstarted(state, it);
  const ended = classifyExit(it.exit);
  const red = it.gates.find((gate) => !gate.passed);
  const marked = marks(it);
  const problem = markProblem({ ended, gates: state.config.gates.length, red: red?.name });
  if (marked.length > 0 && problem !== undefined) {
    return {
      ...NOTHING_CLAIMED,
      outcome: outcomeOfRejected(ended),
      reason: problem,
      takenBack: marked,
      charged: isCharged(it.exit, ended),
    };
  }
  const verification = state.config.gates.length > 0 ? "verified" : "unverified";
  const complete = isAllDone(it) && red === undefined;
  if (marked.length > 0) {
    const reason = `${names(marked)} done, ${gateWords(it)}`;
    return {
      ...NOTHING_CLAIMED,
      outcome: "accepted",
      reason,
      accepted: marked,
      verification,
      complete,
    };
  }
  const broken = listProblem(it) ?? promiseProblem(it.exit, state, it);
  if (ended === "ended-well" && broken !== undefined)
    return { ...NOTHING_CLAIMED, outcome: "rejected", reason: broken };
  const { outcome, reason } = withoutClaim(it, it.exit, ended);
  return { ...NOTHING_CLAIMED, outcome, reason, complete, charged: isCharged(it.exit, ended) };
}

/** What the next prompt says about the last claim that did not stand; an accepted one clears it. */
export function rejectionOf(
  state: RunState,
  it: IterationState,
  end: IterationEnd,
): Rejection | undefined {
  if (end.outcome === "accepted") return undefined;
  if (end.outcome !== "rejected" && end.outcome !== "timed-out") return state.rejection;
  const lines = it.gates.find((gate) => !gate.passed)?.lines ?? [];
  return { ...(it.task === undefined ? {} : { task: it.task }), reason: end.reason, lines };
}

function judgeUnstarted(state: RunState, it: IterationState): Judgement {
  const base = { ...NOTHING_CLAIMED, charged: false };
  const before = it.before;
  if (before?.problem !== undefined) {
    return { ...base, outcome: "needs-human", reason: before.problem };
  }
  if (before !== undefined && before.tasks.open > 0) {
    const waiting = names(before.tasks.blocked);
    return {
      ...base,
      outcome: "needs-human",
      reason: `every open task waits for another: ${waiting}`,
    };
  }
  const red = it.gates.find((gate) => !gate.passed);
  if (red !== undefined) {
    const reason = `every task is marked done, but the gate "${red.name}" fails`;
    return { ...base, outcome: "needs-human", reason };
  }
  const checked = state.config.gates.length > 0 ? gateWords(it) : "no gate is configured";
  return { ...base, outcome: "no-op", reason: `nothing is open, ${checked}`, complete: true };
}

/** A list that was put back holds no marks of the agent. */
function marks(it: IterationState): readonly TaskRef[] {
  return it.restored ? [] : (it.after?.changes.finished ?? []);
}

function isAllDone(it: IterationState): boolean {
  return !it.restored && it.after?.problem === undefined && it.after?.tasks.open === 0;
}

interface Checked {
  readonly ended: ExitClass;
  readonly gates: number;
  readonly red: string | undefined;
}

function markProblem({ ended, gates, red }: Checked): string | undefined {
  if (red !== undefined) return `the gate "${red}" fails`;
  if (gates === 0 && ended !== "ended-well") {
    return "the agent did not end normally and no gate is configured that could check its work";
  }
  return undefined;
}

function outcomeOfRejected(ended: ExitClass): Outcome {
  return ended === "ended-well" ? "rejected" : outcomeOfClass(ended);
}

function listProblem(it: IterationState): string | undefined {
  if (!it.restored || it.after === undefined) return undefined;
  const { problem, changes } = it.after;
  if (problem !== undefined)
    return `the task list was left unreadable (${problem}) and was put back`;
  return changes.removed.length > 0
    ? `tasks were removed from the list (${names(changes.removed)}); it was put back`
    : `${changes.finishedCount} tasks were marked done in one iteration; the list was put back`;
}

function promiseProblem(exit: AgentExit, state: RunState, it: IterationState): string | undefined {
  if (isAllDone(it) || !hasPromise(exit.result?.text ?? "", state.config.promise)) return undefined;
  const open = it.after?.tasks.open ?? 0;
  return `the final message promises that all is done, but ${open} ${open === 1 ? "task is" : "tasks are"} open`;
}

function withoutClaim(
  it: IterationState,
  exit: AgentExit,
  ended: ExitClass,
): { outcome: Outcome; reason: string } {
  if (ended !== "ended-well")
    return { outcome: outcomeOfClass(ended), reason: exitWords(exit, ended) };
  return hasProgress(it)
    ? { outcome: "progressed", reason: "work was done, but no task was finished" }
    : { outcome: "no-op", reason: "no commit, no task change and no change in the tree" };
}

/** A new commit, a change in the task list or a changed tree, compared with the start of the iteration. */
function hasProgress(it: IterationState): boolean {
  const after = it.after;
  if (after === undefined) return false;
  const { finished, reopened, added, removed } = after.changes;
  return (
    after.commits > 0 ||
    after.treeChanged ||
    finished.length + reopened.length + added.length + removed.length > 0
  );
}

function outcomeOfClass(ended: Exclude<ExitClass, "ended-well">): Outcome {
  const outcomes: Record<Exclude<ExitClass, "ended-well">, Outcome> = {
    failed: "agent-failed",
    "timed-out": "timed-out",
    "usage-limited": "usage-limited",
    "rate-limited": "rate-limited",
    unusable: "fatal",
    cut: "interrupted",
  };
  return outcomes[ended];
}

function exitWords(exit: AgentExit, ended: ExitClass): string {
  if (exit.unusable !== undefined) return exit.unusable;
  if (exit.lost) return "the runner died while the agent ran";
  if (exit.terminated?.cause === "stop") return "the agent was stopped";
  if (exit.terminated?.cause === "clock") return `the ${exit.terminated.clock} clock ran out`;
  if (exit.limit !== undefined) return exit.limit.text;
  const said = exit.result?.good === false ? exit.result.text : exit.stderr;
  const how =
    exit.signal === null ? `exit code ${exit.code ?? "unknown"}` : `signal ${exit.signal}`;
  const tail = said.trim() === "" ? "" : `: ${said.trim().slice(-300)}`;
  return ended === "unusable" ? said.trim() : `the agent ended with ${how}${tail}`;
}

/** A limit, an agent that cannot work at all and a person who stops it say nothing about the task. */
function isCharged(exit: AgentExit, ended: ExitClass): boolean {
  const isStopped = exit.terminated?.cause === "stop";
  return !isStopped && !["usage-limited", "rate-limited", "unusable"].includes(ended);
}

function gateWords(it: IterationState): string {
  if (it.gates.length === 0) return "not checked by any gate";
  return it.gates.length === 1 ? "the gate passes" : `all ${it.gates.length} gates pass`;
}

function names(tasks: readonly TaskRef[]): string {
  const listed = tasks
    .slice(0, 5)
    .map((task) => task.id)
    .join(", ");
  return tasks.length > 5 ? `${listed} and ${tasks.length - 5} more` : listed;
}
