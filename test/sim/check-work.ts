// Checkers of the work: what is called done is done, nothing is done twice, and the list stays the person's.

import type { Event, IterationEnd } from "../../src/core/schema/event.ts";
import type { Tell } from "./checkers.ts";
import { configOf, endsOf, ofType, replay } from "./replay.ts";
import type { Stage } from "./stage.ts";
import type { Hand, Happening } from "./timeline.ts";

export function checkTruth(stage: Stage, tell: Tell): void {
  const said = new Map<string, boolean>();
  for (const { now, log } of replay(stage.machine.timeline)) {
    // What a gate said counts until somebody works on the code or the list again.
    if (now.type === "agent-let-go" || (now.type === "marked" && now.by !== "ralph")) said.clear();
    if (now.type === "gate-said") said.set(now.name, now.isRed);
    if (now.type !== "logged") continue;
    const { event } = now;
    if (event.type === "run-ended" && event.reason === "complete") {
      if (now.open > 0) tell("no-false-complete", `${now.open} tasks are open`);
      if (now.damagedBy !== undefined) tell("no-false-complete", "the list is unreadable");
      if (now.red.length > 0) tell("no-false-complete", `${now.red.join()} would be red`);
    }
    if (event.type === "iteration-ended") checkGated(event.end, configGates(log), said, tell);
  }
}

function configGates(log: readonly Event[]): readonly string[] {
  return configOf(log)?.gates.map(({ name }) => name) ?? [];
}

function checkGated(
  end: IterationEnd,
  gates: readonly string[],
  said: ReadonlyMap<string, boolean>,
  tell: Tell,
): void {
  for (const { id, verification } of end.accepted) {
    const missing = gates.filter((name) => said.get(name) !== false);
    if (missing.length > 0)
      tell("accepted-was-gated", `${id} accepted, ${missing.join()} not green`);
    const word = gates.length > 0 ? "verified" : "unverified";
    if (verification !== word) tell("accepted-was-gated", `${id} is called ${verification}`);
  }
}

export function checkOnce(stage: Stage, tell: Tell): void {
  const commits = new Set<string>();
  const entries = new Set<string>();
  const reopenedAt = new Map<string, number>();
  for (const { now, log } of replay(stage.machine.timeline)) {
    if (now.type === "committed" && now.trailer !== undefined) {
      if (commits.has(now.trailer)) tell("committed-once", `${now.trailer} is committed again`);
      commits.add(now.trailer);
    }
    if (now.type === "remembered" && now.marker !== undefined) {
      if (entries.has(now.marker)) tell("remembered-once", `${now.marker} is written again`);
      entries.add(now.marker);
    }
    if (now.type === "marked" && !now.isDone) reopenedAt.set(now.id, log.at(-1)?.seq ?? 0);
    if (now.type === "prompt") checkAttempt(now, log, tell);
    if (now.type !== "logged" || now.event.type !== "iteration-ended") continue;
    for (const { id } of now.event.end.accepted) {
      const before = ofType(log, "iteration-ended").findLast(({ end }) =>
        end.accepted.some((task) => task.id === id),
      );
      if (before !== undefined && before.seq > (reopenedAt.get(id) ?? 0)) {
        tell("accepted-once", `${id} is accepted again`);
      }
    }
  }
}

function checkAttempt(
  now: Happening & { type: "prompt" },
  log: readonly Event[],
  tell: Tell,
): void {
  const tasks = new Map(
    ofType(log, "effect-ordered").flatMap((e) =>
      e.order.type === "run-agent" ? [[e.iteration, e.order.task.id] as const] : [],
    ),
  );
  const starts = ofType(log, "agent-started").filter((e) => tasks.get(e.iteration) === now.task);
  if (now.attempt !== starts.length + 1) {
    tell("attempts-counted-once", `attempt ${now.attempt} at ${now.task} after ${starts.length}`);
  }
}

export function checkList(stage: Stage, tell: Tell): void {
  for (const { now, log } of replay(stage.machine.timeline)) {
    if (
      now.type === "logged" &&
      now.event.type === "iteration-ended" &&
      now.damagedBy === "agent"
    ) {
      tell("list-is-restored", `iteration ${now.event.iteration ?? 0} ends with a broken list`);
    }
    if (now.type === "agent-let-go") {
      if (!now.isListReadable) tell("list-is-restored", `agent ${now.pid} starts on a broken list`);
      const accepted = new Set<string>(
        endsOf(log).flatMap(({ end }) => end.accepted.map((t) => t.id)),
      );
      const wrong = now.agentMarks.filter((id) => !accepted.has(id));
      if (wrong.length > 0)
        tell("marks-are-taken-back", `${wrong.slice(0, 3).join()} still marked`);
    }
    if (now.type !== "prompt") continue;
    const expected = rejectionIn(log);
    if (now.rejection !== expected) {
      tell(
        "prompt-tells-rejection",
        `the prompt says "${now.rejection ?? ""}", not "${expected ?? ""}"`,
      );
    }
  }
}

/** The newest claim that did not stand, until one does. */
function rejectionIn(log: readonly Event[]): string | undefined {
  const last = endsOf(log).findLast(({ end: { outcome } }) =>
    ["accepted", "rejected", "timed-out"].includes(outcome),
  );
  return last === undefined || last.end.outcome === "accepted" ? undefined : last.end.reason;
}

export function checkPersons(stage: Stage, tell: Tell): void {
  const titles = new Map<string, string>();
  const marks = new Map<string, boolean>();
  let brokenBy: Hand | undefined;
  for (const now of stage.machine.timeline) {
    if (now.type === "marked" && now.by === "agent") marks.delete(now.id);
    // What a person broke may be put back as if the agent had; the broken one is kept aside.
    if (now.type === "list-damaged") brokenBy = now.by;
    if (
      now.type === "effect-began" &&
      now.effect.type === "restore-tasks" &&
      brokenBy === "person"
    ) {
      titles.clear();
      marks.clear();
    }
    if (now.type !== "person-edited") continue;
    if (now.edit === "titled" || now.edit === "added") titles.set(now.id, now.title);
    if (now.edit === "marked" || now.edit === "reopened") marks.set(now.id, now.edit === "marked");
  }
  for (const [id, title] of titles) {
    const story = stage.project.lastReadable.find((s) => s.id === id);
    if (story?.title !== title)
      tell("persons-edits-stay", `${id} is "${story?.title ?? "gone"}", not "${title}"`);
  }
  for (const [id, isDone] of marks) {
    const story = stage.project.lastReadable.find((s) => s.id === id);
    if (story?.done !== isDone) tell("persons-edits-stay", `the mark of ${id} is not the person's`);
  }
}
