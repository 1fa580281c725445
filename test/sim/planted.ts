// Bugs on purpose. Each breaks the contract of one port, and each must be caught by the checker that was made for it:
// a checker that catches nothing guards nothing.

import type { CheckerName } from "./checkers.ts";
import * as record from "./plant-record.ts";
import { changeFact, changeRecord, withLog, withPerform, withWorld } from "./plant-ways.ts";
import * as world from "./plant-world.ts";
import type { Plant } from "./simulate.ts";

/** One bug: what is wrong in words, and how it is put between driver and world. */
export interface PlantedBug {
  readonly checker: CheckerName;
  readonly name: string;
  readonly plant: Plant;
}

export const PLANTED: readonly PlantedBug[] = [
  bug("no-false-complete", "a red gate is reported green", changeFact(world.gateIsGreen)),
  bug("accepted-was-gated", "a gate is reported green and never ran", withPerform(world.skipGates)),
  bug(
    "accepted-once",
    "a task is accepted once more by every iteration",
    changeRecord(record.acceptAgain),
  ),
  bug(
    "committed-once",
    "the probe for a commit never finds it",
    withWorld(world.blindProbe("commit")),
  ),
  bug(
    "remembered-once",
    "the probe for an entry never finds it",
    withWorld(world.blindProbe("write-memory")),
  ),
  bug(
    "archived-once",
    "the probe for an archive never finds it",
    withWorld(world.blindProbe("archive")),
  ),
  bug("attempts-counted-once", "prompts count one attempt too many", withPerform(world.countTwice)),
  bug(
    "agent-start-recorded",
    "the log is never synced",
    withLog((log) => ({ ...log, sync: () => undefined })),
  ),
  bug(
    "one-agent-at-a-time",
    "orphans are left alive",
    withWorld(() => ({ endOrphans: async () => undefined })),
  ),
  bug("no-orphans", "only the end of orphans is told, not brought about", world.leaveOrphans),
  bug("caps-hold", "nothing is ever charged", changeRecord(record.chargeNothing)),
  bug("charged-rightly", "limits are charged", changeRecord(record.chargeLimits)),
  bug("counters-go-on", "iterations are numbered from one by each process", record.restartNumbers),
  bug("stop-now-starts-nothing", "an immediate stop is taken for a request", world.softenStops),
  bug("stop-after-iteration", "a stop is heard only at the next process", world.deafToStops),
  bug("exit-code-fits", "every signal is taken for an interrupt", world.sameSignal),
  bug("waits-are-kept", "the told reset time is lost", changeFact(world.forgetReset)),
  bug(
    "list-is-restored",
    "a broken list is reported restored and is not",
    world.pretendTo("restore-tasks"),
  ),
  bug(
    "marks-are-taken-back",
    "a mark is reported taken back and is not",
    world.pretendTo("mark-task"),
  ),
  bug(
    "prompt-tells-rejection",
    "the prompt leaves the rejection out",
    withPerform(world.forgetRejection),
  ),
  bug(
    "announced-before-done",
    "announcements of gates are not written",
    record.dropLines("run-gate"),
  ),
  bug("iterations-end", "ends of iterations that were rejected are not written", record.dropEnds),
  bug(
    "log-is-sound",
    "an event loses a field on its way to the disk",
    changeRecord(record.loseField),
  ),
  bug("fold-is-state", "memory and disk hold different events", record.twoTruths),
  bug("fold-is-state", "the snapshot is of another state", withLog(record.wrongSnapshot)),
  bug("ends-in-bounds", "every gate is red", changeFact(world.gateIsRed)),
  bug(
    "ends-in-bounds",
    "a wait is over at once",
    withWorld(() => ({ waitUntil: async () => undefined })),
  ),
  bug("crash-rules", "a lost agent is started again", world.startLostAgain),
  bug("clocks-on-time", "the clocks run with twice their limits", withPerform(world.slowClocks)),
  bug("persons-edits-stay", "a reading puts back the list it saw before", world.withStaleList),
  bug("full-disk-is-told", "a full disk is taken for a foreign hand", record.touchOnFull),
  bug("deterministic", "something depends on more than the seed", changeRecord(record.addNoise)),
  bug("no-false-complete", "a removed task is not noticed", changeFact(world.removalsUnseen)),
  bug("old-red-is-unverified", "all is called verified", record.changeEnd(record.callVerified)),
  bug(
    "baseline-first",
    "gates are called green before they ran",
    world.answerGate("baseline", "green"),
  ),
  bug("red-is-run-again", "a red gate is not run again", world.answerGate("again", "red")),
  bug(
    "promise-is-the-last-word",
    "the words of the prompt are taken for the agent's",
    changeFact(world.echoPrompt),
  ),
  bug(
    "no-op-is-no-progress",
    "a no-op is called progress",
    record.changeEnd(record.callNoOpsProgress),
  ),
  bug(
    "breaker-on-time",
    "every iteration is called progress",
    record.changeEnd(record.callProgress),
  ),
  bug(
    "half-open-one-trial",
    "every start closes the breaker",
    world.openWith(() => ({ circuit: "reset" })),
  ),
  bug("same-error-same-key", "an error has its iteration in its name", record.nameErrorsAnew),
  bug(
    "parked-before-stopped",
    "no task gives way to others",
    record.changeEnd(record.keepInTurn(["no-change", "same-error", "stuck"])),
  ),
  bug(
    "parks-at-limits",
    "rejected claims lay nothing aside",
    record.changeEnd(record.keepInTurn(["rejected-claims", "test-only"])),
  ),
  bug("asked-is-parked", "tasks that ask stay in turn", world.inTurn(["asked"])),
  bug("asked-is-parked", "a question is not kept", record.changeEnd(record.keepInTurn(["asked"]))),
  bug(
    "deferred-come-last",
    "tasks that give way stay in turn",
    world.inTurn(["no-change", "same-error", "stuck"]),
  ),
  bug(
    "only-parked-ends",
    "a person is called without a question",
    changeRecord(record.callForPerson),
  ),
  bug("persons-edits-are-told", "a person's edits are not seen", changeFact(world.editsUnseen)),
  bug(
    "calls-per-hour",
    "starts are forgotten by each process",
    world.openWith(() => ({ calls: [] })),
  ),
  bug(
    "limits-as-ordered",
    "limits are waited for, whatever was ordered",
    world.openWith(({ config }) => ({ config: { ...config, onLimit: "wait" } })),
  ),
  bug("limits-as-ordered", "answers are not heard", world.deaf),
  bug("budget-holds", "what an agent cost is lost", changeFact(world.forgetCosts)),
  bug("tampering-is-undone", "new tasks go with a list that is put back", world.dropAdditions),
  bug(
    "persons-files-are-put-back",
    "a file is reported put back and is not",
    world.pretendTo("restore-file"),
  ),
  bug("weak-tests-accept-nothing", "weaker tests are not seen", changeFact(world.findingsUnseen)),
  bug(
    "repository-is-mended",
    "a branch is reported mended and is not",
    world.pretendTo("mend-git"),
  ),
  bug("repository-is-mended", "commits that were left are thrown away", world.throwAway),
  bug(
    "stop-file-is-set-aside",
    "COMPLETE is reported aside and is not",
    world.pretendTo("set-aside"),
  ),
  bug("persons-are-not-blamed", "settings are compared with the first ones", world.staleSettings),
];

function bug(checker: CheckerName, name: string, plant: Plant): PlantedBug {
  return { checker, name, plant };
}
