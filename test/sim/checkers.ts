// All checkers by name. Each guards one rule, looks at the timeline and at the log alone, and says what is wrong.

import {
  checkLog,
  checkFold,
  checkIterationsEnd,
  checkAnnounced,
  checkEnds,
} from "./check-record.ts";
import { checkAgents, checkCaps, checkStops, checkWaits, checkClocks } from "./check-process.ts";
import { checkTruth, checkOnce, checkList, checkPersons } from "./check-work.ts";
import type { Stage } from "./stage.ts";

/** A broken rule. */
export interface Violation {
  readonly checker: string;
  readonly message: string;
}

/** Tells of a broken rule. */
export type Tell = (checker: CheckerName, message: string) => void;

/** Every rule that is checked, in words. */
export const CHECKERS = {
  "no-false-complete":
    "A run ends complete only when every task is done in the file and no gate would be red",
  "accepted-was-gated": "An accepted mark was checked by every gate, and each was green",
  "accepted-once": "No task is accepted twice",
  "committed-once": "No iteration is committed twice",
  "remembered-once": "No iteration writes two entries into the memory file",
  "attempts-counted-once": "An attempt's number is one more than the starts before it",
  "agent-start-recorded": "No agent is let go before the disk holds its process id",
  "one-agent-at-a-time": "Two agents never live at once",
  "no-orphans": "Nothing of an earlier process lives when work begins, nothing at all at an end",
  "caps-hold": "No iteration starts once the iterations or the time are used up",
  "charged-rightly":
    "Limits, unusable agents, stopped and unstarted iterations are not charged, all others are",
  "counters-go-on": "Numbers of iterations and counts never go back over restarts",
  "stop-now-starts-nothing": "After an immediate stop nothing begins but the look at what was left",
  "stop-after-iteration": "After a stop no new iteration starts in that process",
  "exit-code-fits": "The exit code is that of the reason, and of the signal for a stop",
  "waits-are-kept": "No agent starts before a told reset or the backoff, over restarts too",
  "list-is-restored": "A list that an agent broke is whole before the iteration ends",
  "marks-are-taken-back": "No agent starts while a mark stands that was not accepted",
  "prompt-tells-rejection": "The next prompt says why the last claim did not stand",
  "announced-before-done": "Every effect is in the log before it begins",
  "iterations-end": "Iterations follow one another, and only a resumable end leaves one open",
  "log-is-sound": "Every line of the log parses, and its numbers only grow",
  "fold-is-state": "Folding the log gives the state in memory, from zero and from the snapshot",
  "ends-in-bounds": "With honest agents and a calm world the run ends, complete where caps allow",
  "crash-rules": "After a crash effects are redone, looked for or given up as their rule says",
  "clocks-on-time": "Each clock ends an agent when its limit has passed and not before",
  "persons-edits-stay": "What a person changes between iterations is not lost",
  "full-disk-is-told": "A full disk ends the run under its own reason",
  deterministic: "The same seed writes the same log",
} as const;

/** The name of a rule. */
export type CheckerName = keyof typeof CHECKERS;

const FIRST_FEW = 5;

export function check(stage: Stage): readonly Violation[] {
  const found: Violation[] = [];
  const tell: Tell = (checker, message) => {
    if (found.length < 20) found.push({ checker, message });
  };
  const checks = [
    checkLog,
    checkFold,
    checkIterationsEnd,
    checkAnnounced,
    checkEnds,
    checkAgents,
    checkCaps,
    checkStops,
    checkWaits,
    checkClocks,
    checkTruth,
    checkOnce,
    checkList,
    checkPersons,
  ];
  for (const one of checks) one(stage, tell);
  return found;
}

/** The failure as a person wants it: what, and how to see it again. */
export function renderViolations(seed: number, violations: readonly Violation[]): string {
  const lines = violations
    .slice(0, FIRST_FEW)
    .map(({ checker, message }) => `  ${checker}: ${message}`);
  return [`seed ${seed}`, ...lines, `  repeat: npm run sim -- --seed ${seed}`].join("\n");
}
