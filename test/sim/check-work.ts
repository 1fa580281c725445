// Checkers of the work: what is called done is done, nothing is done twice, and the list stays the person's.

import type { Event } from "../../src/core/schema/event.ts";
import type { Tell } from "./checkers.ts";
import { endsOf, ofType, replay } from "./replay.ts";
import type { Stage } from "./stage.ts";
import type { Hand, Happening } from "./timeline.ts";

export function checkOnce(stage: Stage, tell: Tell): void {
  const commits = new Set<string>();
  const entries = new Set<string>();
  let isArchived = false;
  const accepted = new Map<string, Event>();
  for (const { now, log } of replay(stage.machine.timeline)) {
    if (now.type === "committed" && now.trailer !== undefined) {
      if (commits.has(now.trailer)) tell("committed-once", `${now.trailer} is committed again`);
      commits.add(now.trailer);
    }
    if (now.type === "remembered" && now.marker !== undefined) {
      if (entries.has(now.marker)) tell("remembered-once", `${now.marker} is written again`);
      entries.add(now.marker);
    }
    if (now.type === "agent-let-go") isArchived = false;
    if (now.type === "archived") {
      if (isArchived) tell("archived-once", `${now.by} archives what was archived`);
      if (now.open > 0) tell("archived-once", `${now.by} archives with ${now.open} open`);
      isArchived = true;
    }
    if (now.type === "marked" && !now.isDone) accepted.delete(now.id);
    if (now.type === "log-cut") {
      for (const [id, { run, seq }] of accepted)
        if (run === now.run && seq >= now.fromSeq) accepted.delete(id);
    }
    if (now.type === "prompt") checkAttempt(now, log, tell);
    if (now.type !== "logged" || now.event.type !== "iteration-ended") continue;
    for (const { id } of now.event.end.accepted) {
      if (accepted.has(id)) tell("accepted-once", `${id} is accepted again`);
      accepted.set(id, now.event);
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
  for (const { now, log, others } of replay(stage.machine.timeline)) {
    if (
      now.type === "logged" &&
      now.event.type === "iteration-ended" &&
      now.truth?.damagedBy === "agent"
    ) {
      tell("list-is-restored", `iteration ${now.event.iteration ?? 0} ends with a broken list`);
    }
    if (now.type === "agent-let-go") {
      if (!now.isListReadable) tell("list-is-restored", `agent ${now.pid} starts on a broken list`);
      const accepted = new Set<string>(
        [log, ...others].flatMap(endsOf).flatMap(({ end }) => end.accepted.map((t) => t.id)),
      );
      const wrong = now.agentMarks.filter((id) => !accepted.has(id));
      if (wrong.length > 0)
        tell("marks-are-taken-back", `${wrong.slice(0, 3).join()} still marked`);
    }
    if (now.type !== "prompt") continue;
    const expected = rejectionsIn(log);
    const said = now.rejection;
    const isTold =
      said === undefined
        ? expected === undefined
        : expected?.some((words) => said.includes(words) || words.includes(said)) === true;
    if (!isTold) {
      const words = expected?.join(" or ") ?? "";
      tell("prompt-tells-rejection", `the prompt says "${said ?? ""}", not "${words}"`);
    }
  }
}

/** What the newest iteration whose claim or deed did not stand may be called, until a claim stands. */
function rejectionsIn(log: readonly Event[]): readonly string[] | undefined {
  for (const event of ofType(log, "iteration-ended").toReversed()) {
    const { outcome, complete, claims = [], blocked, reason } = event.end;
    const own = log.filter(({ iteration }) => iteration === event.iteration);
    const refused = claims.filter(({ verdict }) => verdict === "rejected").map((c) => c.reason);
    // That all is done is not true beside a gate that is as red as before.
    const isRed = reason.includes("before the first agent");
    const isHasty = isRed && claims.some((c) => c.kind !== "mark" && c.verdict === "unverified");
    const hasty = isHasty ? ["that all is done, but"] : [];
    const unmet = [...refused, ...hasty];
    if (outcome === "accepted") return unmet.length === 0 || complete ? undefined : unmet;
    // What only a person can put right is told to the person.
    if (blocked === true) continue;
    const wrongs = wrongsIn(own);
    const isTold = outcome === "rejected" || outcome === "timed-out" || wrongs.length > 0;
    if (isTold || refused.length > 0) return [...wrongs, ...refused, reason];
  }
  return undefined;
}

/** What an agent did that it may not do, in words of which one must be said. */
function wrongsIn(iteration: readonly Event[]): string[] {
  const orders = new Set(ofType(iteration, "effect-ordered").map(({ order }) => order.type));
  const isPutBack = orders.has("restore-tasks") || orders.has("restore-file");
  const seen = ofType(iteration, "project-inspected").map(({ change }) => change);
  const isLost = seen.some(({ dropped }) => (dropped ?? 0) > 0);
  const mended = ofType(iteration, "git-mended").flatMap(({ did }) => ["history", ...did]);
  const found = (seen.at(-1)?.findings ?? []).map(({ what }) => what);
  return [...(isPutBack ? ["put back"] : []), ...(isLost ? mended : []), ...found];
}

export function checkPersons(stage: Stage, tell: Tell): void {
  const titles = new Map<string, string>();
  const criteria = new Map<string, string>();
  const files = new Map<"settings" | "prompt", string>();
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
      criteria.clear();
      marks.clear();
    }
    if (now.type !== "person-edited") continue;
    if (now.edit === "titled" || now.edit === "added") titles.set(now.id, now.title);
    if (now.edit === "criteria") criteria.set(now.id, now.title);
    if (now.edit === "settings" || now.edit === "prompt") files.set(now.edit, now.title);
    if (now.edit === "marked" || now.edit === "reopened") marks.set(now.id, now.edit === "marked");
  }
  for (const [id, title] of titles) {
    const story = stage.project.lastReadable.find((s) => s.id === id);
    if (story?.title !== title)
      tell("persons-edits-stay", `${id} is "${story?.title ?? "gone"}", not "${title}"`);
  }
  for (const [id, text] of criteria) {
    const story = stage.project.lastReadable.find((s) => s.id === id);
    if (story?.criteria[0] !== text) tell("persons-edits-stay", `${id} lost its criteria`);
  }
  for (const [file, text] of files) {
    if (stage.project.files[file] !== text)
      tell("persons-edits-stay", `${file} is not the person's`);
  }
  for (const [id, isDone] of marks) {
    const story = stage.project.lastReadable.find((s) => s.id === id);
    if (story?.done !== isDone) tell("persons-edits-stay", `the mark of ${id} is not the person's`);
  }
}
