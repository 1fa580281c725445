// All checkers by name. Each guards one rule, looks at the timeline and at the log alone, and says what is wrong.

import { watchBreaker, watchErrors } from "./check-breaker.ts";
import { watchComplete, watchGates, watchMoves, watchPromises } from "./check-claims.ts";
import { watchBudget, watchCalls, watchCaps, watchCharges, watchLimits } from "./check-limits.ts";
import { watchParking, watchTouches } from "./check-parking.ts";
import { checkAgents, checkStops, checkWaits, checkClocks } from "./check-process.ts";
import {
  checkLog,
  checkFold,
  checkIterationsEnd,
  checkAnnounced,
  checkEnds,
} from "./check-record.ts";
import { watchBlame, watchTampering } from "./check-tampering.ts";
import { checkOnce, checkList, checkPersons } from "./check-work.ts";
import { watchMoments } from "./iterations.ts";
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
    "A run ends complete only when every task of the person's is done, works, and has its tests",
  "accepted-was-gated": "An accepted mark was checked by every gate, and none of them got worse",
  "old-red-is-unverified":
    "What a gate that was red before any agent cannot tell is unverified, and never complete",
  "baseline-first": "Every gate was looked at before the first agent that it could blame",
  "red-is-run-again": "A gate rejects nothing before it was red twice",
  "promise-is-the-last-word":
    "A promise is what the final message itself says; quoted, echoed, denied or early it is none",
  "no-op-is-no-progress": "Where nothing moved it is called a no-op, and never progress",
  "accepted-once": "No task is accepted twice",
  "committed-once": "No iteration is committed twice",
  "remembered-once": "No iteration writes two entries into the memory file",
  "archived-once": "What an agent has finished is archived once, and with nothing open",
  "attempts-counted-once": "An attempt's number is one more than the starts before it",
  "agent-start-recorded": "No agent is let go before the disk holds its process id",
  "one-agent-at-a-time": "Two agents never live at once",
  "no-orphans": "Nothing of an earlier process lives when work begins, nothing at all at an end",
  "caps-hold": "No agent starts once the iterations or the time are used up",
  "charged-rightly":
    "Limits, unusable agents, stopped and unstarted iterations are not charged, all others are",
  "counters-go-on": "Numbers of iterations and counts never go back over restarts",
  "stop-now-starts-nothing": "After an immediate stop nothing begins but the look at what was left",
  "stop-after-iteration": "After a stop no new iteration starts in that process",
  "exit-code-fits": "The exit code is that of the reason, and of the signal for a stop",
  "waits-are-kept": "No agent starts before a told reset or the backoff, over restarts too",
  "limits-as-ordered":
    "At a usage limit the run waits, ends or asks as it was told, and an answer is heeded",
  "list-is-restored": "A list that an agent broke is whole before the iteration ends",
  "marks-are-taken-back": "No agent starts while a mark stands that was not accepted",
  "prompt-tells-rejection": "The next prompt says why the last claim did not stand",
  "announced-before-done": "Every effect is in the log before it begins",
  "iterations-end": "Iterations follow one another, and only a resumable end leaves one open",
  "log-is-sound": "Every line of the log parses, and its numbers only grow",
  "fold-is-state": "Folding the log gives the state in memory, from zero and from the snapshot",
  "breaker-on-time":
    "The breaker opens when its limits are met, not before, and never after a success",
  "half-open-one-trial": "A run that begins on an open breaker gets one trial",
  "same-error-same-key": "An error has one name, whatever its numbers are, and another has another",
  "parked-before-stopped": "A task is laid aside before the run is stopped because of it",
  "parks-at-limits": "Rejected claims and tests alone lay a task aside at their limits, for good",
  "asked-is-parked":
    "A task that asks is laid aside with its question until a person has touched it",
  "deferred-come-last": "A task that gives way comes back when no other is left",
  "only-parked-ends":
    "With only parked tasks left the run ends, for a person where one of them asks",
  "persons-edits-are-told": "A reading names the tasks that a person has touched",
  "calls-per-hour": "No hour has more agent starts than it may, over restarts and runs",
  "budget-holds": "No agent starts once money or tokens of the run or the feature are used up",
  "tampering-is-undone":
    "A list that was tampered with is put back with what an agent may add, and nothing is accepted",
  "persons-files-are-put-back":
    "Settings and prompt are put back, and nothing is accepted in that iteration",
  "weak-tests-accept-nothing":
    "Nothing is accepted while tests are weaker than a person knows them",
  "repository-is-mended":
    "An agent starts on the branch, with every commit and stash entry, and without a lock",
  "stop-file-is-set-aside": "COMPLETE with work open is out of the way when the iteration ends",
  "persons-are-not-blamed": "Nothing is put back or rejected for what a person did",
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
    checkStops,
    checkWaits,
    checkClocks,
    checkOnce,
    checkList,
    checkPersons,
  ];
  for (const one of checks) one(stage, tell);
  watchMoments(stage.machine.timeline, [
    watchComplete(tell),
    watchPromises(tell),
    watchMoves(tell),
    watchGates(stage, tell),
    watchBreaker(tell),
    watchErrors(tell),
    watchParking(tell),
    watchTouches(tell),
    watchCaps(tell),
    watchCharges(tell),
    watchBudget(tell),
    watchCalls(tell),
    watchLimits(stage, tell),
    watchTampering(tell),
    watchBlame(tell),
  ]);
  return found;
}

/** The failure as a person wants it: what, and how to see it again. */
export function renderViolations(seed: number, violations: readonly Violation[]): string {
  const lines = violations
    .slice(0, FIRST_FEW)
    .map(({ checker, message }) => `  ${checker}: ${message}`);
  return [`seed ${seed}`, ...lines, `  repeat: npm run sim -- --seed ${seed}`].join("\n");
}
