// Checkers of tasks that are laid aside: when they must be, when they come back, and what a run does that has no other.

import type { Event } from "../../src/core/schema/event.ts";
import { endsOnParked, isTelling } from "./check-breaker.ts";
import type { Tell } from "./checkers.ts";
import type { Iterations, MomentCheck, RichMoment } from "./iterations.ts";
import { configOf, ofType } from "./replay.ts";

type Why = "asked" | "rejected-claims" | "test-only" | "deferred";

/** Tasks that must be out of turn at this moment, told from what happened and not from what was written about it. */
interface Laid {
  readonly parked: Map<string, Why>;
  readonly rejected: Map<string, number>;
  readonly testOnly: Map<string, number>;
}

export function watchParking(tell: Tell): MomentCheck {
  return (moment) => {
    const { now, log, iterations } = moment;
    if (now.type === "agent-let-go") checkChoice(now, expectLaid(log, iterations), tell);
    if (now.type !== "logged") return;
    const { event } = now;
    if (event.type === "iteration-ended") checkLaid(event, moment, tell);
    if (event.type === "run-ended") checkOnlyParked(moment, tell);
    if (event.type === "run-ended" && event.reason === "circuit-open") checkStopped(moment, tell);
  };
}

function checkChoice(
  now: RichMoment["now"] & { type: "agent-let-go" },
  { parked }: Laid,
  tell: Tell,
): void {
  const why = parked.get(now.task);
  if (why === undefined) return;
  if (why === "asked") tell("asked-is-parked", `${now.task} waits for an answer and is worked on`);
  else if (why !== "deferred") tell("parks-at-limits", `${now.task} is laid aside and worked on`);
  const others = now.ready.filter((id) => !parked.has(id));
  if (why === "deferred" && others.length > 0)
    tell("deferred-come-last", `${now.task} is worked on before ${others.join()}`);
}

/** What this very iteration has to have laid aside. */
function checkLaid(
  event: Event & { type: "iteration-ended" },
  { log, iterations, it }: RichMoment,
  tell: Tell,
): void {
  const { task, parked, outcome } = event.end;
  if (task === undefined) return;
  const isAsking = it.agent?.behaviour.startsWith("asks-") === true && it.said?.asked !== undefined;
  const isOwnEnd = it.gone?.cause === "own" || it.gone?.cause === "grace";
  if (isAsking && isOwnEnd) {
    const isTold = parked?.why === "asked" && parked.detail.includes(it.said?.asked ?? "");
    if (outcome !== "needs-human" || !isTold)
      tell(
        "asked-is-parked",
        `${task.id} asked and is ${outcome}, ${parked?.why ?? "not laid aside"}`,
      );
    return;
  }
  if (parked?.why === "asked") tell("asked-is-parked", `${task.id} did not ask`);
  const before = expectLaid(log, iterations).parked.get(task.id);
  const why = expectLaid([...log, event], iterations).parked.get(task.id);
  const isExpected = why !== before && (why === "rejected-claims" || why === "test-only");
  const isSaid = parked?.why === "rejected-claims" || parked?.why === "test-only";
  if (isExpected !== isSaid || (isSaid && parked.why !== why))
    tell(
      "parks-at-limits",
      `${task.id} is ${parked?.why ?? "not laid aside"}, not ${why ?? "in turn"}`,
    );
}

function checkOnlyParked({ now, log, iterations }: RichMoment, tell: Tell): void {
  if (now.type !== "logged" || now.event.type !== "run-ended" || !endsOnParked(log)) return;
  const { reason } = now.event;
  // A stop or a full disk may come in between.
  if (reason === "stopped" || reason === "disk") return;
  const { parked } = expectLaid(log, iterations);
  const ready = now.truth?.ready ?? [];
  const inTurn = ready.filter((id) => !parked.has(id) || parked.get(id) === "deferred");
  if (inTurn.length > 0) tell("only-parked-ends", `${inTurn.join()} could still be done`);
  // A question wants its answer, whatever else its task waits for.
  const isAsking = [...parked.values()].includes("asked");
  const expected = isAsking ? "needs-human" : "circuit-open";
  if (reason !== expected) tell("only-parked-ends", `the run ends ${reason}, not ${expected}`);
}

