// Maps what an agent said, how it ended and what we did to it to one word. The exit code comes last: real agents
// exit 0 with nothing done and 1 after a good result.

import type { AgentExit } from "../schema/event.ts";
import type { Outcome } from "../schema/outcome.ts";

/** How an agent process ended, in one word. */
export type ExitClass =
  | "ended-well"
  | "failed"
  | "timed-out"
  | "usage-limited"
  | "rate-limited"
  | "unusable"
  | "cut";

export function classifyExit(exit: AgentExit): ExitClass {
  if (exit.unusable !== undefined) return "unusable";
  if (exit.lost) return "cut";
  const result = exit.result;
  if (exit.terminated?.cause === "stop") return "cut";
  // Ended by the grace clock means: after its final message, which then decides.
  if (exit.terminated?.cause === "clock" && exit.terminated.clock !== "grace") return "timed-out";
  if (exit.limit !== undefined && result?.good !== true) {
    return exit.limit.kind === "usage" ? "usage-limited" : "rate-limited";
  }
  if (result?.good === true) return "ended-well";
  if (result?.good === false) return classifyStatus(result.httpStatus);
  return exit.code === 0 ? "ended-well" : "failed";
}

function classifyStatus(httpStatus: number | undefined): ExitClass {
  if (httpStatus === undefined) return "failed";
  if (httpStatus === 401 || httpStatus === 403) return "unusable";
  return httpStatus === 429 || httpStatus >= 500 ? "rate-limited" : "failed";
}

export function outcomeOfExit(ended: Exclude<ExitClass, "ended-well">): Outcome {
  const outcomes: Record<Exclude<ExitClass, "ended-well">, Outcome> = {
    failed: "agent-failed",
    "timed-out": "timed-out",
    "usage-limited": "usage-limited",
    "rate-limited": "rate-limited",
    unusable: "fatal",
    cut: "interrupted",
  };
  return outcomes[ended];
}

/** How it ended, in words for a person. */
export function exitWords(exit: AgentExit, ended: ExitClass): string {
  if (exit.unusable !== undefined) return exit.unusable;
  if (exit.lost) return "the runner died while the agent ran";
  if (exit.terminated?.cause === "stop") return "the agent was stopped";
  if (exit.terminated?.cause === "clock") return `the ${exit.terminated.clock} clock ran out`;
  if (exit.limit !== undefined) return exit.limit.text;
  const said = exit.result?.good === false ? exit.result.text : exit.stderr;
  const how =
    exit.signal === null ? `exit code ${exit.code ?? "unknown"}` : `signal ${exit.signal}`;
  const tail = said.trim() === "" ? "" : `: ${said.trim().slice(-300)}`;
  return ended === "unusable" ? said.trim() : `the agent ended with ${how}${tail}`;
}

/** A limit, an agent that cannot work at all and a person who stops it say nothing about the task. */
export function isCharged(exit: AgentExit, ended: ExitClass): boolean {
  const isStopped = exit.terminated?.cause === "stop";
  return !isStopped && !["usage-limited", "rate-limited", "unusable"].includes(ended);
}
