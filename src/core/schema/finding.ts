// What an agent has changed that it may not change: tests made weaker, or what decides whether a gate is green.

import * as z from "zod/mini";

/** One change that keeps a claim from standing until it is undone or a person accepts it. */
export const Finding = z.object({
  /** `tests`: deleted or weaker tests. `gates`: the configuration or the scripts of a gate. */
  kind: z.enum(["tests", "gates"]),
  /** Path in the working tree; for a sum over several files the first of them. */
  path: z.string(),
  /** What was done, in a few words: `2 tests removed`. */
  what: z.string(),
  /** The first changed lines as a diff shows them, bounded. */
  lines: z.array(z.string()),
});
export type Finding = z.infer<typeof Finding>;
