// Names the next effect of an iteration from what is known so far, until there is nothing left to do but to end it.

import { assert } from "../../std/assert.ts";
import { lookUp } from "../../std/look-up.ts";
import { clip } from "../../std/text.ts";
import type { Effect } from "../schema/effect.ts";
import type { IterationEnd } from "../schema/event.ts";
import type { TaskRef } from "../schema/task.ts";
import { figuresOf } from "./figures.ts";
import { nextBaseline, nextGate } from "./gates.ts";
import { startDenied } from "./guards.ts";
import { iterationError } from "./iteration-error.ts";
import { hasProgress, judge, needsGates, rejectionOf } from "./judge.ts";
import type { Judgement } from "./judgement.ts";
import { finishSoFar } from "./finish.ts";
import { finishes, nextEntry } from "./memory.ts";
import { parkingAfter } from "./parking.ts";
import type { IterationState, RunState } from "./state.ts";
import { changedFiles, gitDamage, listDamage } from "./tampering.ts";

/** The next effect, or the end of the iteration. */
export type IterationDecision =
  | { readonly type: "effect"; readonly effect: Effect; readonly reason: string }
  | { readonly type: "end"; readonly end: IterationEnd };

/** A commit's subject, and no more than a screen is wide. */
const SUBJECT_MAX = 100;

export function decideIteration(state: RunState): IterationDecision {
  const it = state.current;
  assert(it !== undefined, "there is an iteration to decide about");
  if (it.before === undefined)
    return order({ type: "read-project" }, "an iteration starts from the files");
  if (it.exit === undefined) return beforeAgent(state, it);
  if (it.after === undefined)
    return order({ type: "inspect-project" }, "what the agent left is read, not believed");
  return putRight(it) ?? checkClaim(state, it) ?? afterGates(state, it, judge(state, it));
}

function beforeAgent(state: RunState, it: IterationState): IterationDecision {
  const { problem, signal, tasks } = it.before ?? {};
  const [task] = tasks?.next ?? [];
  const isEmpty = tasks?.total === 0;
  const isForPerson =
    problem !== undefined || isEmpty || (signal !== undefined && tasks?.open !== 0);
  if (isForPerson) return end(state, it, judge(state, it));
  // With nothing open no agent's work is inspected any more, and a person may have undone what was found.
  const isDoubtful = tasks?.open === 0 && state.trust.findings.length > 0;
  if (isDoubtful && it.after === undefined)
    return order({ type: "inspect-project" }, "what was found may have been undone");
  if (task === undefined) return checkClaim(state, it) ?? afterGates(state, it, judge(state, it));
  // A list that has grown, or a gate that took long, can bring a run to a limit after its iteration has begun.
  if (it.agent === undefined && startDenied(state) !== undefined)
    return end(state, it, judge(state, it));
  const baseline = nextBaseline(state, it);
  if (baseline !== undefined)
    return order(
      { type: "run-gate", ...baseline },
      "what fails before any agent is no agent's fault",
    );
  if (!it.promptWritten) return order(writePrompt(state, task), `${task.id} is next`);
  assert(it.task !== undefined, "a prompt is about a task");
  return order(
    { type: "run-agent", task: it.task, attempt: it.attempt },
    `attempt ${it.attempt} at ${it.task.id}`,
  );
}

export function writePrompt(
  state: RunState,
  task: TaskRef,
): Effect & { readonly type: "write-prompt" } {
  const attempt = (lookUp(state.attempts, task.id) ?? 0) + 1;
  const rejection = state.rejection === undefined ? {} : { rejection: state.rejection };
  const tries = lookUp(state.struggles, task.id)?.tries ?? 0;
  const isStuck = tries >= state.config.parking.warnAfter;
  const warning = isStuck
    ? { warning: `${tries} iterations have worked on this task and none was accepted` }
    : {};
  return { type: "write-prompt", task, attempt, ...rejection, ...warning };
}

/** The repository first, since the files depend on it; then the list, then the person's other files. */
function putRight(it: IterationState): IterationDecision | undefined {
  const git = it.mended === undefined ? gitDamage(it) : undefined;
  if (git !== undefined) return order({ type: "mend-git", why: git }, git);
  const damage = it.restored || it.after === undefined ? undefined : listDamage(it.after);
  if (damage !== undefined) return order({ type: "restore-tasks", why: damage }, damage);
  const file = changedFiles(it).find((name) => !it.restoredFiles.includes(name));
  return file === undefined
    ? undefined
    : order({ type: "restore-file", file }, "only a person changes this file");
}