/** Before a run is stopped by one task, another one that was ready has had its turn. */
function checkStopped({ now, log, iterations, run }: RichMoment, tell: Tell): void {
  const config = configOf(log);
  if (config === undefined || endsOnParked(log) || now.type !== "logged") return;
  const from = log.findLastIndex((e) => e.type === "run-started" || e.type === "run-resumed");
  const here = log.slice(from);
  const isTouched = ofType(here, "project-read").some(
    (e) => (e.reading.edits?.tasks ?? []).length > 0,
  );
  const ends = ofType(here, "iteration-ended").filter(({ end }) => isTelling(end));
  const idle = ends.length - 1 - ends.findLastIndex(({ end }) => end.progress === true);
  const { idleMax, sameErrorMax } = config.breaker;
  const max = idle >= idleMax ? idleMax : sameErrorMax;
  const [error, ...errors] = ends.slice(-sameErrorMax).map(({ end }) => end.error);
  const isSame = error !== undefined && errors.every((one) => one === error);
  // What began in an earlier process is not seen whole here.
  if (idle < idleMax && !isSame) return;
  // Only where the whole row lies in this process and no person has stepped in: then the counts are the same.
  const row = ends.slice(-max);
  if (isTouched || max < 2 || row.length < max) return;
  const tasks = new Set(row.map(({ end }) => end.task?.id));
  if (tasks.size > 1) return;
  const { parked } = expectLaid(log, iterations);
  const readyAt = (place: number): readonly string[] =>
    iterations.of(run, row.at(place)?.iteration).agent?.ready ?? [];
  const others = readyAt(-1).filter(
    (id) => readyAt(-2).includes(id) && !tasks.has(id as never) && !parked.has(id),
  );
  if (others.length > 0)
    tell(
      "parked-before-stopped",
      `the run is stopped by ${[...tasks].join()}, and ${others.join()} was ready`,
    );
}

/** Goes through the log of one run; what gives way to others is taken from the log, all else from the truth. */
function expectLaid(log: readonly Event[], iterations: Iterations): Laid {
  const laid: Laid = { parked: new Map(), rejected: new Map(), testOnly: new Map() };
  const config = configOf(log);
  let end = "";
  for (const event of log) {
    if (event.type === "run-ended") end = event.reason;
    // Whoever goes on after the run asked for a person has looked at everything.
    if (event.type === "run-resumed" && end === "needs-human") forget(laid);
    if (event.type === "run-resumed") end = "";
    if (event.type === "project-read")
      for (const id of event.reading.edits?.tasks ?? []) forget(laid, id);
    if (event.type !== "iteration-ended" || config === undefined) continue;
    for (const { id } of event.end.accepted) forget(laid, id);
    const { task } = event.end;
    if (task === undefined || event.end.accepted.some(({ id }) => id === task.id)) continue;
    layAside(laid, event, iterations, config.parking);
  }
  return laid;
}

function layAside(
  laid: Laid,
  { end, run, iteration }: Event & { type: "iteration-ended" },
  iterations: Iterations,
  limits: { rejectedMax: number; testOnlyMax: number },
): void {
  const id = end.task?.id ?? "";
  const it = iterations.of(run, iteration);
  const put = (why: Why): void => {
    forget(laid, id);
    laid.parked.set(id, why);
  };
  const isAsking = it.said?.asked !== undefined && end.outcome === "needs-human";
  if (isAsking && end.blocked !== true) return put("asked");
  if (!isTelling(end)) return;
  const rejected = end.outcome === "rejected" ? (laid.rejected.get(id) ?? 0) + 1 : 0;
  const isTestOnly = end.outcome === "progressed" && it.change?.testOnly === true;
  const testOnly = isTestOnly ? (laid.testOnly.get(id) ?? 0) + 1 : 0;
  laid.rejected.set(id, rejected);
  laid.testOnly.set(id, testOnly);
  if (rejected >= limits.rejectedMax) return put("rejected-claims");
  if (testOnly >= limits.testOnlyMax) return put("test-only");
  if (end.parked !== undefined) put("deferred");
}

function forget(laid: Laid, id?: string): void {
  for (const map of [laid.parked, laid.rejected, laid.testOnly]) {
    if (id === undefined) map.clear();
    else map.delete(id);
  }
}

/** What a person does to a task is told by the next reading, so that it comes back into turn. */
export function watchTouches(tell: Tell): MomentCheck {
  const touched = new Set<string>();
  // New, or done in between: such a task was never out of turn.
  const added = new Set<string>();
  // What the log has forgotten cannot be compared with any more.
  let isCut = false;
  return ({ now, log }) => {
    if (now.type === "log-cut") isCut = true;
    if (now.type === "person-edited") {
      if (now.edit === "added" || now.edit === "marked") added.add(now.id);
      const isTouch = ["titled", "criteria", "reopened"].includes(now.edit);
      if (isTouch && !added.has(now.id)) touched.add(now.id);
      if (now.edit === "marked") touched.delete(now.id);
    }
    if (now.type !== "logged" || now.event.type !== "project-read") return;
    const { reading } = now.event;
    if (reading.problem !== undefined) return;
    const said = new Set<string>(reading.edits?.tasks);
    // The first reading of a run has nothing to compare with.
    const isFirst = !ofType(log, "project-read").some((e) => e.reading.problem === undefined);
    const missed = [...touched].filter((id) => !said.has(id));
    if (!isFirst && !isCut && said.size < 5 && missed.length > 0)
      tell("persons-edits-are-told", `${missed.join()} was edited, and nobody says so`);
    touched.clear();
    added.clear();
    isCut = false;
  };
}
