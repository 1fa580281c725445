// Checkers of what may be used up: iterations, time, money, tokens, and agent starts within an hour.

import type { LimitAnswer } from "../../src/core/schema/control.ts";
import type { AgentExit, Event } from "../../src/core/schema/event.ts";
import type { Tell } from "./checkers.ts";
import type { Iterations, MomentCheck } from "./iterations.ts";
import { activeMs, configOf, endsOf, ofType } from "./replay.ts";
import type { Stage } from "./stage.ts";

const HOUR_MS = 3_600_000;
/** How long a person has to answer. */
const ANSWER_MS = 30_000;

export function watchCaps(tell: Tell): MomentCheck {
  return ({ now, log }) => {
    const isAgent = now.type === "agent-let-go";
    if (!isAgent && (now.type !== "logged" || now.event.type !== "iteration-started")) return;
    const config = configOf(log);
    if (config === undefined) return;
    // Counted from what happened, not from what the log calls charged.
    const exits = new Map(
      ofType(log, "agent-exited").map((event) => [event.iteration, event.exit]),
    );
    const used = endsOf(log).filter(({ n, end }) => isCounted(exits.get(n), end.outcome)).length;
    const what = isAgent ? `agent ${now.pid}` : "an iteration";
    // With nothing open an iteration takes a last look, and starts nobody.
    const isLastLook = !isAgent && openIn(log) === 0;
    if (used >= config.iterationMax && !isLastLook)
      tell("caps-hold", `${what} starts after ${used} of ${config.iterationMax}`);
    const { runMsMax } = config;
    if (!isAgent && runMsMax !== undefined && activeMs(log) >= runMsMax)
      tell("caps-hold", `${what} starts after ${activeMs(log)} of ${runMsMax} ms`);
  };
}

export function watchCharges(tell: Tell): MomentCheck {
  return ({ now, log }) => {
    if (now.type !== "logged" || now.event.type !== "iteration-ended") return;
    const { iteration = 0, end } = now.event;
    const exit = ofType(log, "agent-exited").find((event) => event.iteration === iteration)?.exit;
    if (end.charged !== isCounted(exit, end.outcome))
      tell("charged-rightly", `iteration ${iteration} (${end.outcome}) charged: ${end.charged}`);
  };
}

/** All but limits, agents that cannot work, what a person stopped, and iterations that started nobody. */
function isCounted(exit: AgentExit | undefined, outcome: string): boolean {
  if (exit === undefined) return false;
  if (outcome === "accepted") return true;
  const { result } = exit;
  const isLimited =
    exit.limit !== undefined && result?.good !== true && exit.terminated === undefined;
  const status = result?.good === false ? (result.httpStatus ?? 0) : 0;
  const isRefused = [401, 403, 429].includes(status) || status >= 500;
  const isStopped = exit.terminated?.cause === "stop";
  const isFree = exit.unusable !== undefined || isLimited || isStopped;
  return !isFree && !(isRefused && exit.terminated === undefined);
}

function openIn(log: readonly Event[]): number | undefined {
  const last = log.findLast(
    (e) =>
      e.type === "project-read" || e.type === "project-inspected" || e.type === "tasks-restored",
  );
  const marks = log
    .slice(log.findLastIndex((e) => e === last))
    .filter((e) => e.type === "task-marked");
  const open =
    last?.type === "project-read"
      ? last.reading.tasks.open
      : last?.type === "project-inspected"
        ? last.change.tasks.open
        : last?.type === "tasks-restored"
          ? last.tasks?.open
          : undefined;
  return open === undefined ? undefined : open + marks.length;
}

export function watchBudget(tell: Tell): MomentCheck {
  return ({ now, log, others, iterations }) => {
    if (now.type !== "agent-let-go") return;
    const budget = configOf(log)?.budget;
    if (budget === undefined) return;
    const own = spent([log], iterations);
    const all = spent([log, ...others], iterations);
    const over = (used: number, max: number | undefined, what: string): void => {
      if (max !== undefined && used >= max)
        tell("budget-holds", `agent ${now.pid} starts after ${used} of ${max} ${what}`);
    };
    over(own.usd, budget.usdMax, "dollars");
    over(all.usd, budget.featureUsdMax, "dollars of the feature");
    over(own.tokens, budget.tokensMax, "tokens");
    over(all.tokens, budget.featureTokensMax, "tokens of the feature");
  };
}

/** What agents told whose end is on record. */
function spent(logs: readonly (readonly Event[])[], iterations: Iterations) {
  let [usd, tokens] = [0, 0];
  for (const event of logs.flat()) {
    if (event.type !== "agent-exited" || event.exit.lost) continue;
    // One that could not be started is followed by another in the same iteration, once it can.
    if (event.exit.unusable !== undefined) continue;
    const said = iterations.of(event.run, event.iteration).gone?.said;
    usd += said?.costUsd ?? 0;
    tokens += said?.tokens ?? 0;
  }
  return { usd, tokens };
}

export function watchCalls(tell: Tell): MomentCheck {
  const starts: number[] = [];
  return ({ now, log }) => {
    if (now.type !== "agent-let-go") return;
    starts.push(now.at);
    const max = configOf(log)?.callsPerHourMax ?? 0;
    const recent = starts.filter((at) => at > now.at - HOUR_MS).length;
    if (recent > max) tell("calls-per-hour", `agent ${now.pid} is the ${recent}th of ${max}`);
  };
}

export function watchLimits({ plan }: Stage, tell: Tell): MomentCheck {
  const { onLimit } = plan.config;
  let answer: LimitAnswer | undefined;
  let asked: number | undefined;
  let since = 0;
  return ({ now }) => {
    if (now.type === "answered") answer = now.answer;
    if (now.type !== "logged") return;
    const { event } = now;
    if (event.type === "run-resumed" || event.type === "iteration-ended")
      [answer, asked, since] = [undefined, undefined, event.at];
    if (event.type === "wait-started" && event.question !== undefined) {
      asked ??= event.at;
      if (onLimit !== "ask") tell("limits-as-ordered", `asks, and was told to ${onLimit}`);
    } else if (event.type === "wait-started" && event.reason.startsWith("usage limit")) {
      const mayWait = onLimit === "wait" || answer === "wait" || event.until <= since + ANSWER_MS;
      if (onLimit === "exit" || !mayWait)
        tell("limits-as-ordered", `waits, told to ${onLimit}, answer ${answer ?? "none"}`);
    }
    if (event.type !== "run-ended" || event.reason !== "usage-limit") return;
    const isLate = asked !== undefined && event.at >= asked + ANSWER_MS;
    const mayEnd =
      onLimit === "ask"
        ? answer === "exit" || (answer === undefined && isLate)
        : onLimit === "exit";
    if (!mayEnd) tell("limits-as-ordered", `ends, told to ${onLimit}, answer ${answer ?? "none"}`);
  };
}
