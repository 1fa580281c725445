// What a person may tell a run while it works, from a signal, a key or another terminal.

import * as z from "zod/mini";
import { STOP_SIGNALS } from "./outcome.ts";

/** A person wants the run to end. */
export const StopControl = z.object({
  type: z.literal("stop"),
  /** After the current iteration, or at once. */
  when: z.enum(["after-iteration", "now"]),
  /** The signal behind it; `ralph stop` counts as an interrupt. */
  signal: z.enum(STOP_SIGNALS),
  /** Who asked, in words. */
  from: z.string(),
});
export type StopControl = z.infer<typeof StopControl>;

/** A person says what to do at a usage limit. */
export const LimitAnswer = z.enum(["wait", "exit"]);
export type LimitAnswer = z.infer<typeof LimitAnswer>;

/** One thing a person tells a run. */
export const Control = z.discriminatedUnion("type", [
  StopControl,
  z.object({ type: z.literal("answer"), answer: LimitAnswer, from: z.string() }),
]);
export type Control = z.infer<typeof Control>;

/** A control as it lies in the inbox of a run. */
export const ControlFile = z.object({
  v: z.literal(1),
  id: z.string(),
  at: z.number(),
  control: Control,
});
export type ControlFile = z.infer<typeof ControlFile>;
