// What a run does at a step of an iteration, in a person's words.

import type { Effect } from "../schema/effect.ts";

/** The run's own part is over then, and the longest step is the agent's. */
export const AGENT_WORKS = "the agent works";

const STEPS: Readonly<Record<Effect["type"], string>> = {
  "read-project": "reads the project",
  "write-prompt": "writes the prompt",
  "run-agent": AGENT_WORKS,
  "inspect-project": "looks at what the agent left",
  "mend-git": "mends the repository",
  "restore-tasks": "puts the task list back",
  "restore-file": "puts a file back",
  "set-aside": "takes a stop file away",
  "run-gate": "runs a gate",
  "mark-task": "takes a mark back",
  "write-memory": "writes the progress log",
  commit: "commits",
  archive: "archives the feature",
};

export function stepWords(step: Effect["type"]): string {
  return STEPS[step];
}