function checkClaim(state: RunState, it: IterationState): IterationDecision | undefined {
  const next = needsGates(it) ? nextGate(state, it) : undefined;
  if (next === undefined) return undefined;
  const reason =
    next.phase === "again"
      ? "a red gate is run once more before it rejects a claim"
      : "a claim is checked by every gate";
  return order({ type: "run-gate", ...next }, reason);
}

function afterGates(state: RunState, it: IterationState, judgement: Judgement): IterationDecision {
  const unmark = judgement.takenBack.find((task) => !it.unmarked.includes(task.id));
  if (unmark !== undefined) {
    return order({ type: "mark-task", task: unmark.id, status: "open" }, judgement.reason);
  }
  const isFileLeft = it.after?.signal?.kind === "complete" && it.signal === undefined;
  if (isFileLeft && !judgement.complete) {
    return order({ type: "set-aside", signal: "complete" }, "not all is done");
  }
  const entry = nextEntry(state, it, judgement);
  if (entry !== undefined)
    return order(
      { type: "write-memory", entry },
      "the next agent starts from what is written down",
    );
  const isFinished = finishes(state, it, judgement);
  const isArchived = state.config.archive === false || finishSoFar(state, it).archived;
  if (isFinished && !isArchived)
    return order({ type: "archive" }, "what was done can be looked back on");
  const isWorthACommit = judgement.accepted.length > 0 || isFinished;
  if (isWorthACommit && it.commit === undefined && (it.after ?? it.before)?.git !== undefined) {
    return order(
      { type: "commit", subject: subjectOf(state, judgement) },
      "accepted work is committed",
    );
  }
  return end(state, it, judgement);
}

function subjectOf(state: RunState, judgement: Judgement): string {
  const [first, ...more] = judgement.accepted;
  if (first === undefined) return clip(`chore: ${state.feature} is complete`, SUBJECT_MAX);
  const title = `${first.task.id} - ${first.task.title}`;
  const others = more.length === 0 ? "" : ` (and ${more.length} more)`;
  return clip(`feat: ${title}${others}`.replaceAll(/\s+/gu, " "), SUBJECT_MAX);
}

function end(state: RunState, it: IterationState, judgement: Judgement): IterationDecision {
  const clock = it.exit?.terminated?.cause === "clock" ? it.exit.terminated.clock : undefined;
  const commitProblem =
    it.commit?.problem === undefined
      ? ""
      : `; not committed: ${it.commit.problem} (git add and git commit do it by hand)`;
  const isUncommitted = it.commit?.problem !== undefined;
  const isBlocked =
    judgement.blocked || it.markProblem !== undefined || (judgement.complete && isUncommitted);
  const markProblem =
    it.markProblem === undefined ? "" : `; a mark could not be taken back: ${it.markProblem}`;
  const archiveProblem =
    it.archived?.problem === undefined ? "" : `; not archived: ${it.archived.problem}`;
  const error = judgement.outcome === "accepted" ? undefined : iterationError(state, it);
  const isTestOnly = it.after?.testOnly === true && judgement.outcome === "progressed";
  const ended: IterationEnd = {
    outcome: judgement.outcome,
    reason: judgement.reason + markProblem + archiveProblem + commitProblem,
    ...(it.task === undefined ? {} : { task: it.task }),
    charged: judgement.charged,
    ...(clock === undefined ? {} : { clock }),
    accepted: judgement.accepted.map(({ task, verification }) => ({ id: task.id, verification })),
    // Work that is in no commit is not safe: a person has to look at what keeps it out.
    complete: judgement.complete && !isUncommitted,
    ...(it.commit?.sha === undefined ? {} : { commit: it.commit.sha }),
    ...(judgement.claims.length === 0 ? {} : { claims: [...judgement.claims] }),
    progress: hasProgress(it, judgement),
    ...(isTestOnly ? { testOnly: true } : {}),
    ...(error === undefined ? {} : { error }),
    ...(isBlocked ? { blocked: true } : {}),
  };
  const rejection = rejectionOf(state, it, ended);
  const parked = judgement.parked ?? parkingAfter(state, ended);
  return {
    type: "end",
    end: {
      ...ended,
      ...(rejection === undefined ? {} : { rejection }),
      ...(parked === undefined ? {} : { parked }),
      figures: figuresOf(state, it),
    },
  };
}

function order(effect: Effect, reason: string): IterationDecision {
  return { type: "effect", effect, reason };
}
