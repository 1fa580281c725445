// Ends a run whose circuit breaker is open: it gets nowhere. The next run gets one iteration to show otherwise.

import type { Guard } from "../guards.ts";

export const circuitBreaker: Guard = {
  name: "circuit-breaker",
  check: ({ breaker }) =>
    breaker.state === "open"
      ? { type: "end", reason: "circuit-open", detail: breaker.why ?? "nothing moves" }
      : undefined,
};
