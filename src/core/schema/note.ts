// What an agent's output means, in neutral words. Notes are a bounded stream per iteration that nobody folds.

import * as z from "zod/mini";

/** Token counts as an agent tells them; a count it does not tell is left out. */
export const Tokens = z.object({
  input: z.optional(z.int()),
  output: z.optional(z.int()),
  cached: z.optional(z.int()),
});
export type Tokens = z.infer<typeof Tokens>;

/** One thing an agent let us know. */
export const Note = z.discriminatedUnion("type", [
  /** The program is alive: the model or version it named itself. */
  z.object({
    type: z.literal("started"),
    model: z.optional(z.string()),
    version: z.optional(z.string()),
  }),
  /** Something happened; `text` is one line for the screen. */
  z.object({ type: z.literal("activity"), text: z.string() }),
  z.object({ type: z.literal("tool-started"), id: z.string(), tool: z.string(), text: z.string() }),
  z.object({ type: z.literal("tool-ended"), id: z.string() }),
  z.object({ type: z.literal("tokens"), tokens: Tokens }),
  /** The provider refuses work until a time (epoch milliseconds), where it told one. */
  z.object({
    type: z.literal("limit"),
    kind: z.enum(["usage", "rate"]),
    resetsAt: z.optional(z.number()),
    text: z.string(),
  }),
  /** A tool call the agent was not allowed to make. */
  z.object({ type: z.literal("denied"), tool: z.string(), input: z.string() }),
  /** It asks a person, through a tool that nobody answers here. */
  z.object({ type: z.literal("asked"), question: z.string() }),
  /** The final message. The last one of a process counts. */
  z.object({
    type: z.literal("result"),
    /** False when the agent itself calls the result an error; absent for plain text. */
    good: z.optional(z.boolean()),
    text: z.string(),
    /** HTTP status of the provider's answer behind a bad result. */
    httpStatus: z.optional(z.int()),
    costUsd: z.optional(z.number()),
    tokens: z.optional(Tokens),
    turns: z.optional(z.int()),
  }),
  /** Output that could not be understood and was passed over. */
  z.object({ type: z.literal("garbled"), text: z.string() }),
]);
export type Note = z.infer<typeof Note>;
