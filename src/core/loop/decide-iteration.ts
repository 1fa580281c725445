// Names the next effect of an iteration from what is known so far, until there is nothing left to do but to end it.

import { assert } from "../../std/assert.ts";
import { lookUp } from "../../std/look-up.ts";
import { clip } from "../../std/text.ts";
import type { Effect } from "../schema/effect.ts";
import type { IterationEnd } from "../schema/event.ts";
import { judge, needsGates, type Judgement } from "./judge.ts";
import type { IterationState, RunState } from "./state.ts";

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
  const damage = it.restored ? undefined : listDamage(it);
  if (damage !== undefined) return order({ type: "restore-tasks", why: damage }, damage);
  return nextGate(state, it) ?? afterGates(it, judge(state, it));
}

function beforeAgent(state: RunState, it: IterationState): IterationDecision {
  const [task] = it.before?.tasks.next ?? [];
  if (it.before?.problem !== undefined) return end(it, judge(state, it));
  if (task === undefined) return nextGate(state, it) ?? end(it, judge(state, it));
  if (!it.promptWritten) {
    const attempt = (lookUp(state.attempts, task.id) ?? 0) + 1;
    const rejection = state.rejection === undefined ? {} : { rejection: state.rejection };
    return order({ type: "write-prompt", task, attempt, ...rejection }, `${task.id} is next`);
  }
  assert(it.task !== undefined, "a prompt is about a task");
  return order(
    { type: "run-agent", task: it.task, attempt: it.attempt },
    `attempt ${it.attempt} at ${it.task.id}`,
  );
}

/** A list that is broken, lacks tasks, or has more marks than can be looked at one by one. */
function listDamage(it: IterationState): string | undefined {
  const after = it.after;
  if (after?.problem !== undefined) return `the task list cannot be read: ${after.problem}`;
  if (after === undefined) return undefined;
  const { removed, finished, finishedCount } = after.changes;
  if (removed.length > 0)
    return `tasks were removed from the list, ${removed[0]?.id ?? ""} among them`;
  if (finishedCount <= finished.length) return undefined;
  return `${finishedCount} tasks were marked done in one iteration`;
}

function nextGate(state: RunState, it: IterationState): IterationDecision | undefined {
  if (!needsGates(it)) return undefined;
  const gate = state.config.gates[it.gates.length];
  return gate === undefined
    ? undefined
    : order({ type: "run-gate", gate }, "a claim is checked by every gate");
}

function afterGates(it: IterationState, judgement: Judgement): IterationDecision {
  const unmark = judgement.takenBack.find((task) => !it.unmarked.includes(task.id));
  if (unmark !== undefined) {
    return order({ type: "mark-task", task: unmark.id, status: "open" }, judgement.reason);
  }
  const isWorthAnEntry = judgement.charged || judgement.outcome === "interrupted";
  if (isWorthAnEntry && !it.remembered && it.after?.entryWritten !== true) {
    return order(remember(it, judgement), "the next agent starts from what is written down");
  }
  if (judgement.accepted.length > 0 && it.commit === undefined && it.after?.git !== undefined) {
    return order({ type: "commit", subject: subjectOf(judgement) }, "accepted work is committed");
  }
  return end(it, judgement);
}

function remember(it: IterationState, judgement: Judgement): Effect {
  const commit = (it.after?.commits ?? 0) > 0 ? it.after?.git?.head : undefined;
  return {
    type: "write-memory",
    entry: {
      ...(it.task === undefined ? {} : { task: it.task }),
      status: judgement.outcome === "accepted" ? "complete" : judgement.outcome,
      files: it.after?.files ?? [],
      learnings: judgement.outcome === "accepted" ? [] : [judgement.reason],
      ...(commit === undefined ? {} : { commit: commit.slice(0, 12) }),
    },
  };
}

function subjectOf(judgement: Judgement): string {
  const [first, ...more] = judgement.accepted;
  const title = first === undefined ? "" : `${first.id} - ${first.title}`;
  const others = more.length === 0 ? "" : ` (and ${more.length} more)`;
  return clip(`feat: ${title}${others}`.replaceAll(/\s+/gu, " "), SUBJECT_MAX);
}

function end(it: IterationState, judgement: Judgement): IterationDecision {
  const clock = it.exit?.terminated?.cause === "clock" ? it.exit.terminated.clock : undefined;
  const commitProblem =
    it.commit?.problem === undefined ? "" : `; not committed: ${it.commit.problem}`;
  return {
    type: "end",
    end: {
      outcome: judgement.outcome,
      reason: judgement.reason + commitProblem,
      ...(it.task === undefined ? {} : { task: it.task }),
      charged: judgement.charged,
      ...(clock === undefined ? {} : { clock }),
      accepted: judgement.accepted.map((task) => ({
        id: task.id,
        verification: judgement.verification,
      })),
      complete: judgement.complete,
      ...(it.commit?.sha === undefined ? {} : { commit: it.commit.sha }),
    },
  };
}

function order(effect: Effect, reason: string): IterationDecision {
  return { type: "effect", effect, reason };
}
