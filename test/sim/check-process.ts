// Checkers of processes and time: agents one at a time and on record, caps, stops, waits and the four clocks.

import type { Config } from "../../src/core/schema/config.ts";
import type { Event } from "../../src/core/schema/event.ts";
import type { Tell } from "./checkers.ts";
import { configOf, endsOf, ofType, replay } from "./replay.ts";
import type { Stage } from "./stage.ts";
import type { AgentTimes, Happening } from "./timeline.ts";

export function checkAgents(stage: Stage, tell: Tell): void {
  const iterations = new Set<string>();
  let areOrphansEnded = false;
  for (const { now, run } of replay(stage.machine.timeline)) {
    if (now.type === "opened") areOrphansEnded = false;
    if (now.type === "orphans-ended") areOrphansEnded = now.alive === 0;
    if (now.type === "effect-began" && !areOrphansEnded) {
      tell("no-orphans", `${now.effect.type} began while an older process's children lived`);
    }
    if (now.type === "ended" && now.processesAlive > 0) {
      tell("no-orphans", `${now.processesAlive} processes live after the end`);
    }
    if (now.type !== "agent-let-go") continue;
    if (!now.isRecorded) tell("agent-start-recorded", `agent ${now.pid} is not in the durable log`);
    if (now.othersAlive > 0) tell("one-agent-at-a-time", `agent ${now.pid} is not the only one`);
    const iteration = `${run}/${now.iteration}`;
    if (iterations.has(iteration)) tell("crash-rules", `iteration ${iteration} ran two agents`);
    iterations.add(iteration);
  }
}

export function checkStops(stage: Stage, tell: Tell): void {
  let stop: "none" | "after-iteration" | "now" = "none";
  for (const now of stage.machine.timeline) {
    if (now.type === "opened") stop = "none";
    if (now.type === "control-given" && stop !== "now") stop = now.control.when;
    if (stop === "none") continue;
    if (now.type === "logged" && now.event.type === "iteration-started") {
      tell("stop-after-iteration", `iteration ${now.event.iteration ?? 0} starts after a stop`);
    }
    if (stop !== "now") continue;
    const isNew = now.type === "effect-began" && now.effect.type !== "inspect-project";
    if (isNew || now.type === "agent-let-go" || now.type === "gate-began") {
      tell("stop-now-starts-nothing", `${now.type} after a stop at once`);
    }
  }
}

const TOLD_MS_MAX = 8 * 24 * 3_600_000;
type Gone = Happening & { type: "agent-gone" };

export function checkWaits(stage: Stage, tell: Tell): void {
  const gone = new Map<string, Gone>();
  for (const { now, log, run } of replay(stage.machine.timeline)) {
    if (now.type === "agent-gone") gone.set(`${run}/${now.iteration}`, now);
    if (now.type !== "agent-let-go") continue;
    const notBefore = earliestStart(log, gone, run);
    if (now.at < notBefore) {
      tell("waits-are-kept", `agent ${now.pid} starts ${notBefore - now.at} ms before its time`);
    }
  }
}

/** What the last ended iteration asks for; a told time counts where the log saw the agent's end. */
function earliestStart(
  log: readonly Event[],
  gone: ReadonlyMap<string, Gone>,
  run: string,
): number {
  const ends = endsOf(log);
  const last = ends.at(-1);
  // The settings of that moment count, whatever a person has changed since.
  const config = configOf(
    log.slice(
      0,
      log.findLastIndex((e) => e.type === "iteration-ended"),
    ),
  );
  if (last === undefined || config === undefined) return 0;
  const isSeen = ofType(log, "agent-exited").some((e) => e.iteration === last.n && !e.exit.lost);
  const agent = isSeen ? gone.get(`${run}/${last.n}`) : undefined;
  const told = agent?.isResultGood === true ? undefined : agent?.limit?.resetsAt;
  const isUsable = told !== undefined && told > last.at && told < last.at + TOLD_MS_MAX;
  if (isUsable) return told + config.limitMarginMs;
  const { outcome } = last.end;
  if (outcome === "usage-limited") return last.at + config.limitWaitMs;
  if (outcome !== "rate-limited") return last.at + config.pauseMs;
  const others = ends.findLastIndex(({ end }) => end.outcome !== "rate-limited");
  const inARow = ends.length - 1 - others;
  return last.at + Math.floor(0.75 * Math.min(15 * 60_000, 5000 * 2 ** (inARow - 1)));
}

/** The supervisor looks every five seconds; a sleep costs it up to one look more. */
const LOOK_MS = 5_000;

export function checkClocks(stage: Stage, tell: Tell): void {
  for (const { now, log } of replay(stage.machine.timeline)) {
    if (now.type !== "agent-gone") continue;
    const clocks = configOf(log)?.clocks;
    if (clocks === undefined) continue;
    const left = timeLeft(now.times, clocks);
    const late = LOOK_MS + now.times.sleeps * 4 * LOOK_MS;
    for (const [clock, ms] of left) {
      if (now.cause === clock && ms > 0) tell("clocks-on-time", `${clock} fired ${ms} ms early`);
      if (ms < -late) tell("clocks-on-time", `${clock} is ${-ms} ms late (${now.cause})`);
    }
    const isClock = now.cause !== "own" && now.cause !== "stop" && now.cause !== "killed";
    if (isClock && !left.some(([clock]) => clock === now.cause)) {
      tell("clocks-on-time", `${now.cause} fired and was not running`);
    }
  }
}

function timeLeft(times: AgentTimes, clocks: Config["clocks"]): [string, number][] {
  const { sinceStart, sinceHeard, sinceResult, toolsInFlight } = times;
  if (sinceResult !== undefined) return [["grace", clocks.graceMs - sinceResult]];
  const left: [string, number][] = [["wall", clocks.wallMs - sinceStart]];
  if (sinceHeard === undefined && clocks.startMs !== undefined) {
    left.push(["start", clocks.startMs - sinceStart]);
  }
  if (sinceHeard !== undefined && toolsInFlight === 0 && clocks.idleMs !== undefined) {
    left.push(["idle", clocks.idleMs - sinceHeard]);
  }
  return left;
}
