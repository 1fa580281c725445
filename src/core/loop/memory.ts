// Who writes into the memory file, and what: the one place that says it. An entry that the agent wrote for its iteration
// is kept and stands alone; where there is none we write ours, with what the agent says it has learned.

import type { MemoryEntry } from "../schema/effect.ts";
import { finishSoFar } from "./finish.ts";
import type { Judgement } from "./judgement.ts";
import { learningsIn } from "./learnings.ts";
import type { IterationState, RunState } from "./state.ts";

const COMMIT_CHARS = 12;

/** The entry that is still missing: the iteration's own, then the closing one of a feature that is complete. */
export function nextEntry(
  state: RunState,
  it: IterationState,
  judgement: Judgement,
): MemoryEntry | undefined {
  const isWorthOne = judgement.charged || judgement.outcome === "interrupted";
  if (isWorthOne && !it.remembered && it.after?.entryWritten !== true)
    return ownEntry(it, judgement);
  const isClosed = finishSoFar(state, it).closed || it.after?.closingWritten === true;
  return finishes(state, it, judgement) && !isClosed ? closingEntry(state) : undefined;
}

/** True when the run has brought its feature to the end; a run that finds all done has not. */
export function finishes(state: RunState, it: IterationState, judgement: Judgement): boolean {
  return judgement.complete && (it.exit !== undefined || state.acceptances > 0);
}

function ownEntry(it: IterationState, judgement: Judgement): MemoryEntry {
  const commit = (it.after?.commits ?? 0) > 0 ? it.after?.git?.head : undefined;
  const isAccepted = judgement.outcome === "accepted";
  const learned = learningsIn(it.exit?.result?.text ?? "");
  return {
    ...(it.task === undefined ? {} : { task: it.task }),
    status: isAccepted ? "complete" : judgement.outcome,
    files: it.after?.files ?? [],
    learnings: isAccepted ? learned : [judgement.reason, ...learned],
    ...(commit === undefined ? {} : { commit: commit.slice(0, COMMIT_CHARS) }),
  };
}

function closingEntry({ config }: RunState): MemoryEntry {
  return { status: "ALL STORIES COMPLETE", files: [], learnings: [], output: config.promise };
}
