// Checkers of the record: the log itself, what it folds to, and that it tells of everything before it happens.

import { isDeepStrictEqual } from "node:util";
import { reduce } from "../../src/core/loop/reduce.ts";
import type { RunState } from "../../src/core/loop/state.ts";
import { CRASH_RULES } from "../../src/core/loop/crash-rules.ts";
import type { Event } from "../../src/core/schema/event.ts";
import { exitCodeOf, isResumable, type StopSignal } from "../../src/core/schema/outcome.ts";
import { parseEvent } from "../../src/core/schema/parse-event.ts";
import type { Tell } from "./checkers.ts";
import { lastOf, replay } from "./replay.ts";
import type { Stage } from "./stage.ts";

export function checkLog(stage: Stage, tell: Tell): void {
  for (const text of stage.disk.logTexts()) checkLines(text.split("\n").slice(0, -1), tell);
}

function checkLines(lines: readonly string[], tell: Tell): void {
  let seq = 0;
  let iteration = 0;
  for (const line of lines) {
    const parsed = parseEvent(line);
    if (!parsed.ok || parsed.value.kind === "unknown") {
      tell("log-is-sound", `a line does not parse: ${line.slice(0, 100)}`);
      continue;
    }
    const { event } = parsed.value;
    if (event.seq <= seq) tell("log-is-sound", `event ${event.seq} follows ${seq}`);
    seq = event.seq;
    if (event.type !== "iteration-started") continue;
    const n = event.iteration ?? 0;
    if (n <= iteration) tell("counters-go-on", `iteration ${n} starts after ${iteration}`);
    iteration = n;
  }
}

/** Every state that was seen in memory must be what the log, as it was then, folds to. */
export function checkFold(stage: Stage, tell: Tell): void {
  let state: RunState | undefined;
  let folded: Event | undefined;
  let charged = 0;
  try {
    let of = "";
    for (const { now, log, run } of replay(stage.machine.timeline)) {
      const isCut = now.type === "log-cut" && now.run === run;
      if (isCut || run !== of) {
        const left = isCut ? now.fromSeq : Number.POSITIVE_INFINITY;
        state = log.filter((e) => e.seq < left).reduce<RunState | undefined>(reduce, undefined);
        charged = run === of ? Math.min(charged, state?.charged ?? 0) : 0;
        of = run;
      }
      if (now.type === "logged") {
        folded = now.event;
        state = reduce(state, now.event);
        const counted = state.charged;
        if (counted < charged) tell("counters-go-on", `charged goes from ${charged} to ${counted}`);
        charged = counted;
      }
      if (now.type !== "state" || state === undefined) continue;
      if (!isSameJson(JSON.stringify(state), now.json)) {
        tell(
          "fold-is-state",
          `the ${now.of} state at event ${now.seq} is not what the log folds to`,
        );
      }
    }
    const tip = JSON.stringify(stage.reopen());
    if (!isSameJson(tip, JSON.stringify(state))) {
      tell("fold-is-state", "snapshot and tail give another state than the whole log");
    }
  } catch (error) {
    tell("fold-is-state", `event ${folded?.seq ?? 0} cannot be folded: ${String(error)}`);
  }
}

/** Alike up to the order of keys, which differs after a state was read back. */
function isSameJson(a: string | undefined, b: string | undefined): boolean {
  if (a === b) return true;
  return a !== undefined && b !== undefined && isDeepStrictEqual(JSON.parse(a), JSON.parse(b));
}

export function checkIterationsEnd(stage: Stage, tell: Tell): void {
  let open: number | undefined;
  for (const now of stage.machine.timeline) {
    if (now.type === "log-cut") {
      open = undefined;
      continue;
    }
    if (now.type !== "logged") continue;
    const { event } = now;
    if (event.type === "run-started") open = undefined;
    if (event.type === "iteration-started") {
      if (open !== undefined) tell("iterations-end", `iteration ${open} never ended`);
      open = event.iteration;
    }
    if (event.type === "iteration-ended") open = undefined;
    if (event.type === "run-ended" && open !== undefined && !isResumable(event.reason)) {
      tell("iterations-end", `the run ended ${event.reason} with iteration ${open} open`);
    }
  }
}

export function checkAnnounced(stage: Stage, tell: Tell): void {
  const probed = new Set<string>();
  const lives = new Map<Event, number>();
  let ordered: { effect: string; type: string; life: number } | undefined;
  for (const { now, log } of replay(stage.machine.timeline)) {
    if (now.type === "opened") probed.clear();
    if (now.type === "probed") probed.add(now.effect);
    if (now.type === "logged") lives.set(now.event, now.life);
    if (now.type !== "effect-began") continue;
    const { type } = now.effect;
    const last = lastOf(log, "effect-ordered");
    ordered =
      last === undefined
        ? undefined
        : { effect: last.effect ?? "", type: last.order.type, life: lives.get(last) ?? 0 };
    if (ordered?.type !== type || isAnswered(log, ordered.effect)) {
      tell("announced-before-done", `${type} began and was not announced`);
      continue;
    }
    const isInherited = ordered.life !== now.life;
    const rule = CRASH_RULES[type];
    if (isInherited && rule === "skip") tell("crash-rules", `${type} was begun again`);
    if (isInherited && rule === "probe" && !probed.has(type)) {
      tell("crash-rules", `${type} was done again and not looked for`);
    }
  }
}

const NO_ANSWERS = new Set(["effect-ordered", "agent-started", "effect-cut", "effect-failed"]);

function isAnswered(log: readonly Event[], effect: string): boolean {
  return log.some((event) => event.effect === effect && !NO_ANSWERS.has(event.type));
}

/** How a run ends: under the right code, told when the disk is full, and at all. */
export function checkEnds(stage: Stage, tell: Tell): void {
  let given: { when: string; signal: StopSignal }[] = [];
  let reason = "";
  for (const now of stage.machine.timeline) {
    if (now.type === "opened") given = [];
    if (now.type === "control-given") given.push(now.control);
    if (now.type === "fault-ended" && (now.isTouched || !now.isWritten)) {
      tell("full-disk-is-told", now.isTouched ? "the log is called touched" : "no end was written");
    }
    if (now.type === "stuck") tell("ends-in-bounds", now.why);
    if (now.type !== "logged" || now.event.type !== "run-ended") continue;
    ({ reason } = now.event);
    const stop = given.find(({ when }) => when === "now") ?? given.at(-1);
    const code = exitCodeOf(now.event.reason, stop?.signal ?? "SIGINT");
    if (now.event.exitCode !== code || (reason === "stopped" && stop === undefined)) {
      tell("exit-code-fits", `${reason} ended with ${now.event.exitCode}, not ${code}`);
    }
  }
  if (stage.plan.isUncapped && reason !== "complete") {
    tell("ends-in-bounds", `the last end is "${reason}" though nothing was in the way`);
  }
}
