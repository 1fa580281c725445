// What a signal means for a run: at a terminal the first Ctrl+C is a request, the second an order, the third the end.

import type { Control, StopControl } from "../../core/schema/control.ts";
import type { StopSignal } from "../../core/schema/outcome.ts";

/** A control for the run, or `kill` to end everything this moment. */
export type Interrupt =
  | { readonly type: "control"; readonly control: Control }
  | { readonly type: "kill" };

/** `count` is how many signals came before this one. */
export function interruptOf(
  signal: StopSignal,
  count: number,
  terminal: "interactive" | "none",
): Interrupt {
  if (signal !== "SIGINT") return control("now", signal, signal);
  // Without a terminal nobody can be asked for a second one.
  const step = terminal === "interactive" ? count : count + 1;
  if (step === 0) return control("after-iteration", signal, "Ctrl+C");
  return step === 1 ? control("now", signal, "Ctrl+C") : { type: "kill" };
}

function control(when: StopControl["when"], signal: StopSignal, from: string): Interrupt {
  return { type: "control", control: { type: "stop", when, signal, from } };
}
