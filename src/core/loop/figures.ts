// What an iteration took: time, commits, gates, tokens, money. Only for people; nothing is decided by it.

import type { IterationFigures } from "../schema/event.ts";
import type { Tokens } from "../schema/note.ts";
import type { IterationState, RunState } from "./state.ts";

export function figuresOf(state: RunState, it: IterationState): IterationFigures {
  // A gate that was red ran twice; its last word counts.
  const verdicts = new Map(it.gates.map(({ name, passed }) => [name, passed]));
  const tokens = sumTokens(it.exit?.result?.tokens);
  const costUsd = it.exit?.result?.costUsd;
  return {
    durationMs: Math.max(0, state.activeMs - it.activeBefore),
    commits: (it.after?.commits ?? 0) + (it.commit?.sha === undefined ? 0 : 1),
    gates: verdicts.size,
    gatesPassed: [...verdicts.values()].filter((passed) => passed).length,
    ...(tokens === undefined ? {} : { tokens }),
    ...(costUsd === undefined ? {} : { costUsd }),
  };
}

/** Input and output together; undefined where the agent has told neither. */
export function sumTokens(tokens: Tokens | undefined): number | undefined {
  const { input, output } = tokens ?? {};
  return input === undefined && output === undefined ? undefined : (input ?? 0) + (output ?? 0);
}
