// Checkers of claims: what counts as one, which gates it has to pass, and what is accepted, unverified or complete.

import type { GateResult, IterationEnd } from "../../src/core/schema/event.ts";
import type { Tell } from "./checkers.ts";
import {
  hasMoved,
  isOwnCheck,
  type IterationTruth,
  type MomentCheck,
  type RichMoment,
} from "./iterations.ts";
import { configOf, ofType } from "./replay.ts";
import type { Stage } from "./stage.ts";
import type { Truth } from "./timeline.ts";

type Logs = Pick<RichMoment, "log" | "others">;

export function watchComplete(tell: Tell): MomentCheck {
  return ({ now }) => {
    if (now.type !== "logged" || now.event.type !== "run-ended") return;
    const { truth } = now;
    if (now.event.reason !== "complete" || truth === undefined) return;
    const say = (words: string): void => tell("no-false-complete", words);
    if (truth.open > 0) say(`${truth.open} tasks are open`);
    if (truth.damagedBy !== undefined) say("the list is unreadable");
    if (truth.missing.length > 0) say(`${truth.missing.join()} of the person's is gone`);
    if (truth.red.length > 0) say(`${truth.red.join()} would be red`);
    if (truth.weak.length > 0) say(`the tests of ${truth.weak.join()} are weaker`);
  };
}

/** Only the last message of an agent counts, and only what it says itself. */
export function watchPromises(tell: Tell): MomentCheck {
  return ({ now, it }) => {
    if (now.type !== "logged" || now.event.type !== "iteration-ended" || it.said === undefined)
      return;
    const { claims = [], task } = now.event.end;
    if (task === undefined) return;
    const isClaim = claims.some(({ kind }) => kind === "promise");
    if (isClaim !== it.said.promised)
      tell(
        "promise-is-the-last-word",
        `${it.agent?.behaviour ?? ""} promised: ${it.said.promised}, heard: ${isClaim}`,
      );
  };
}

/** An iteration in which nothing moved is called so, and one in which something moved is not. */
export function watchMoves(tell: Tell): MomentCheck {
  return ({ now, it }) => {
    if (now.type !== "logged" || now.event.type !== "iteration-ended" || it.agent === undefined)
      return;
    const { end } = now.event;
    const isMoving = hasMoved(it, end.accepted.length);
    // Whether what is left of a list that was put back is progress, is nobody's question.
    const isOpen = it.isListAdded && it.done.has("restore-tasks");
    if (isOpen) return;
    if ((end.progress === true) !== isMoving)
      tell(
        "no-op-is-no-progress",
        `${end.outcome} tells progress: ${String(end.progress)}, not ${isMoving}`,
      );
    const isClaimed = (end.claims ?? []).length > 0 || end.outcome === "rejected";
    const isNothing = !isMoving && !isClaimed && isWell(it) && it.said?.asked === undefined;
    if (isNothing && end.outcome !== "no-op" && end.outcome !== "needs-human")
      tell("no-op-is-no-progress", `nothing moved and it is called ${end.outcome}`);
    if (end.outcome === "no-op" && (isMoving || isClaimed))
      tell("no-op-is-no-progress", "something moved and it is called a no-op");
  };
}

function isWell({ gone, said }: IterationTruth): boolean {
  const isOwn = gone?.cause === "own" || gone?.cause === "grace";
  return said !== undefined && isOwn && gone.isResultGood;
}

/** Gates run before the first agent, all of them after a claim, and a red one once more. */
export function watchGates(stage: Stage, tell: Tell): MomentCheck {
  const began = new Map<string, Set<string>>();
  return (moment) => {
    const { now, run, it, log } = moment;
    if (now.type === "gate-said") began.set(run, (began.get(run) ?? new Set()).add(now.key));
    if (now.type === "agent-let-go") {
      const known = new Set(ofType(log, "gate-ran").map(({ result }) => keyOf(stage, result.name)));
      const unseen = now.gates.filter(
        (key) => !known.has(key) || began.get(run)?.has(key) !== true,
      );
      if (unseen.length > 0) tell("baseline-first", `${unseen.join()} was not looked at`);
    }
    if (now.type !== "logged" || now.event.type !== "iteration-ended") return;
    const { end } = now.event;
    checkAgain(stage, end, moment, tell);
    if (end.accepted.length > 0 && now.truth !== undefined)
      checkAccepted({ stage, end, truth: now.truth, it, logs: moment }, tell);
  };
}

/** A red gate rejects nothing before it was red twice. */
function checkAgain(stage: Stage, end: IterationEnd, moment: RichMoment, tell: Tell): void {
  const { it } = moment;
  if (end.outcome === "accepted") return;
  for (const [key, said] of it.gates) {
    if (said.at(-1) !== true || isExcused(stage, moment, key)) continue;
    if (said.length < 2) tell("red-is-run-again", `${key} was red once, and it is ${end.outcome}`);
  }
}

function checkAccepted(
  what: {
    stage: Stage;
    end: IterationEnd;
    truth: Truth;
    it: IterationTruth;
    logs: Logs;
  },
  tell: Tell,
): void {
  const { stage, end, truth, it, logs } = what;
  const gates = configOf(logs.log)?.gates.map(({ name }) => name) ?? [];
  const keys = [...gates, ...new Set(truth.checks.map(([, key]) => key))];
  const red: string[] = [];
  for (const key of keys) {
    const last = it.gates.get(key)?.at(-1);
    if (last === undefined) tell("accepted-was-gated", `${key} did not run`);
    if (last !== true) continue;
    if (isExcused(stage, logs, key)) red.push(key);
    else tell("accepted-was-gated", `${key} is red`);
  }
  const checked = new Set(truth.checks.map(([id]) => id));
  for (const { id, verification } of end.accepted) {
    const isVerified = red.length === 0 && (gates.length > 0 || checked.has(id));
    if ((verification === "verified") !== isVerified)
      tell("old-red-is-unverified", `${id} is called ${verification}, red are: ${red.join()}`);
  }
  if (red.length > 0 && end.complete)
    tell("old-red-is-unverified", `complete, with ${red.join()} red`);
}

/** Red before any agent, and never green since; for a gate of the settings also in no earlier run. */
function isExcused(stage: Stage, logs: Logs, key: string): boolean {
  const own = ofType(logs.log, "gate-ran").filter(
    ({ result }) => keyOf(stage, result.name) === key,
  );
  const name = own.at(-1)?.result.name;
  const isOld = own.some(
    ({ result }) => result.name === name && result.phase === "baseline" && !result.passed,
  );
  const isGreen = ({ result }: { result: GateResult }): boolean =>
    result.name === name && result.passed;
  const looked = isOwnCheck(name ?? "") ? [logs.log] : [logs.log, ...logs.others];
  return isOld && !looked.some((log) => ofType(log, "gate-ran").some(isGreen));
}

/** The gate of the settings, or the command of the own check. */
function keyOf({ project }: Stage, name: string): string {
  const id = /^checks of (.*)$/u.exec(name)?.[1];
  if (id === undefined) return name;
  return project.lastReadable.find((story) => story.id === id)?.check ?? name;
}
