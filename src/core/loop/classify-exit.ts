// Maps what an agent said, how it ended and what we did to it to one word. The exit code comes last: real agents
// exit 0 with nothing done and 1 after a good result.

import type { AgentExit } from "../schema/event.ts";

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
