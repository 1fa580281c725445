// What an agent's output means, in neutral words. Notes are a bounded stream per iteration that nobody folds.

import * as z from "zod";

/** Token counts as an agent tells them; a count it does not tell is left out. */
export const Tokens = z.object({
  input: z.int().optional(),
  output: z.int().optional(),
  cached: z.int().optional(),
});
export type Tokens = z.infer<typeof Tokens>;

/** One thing an agent let us know. */
export const Note = z.discriminatedUnion("type", [
  /** The program is alive: the model or version it named itself. */
  z.object({
    type: z.literal("started"),
    model: z.string().optional(),
    version: z.string().optional(),
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
    resetsAt: z.number().optional(),
    text: z.string(),
  }),
  /** A tool call the agent was not allowed to make. */
  z.object({ type: z.literal("denied"), tool: z.string(), input: z.string() }),
  /** The final message. The last one of a process counts. */
  z.object({
    type: z.literal("result"),
    /** False when the agent itself calls the result an error; absent for plain text. */
    good: z.boolean().optional(),
    text: z.string(),
    /** HTTP status of the provider's answer behind a bad result. */
    httpStatus: z.int().optional(),
    costUsd: z.number().optional(),
    tokens: Tokens.optional(),
    turns: z.int().optional(),
  }),
  /** Output that could not be understood and was passed over. */
  z.object({ type: z.literal("garbled"), text: z.string() }),
]);
export type Note = z.infer<typeof Note>;
