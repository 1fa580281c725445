// How far the end of a feature has come: closing entry and archive are written once, whatever keeps them from a commit.

import type { IterationState, RunState } from "./state.ts";

export const NOT_FINISHED: RunState["finish"] = { closed: false, archived: false };

/** What of the end is there already: from this iteration, or from one whose work could not be committed. */
export function finishSoFar(state: RunState, it: IterationState): RunState["finish"] {
  // What an agent has worked on since is another end.
  const before = it.exit === undefined ? state.finish : NOT_FINISHED;
  return {
    closed: before.closed || it.closed,
    archived: before.archived || it.archived !== undefined,
  };
}
