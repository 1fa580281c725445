// The shape of config.yaml as people write it, with the key names of the system it comes from. Every key is optional.

import * as z from "zod";
import { AGENT_NAMES, StreamFormat } from "../../core/schema/config.ts";
import { DURATION_EXPECTED, parseDuration, type DurationUnit } from "../../std/duration.ts";

/** A duration as text, or a bare number in the unit its key has always had; gives milliseconds. */
function durationIn(unit: DurationUnit): z.ZodType<number, string | number> {
  return z.union([z.string(), z.number()]).transform((value, context) => {
    const ms = parseDuration(String(value), unit);
    if (ms === undefined)
      context.addIssue({ code: "custom", message: `expected ${DURATION_EXPECTED}` });
    return ms ?? 1;
  });
}

const Count = z.int().min(1);

const Agent = z.strictObject({
  name: z.enum(AGENT_NAMES).optional(),
  command: z.string().min(1).optional(),
  arguments: z.array(z.string()).optional(),
  model: z.string().min(1).optional(),
  output: StreamFormat.optional(),
});

export const ConfigFile = z.strictObject({
  defaults: z
    .strictObject({
      max_iterations: Count.optional(),
      timeout_minutes: durationIn("m").optional(),
      rate_limit_per_hour: Count.optional(),
      /** Cap on the time of the whole run. */
      max_time: durationIn("m").optional(),
      pause_between: durationIn("s").optional(),
    })
    .optional(),
  agent: z.union([z.enum(AGENT_NAMES), Agent]).optional(),
  clocks: z
    .strictObject({
      start: durationIn("s").optional(),
      idle: durationIn("s").optional(),
      after_result: durationIn("s").optional(),
    })
    .optional(),
  quality_checks: z.record(z.string().min(1), z.string().min(1)).optional(),
  gates: z.strictObject({ timeout: durationIn("m").optional() }).optional(),
  circuit_breaker: z
    .strictObject({
      no_progress_threshold: Count.optional(),
      same_error_threshold: Count.optional(),
    })
    .optional(),
  completion: z
    .strictObject({
      promise: z.string().min(1).optional(),
      consecutive_done_signals: Count.optional(),
      consecutive_test_loops: Count.optional(),
    })
    .optional(),
  claude: z
    .strictObject({
      dangerously_skip_permissions: z.boolean().optional(),
      allowed_tools: z.string().min(1).optional(),
    })
    .optional(),
  branch: z
    .strictObject({ prefix: z.string().optional(), auto_create: z.boolean().optional() })
    .optional(),
  limits: z.strictObject({ wait: durationIn("m").optional() }).optional(),
  prompt: z.strictObject({ tokens: z.int().min(500).optional() }).optional(),
  record: z.strictObject({ keep_iterations: Count.optional() }).optional(),
});
/** One config.yaml, checked; durations are in milliseconds. */
export type ConfigFile = z.infer<typeof ConfigFile>;

/** What a value of each kind of key should have been, for messages. */
export function expectedAt(path: readonly PropertyKey[]): string {
  const key = String(path.at(-1));
  if (path[0] === "quality_checks") return "a name and a command: `tests: npm test`";
  if (path[0] === "agent" && path.length === 1)
    return `one of ${AGENT_NAMES.join(", ")}, or name, command, arguments, model`;
  if (
    ["timeout_minutes", "max_time", "pause_between", "timeout", "wait"].includes(key) ||
    path[0] === "clocks"
  ) {
    return DURATION_EXPECTED;
  }
  if (key === "dangerously_skip_permissions" || key === "auto_create") return "true or false";
  if (key === "arguments") return "a list of texts";
  return /max|limit|threshold|consecutive|keep|tokens/u.test(key)
    ? "a whole number above zero"
    : "a text";
}
