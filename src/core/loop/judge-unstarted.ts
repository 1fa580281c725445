// The judgement of an iteration in which no agent was started: nothing is open, nothing can be chosen, or the files
// themselves say that a person is needed.

import { redWords, verdictOf } from "./gates.ts";
import { startDenied } from "./guards.ts";
import { gateWords, NOTHING_CLAIMED, type Judgement } from "./judgement.ts";
import type { IterationState, RunState } from "./state.ts";
import { findingWords, names } from "./tampering.ts";

export function judgeUnstarted(state: RunState, it: IterationState): Judgement {
  const base = { ...NOTHING_CLAIMED, charged: false, blocked: true };
  const problem = filesProblem(it);
  if (problem !== undefined) return { ...base, outcome: "needs-human", reason: problem };
  if ((it.before?.tasks.open ?? 0) > 0) return { ...base, ...nothingReady(state, it) };
  const { count, worse, asBefore } = verdictOf(state, it);
  const red = [...worse, ...asBefore];
  if (red.length > 0) {
    const before = worse.length === 0 ? ", as it did before the first agent" : "";
    const reason = `every task is marked done, but ${redWords(red)}${before}`;
    return { ...base, outcome: "needs-human", reason };
  }
  const { findings } = state.trust;
  if (findings.length > 0) {
    return { ...base, outcome: "needs-human", reason: findingWords(findings) };
  }
  const checked = count > 0 ? gateWords(count) : "no gate is configured";
  const reason = `nothing is open, ${checked}`;
  return { ...base, outcome: "no-op", reason, complete: true, blocked: false };
}

/** The list cannot be read, or a stop file is there that no agent of this run has made. */
function filesProblem(it: IterationState): string | undefined {
  const { problem, signal, tasks } = it.before ?? {};
  if (problem !== undefined) return problem;
  if (tasks?.total === 0) return "the task list is empty: there is nothing to do";
  if (signal?.kind === "waiting") return `the stop file WAITING is there: ${signal.text}`;
  if (signal === undefined || tasks === undefined || tasks.open === 0) return undefined;
  return `the stop file COMPLETE is there, but ${tasks.open} of ${tasks.total} tasks are open; remove it, or mark them`;
}

function nothingReady(state: RunState, it: IterationState) {
  const denied = startDenied(state);
  if ((it.before?.tasks.next.length ?? 0) > 0 && denied !== undefined)
    return { outcome: "no-op", reason: denied, blocked: false } as const;
  const parked = Object.entries(state.parked);
  if (parked.length === 0) {
    const reason = `every open task waits for another: ${names(it.before?.tasks.blocked ?? [])}`;
    return { outcome: "needs-human", reason } as const;
  }
  const said = parked.slice(0, 3).map(([id, { detail }]) => `${id} (${detail})`);
  const more = parked.length > 3 ? ` and ${parked.length - 3} more` : "";
  const reason = `only tasks are left that were laid aside: ${said.join(", ")}${more}`;
  return { outcome: "needs-human", reason, blocked: false } as const;
}
