// Checkers of processes and time: agents one at a time and on record, caps, stops, waits and the four clocks.

import type { Config } from "../../src/core/schema/config.ts";
import type { Event } from "../../src/core/schema/event.ts";
import type { Tell } from "./checkers.ts";
import { activeMs, configOf, endsOf, ofType, replay } from "./replay.ts";
import type { Stage } from "./stage.ts";
import type { AgentTimes, Happening } from "./timeline.ts";

export function checkAgents(stage: Stage, tell: Tell): void {
  const iterations = new Set<number>();
  let areOrphansEnded = false;
  for (const { now } of replay(stage.machine.timeline)) {
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
    if (iterations.has(now.iteration))
      tell("crash-rules", `iteration ${now.iteration} ran two agents`);
    iterations.add(now.iteration);
  }
}

/** Neither a limit nor an agent that cannot work says anything about the task. */
const NOT_CHARGED = new Set<string>(["usage-limited", "rate-limited", "fatal"]);

export function checkCaps(stage: Stage, tell: Tell): void {
  for (const { now, log } of replay(stage.machine.timeline)) {
    if (now.type !== "logged") continue;
    const { event } = now;
    if (event.type === "iteration-started") checkCapAt(log, tell, event.iteration ?? 0);
    if (event.type !== "iteration-ended") continue;
    const { outcome, charged } = event.end;
    const isStarted = ofType(log, "agent-exited").some((e) => e.iteration === event.iteration);
    if (charged !== (isStarted && !isFree(log, event.iteration, outcome))) {
      tell("charged-rightly", `iteration ${event.iteration ?? 0} (${outcome}) charged: ${charged}`);
    }
  }
}

/** What is not charged: limits, agents that cannot work, and iterations that a person stopped. */
function isFree(log: readonly Event[], n: number | undefined, outcome: string): boolean {
  const isStopped = ofType(log, "agent-exited").some(
    (e) => e.iteration === n && e.exit.terminated?.cause === "stop",
  );
  return NOT_CHARGED.has(outcome) || (outcome === "interrupted" && isStopped);
}

function checkCapAt(log: readonly Event[], tell: Tell, n: number): void {
  const config = configOf(log);
  if (config === undefined) return;
  // Counted from what happened, not from what the log calls charged.
  const started = new Set(ofType(log, "agent-exited").map((e) => e.iteration));
  const used = endsOf(log).filter(
    ({ n: number, end }) => started.has(number) && !isFree(log, number, end.outcome),
  ).length;
  if (used >= config.iterationMax)
    tell("caps-hold", `iteration ${n} starts after ${used} of ${config.iterationMax}`);
  const { runMsMax } = config;
  if (runMsMax !== undefined && activeMs(log) >= runMsMax) {
    tell("caps-hold", `iteration ${n} starts after ${activeMs(log)} of ${runMsMax} ms`);
  }
}

export function checkStops(stage: Stage, tell: Tell): void {
  let stop: "none" | "after-iteration" | "now" = "none";
  for (const { now } of replay(stage.machine.timeline)) {
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

const MARGIN_MS = 30_000;
const TOLD_MS_MAX = 8 * 24 * 3_600_000;
type Gone = Happening & { type: "agent-gone" };

export function checkWaits(stage: Stage, tell: Tell): void {
  const gone = new Map<number, Gone>();
  for (const { now, log } of replay(stage.machine.timeline)) {
    if (now.type === "agent-gone") gone.set(now.iteration, now);
    if (now.type !== "agent-let-go") continue;
    const notBefore = earliestStart(log, gone);
    if (now.at < notBefore) {
      tell("waits-are-kept", `agent ${now.pid} starts ${notBefore - now.at} ms before its time`);
    }
  }
}

/** What the last ended iteration asks for; a told time counts where the log saw the agent's end. */
function earliestStart(log: readonly Event[], gone: ReadonlyMap<number, Gone>): number {
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
  const agent = isSeen ? gone.get(last.n) : undefined;
  const told = agent?.isResultGood === true ? undefined : agent?.limit?.resetsAt;
  const isUsable = told !== undefined && told > last.at && told < last.at + TOLD_MS_MAX;
  if (isUsable) return told + MARGIN_MS;
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
