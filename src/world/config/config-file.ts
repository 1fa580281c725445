// The shape of config.yaml as people write it, with the key names of the system it comes from. Every key is optional.

import * as z from "zod/mini";
import { AGENT_NAMES, StreamFormat } from "../../core/schema/config.ts";
import { DURATION_EXPECTED, parseDuration, type DurationUnit } from "../../std/duration.ts";

/** A duration as text, or a bare number in the unit its key has always had; gives milliseconds. */
function durationIn(unit: DurationUnit) {
  return z.pipe(
    z.union([z.string(), z.number()]),
    z.transform((value, context) => {
      const ms = parseDuration(String(value), unit);
      if (ms === undefined) context.issues.push({ code: "custom", input: value });
      return ms ?? 1;
    }),
  );
}

const Count = z.int().check(z.minimum(1));

const Agent = z.strictObject({
  name: z.optional(z.enum(AGENT_NAMES)),
  command: z.optional(z.string().check(z.minLength(1))),
  arguments: z.optional(z.array(z.string())),
  model: z.optional(z.string().check(z.minLength(1))),
  output: z.optional(StreamFormat),
});

const Command = z.string().check(z.minLength(1));
/** A gate: its command, alone or with a time limit of its own. */
const Check = z.union([
  Command,
  z.strictObject({ command: Command, timeout: z.optional(durationIn("m")) }),
]);
const Usd = z.number().check(z.gt(0));

export const ConfigFile = z.strictObject({
  defaults: z.optional(
    z.strictObject({
      max_iterations: z.optional(Count),
      timeout_minutes: z.optional(durationIn("m")),
      rate_limit_per_hour: z.optional(Count),
      /** Cap on the time of the whole run. */
      max_time: z.optional(durationIn("m")),
      pause_between: z.optional(durationIn("s")),
    }),
  ),
  agent: z.optional(z.union([z.enum(AGENT_NAMES), Agent])),
  clocks: z.optional(
    z.strictObject({
      start: z.optional(durationIn("s")),
      idle: z.optional(durationIn("s")),
      after_result: z.optional(durationIn("s")),
    }),
  ),
  quality_checks: z.optional(z.record(z.string().check(z.minLength(1)), Check)),
  gates: z.optional(z.strictObject({ timeout: z.optional(durationIn("m")) })),
  circuit_breaker: z.optional(
    z.strictObject({
      no_progress_threshold: z.optional(Count),
      same_error_threshold: z.optional(Count),
    }),
  ),
  completion: z.optional(
    z.strictObject({
      promise: z.optional(z.string().check(z.minLength(1))),
      consecutive_done_signals: z.optional(Count),
      consecutive_test_loops: z.optional(Count),
    }),
  ),
  /** When other tasks get their turn before one that is not accepted. */
  stuck: z.optional(
    z.strictObject({ warn_after: z.optional(Count), defer_after: z.optional(Count) }),
  ),
  /** What a run, and all runs of a feature together, may use. */
  budget: z.optional(
    z.strictObject({
      usd: z.optional(Usd),
      tokens: z.optional(Count),
      feature_usd: z.optional(Usd),
      feature_tokens: z.optional(Count),
    }),
  ),
  claude: z.optional(
    z.strictObject({
      dangerously_skip_permissions: z.optional(z.boolean()),
      allowed_tools: z.optional(z.string().check(z.minLength(1))),
    }),
  ),
  branch: z.optional(
    z.strictObject({ prefix: z.optional(z.string()), auto_create: z.optional(z.boolean()) }),
  ),
  limits: z.optional(z.strictObject({ wait: z.optional(durationIn("m")) })),
  prompt: z.optional(z.strictObject({ tokens: z.optional(z.int().check(z.minimum(500))) })),
  record: z.optional(z.strictObject({ keep_iterations: z.optional(Count) })),
});
/** One config.yaml, checked; durations are in milliseconds. */
export type ConfigFile = z.infer<typeof ConfigFile>;

/** What a value of each kind of key should have been, for messages. */
export function expectedAt(path: readonly PropertyKey[]): string {
  const key = String(path.at(-1));
  if (path[0] === "quality_checks" && key !== "timeout")
    return "a name and a command: `tests: npm test`, or {command, timeout}";
  if (key === "usd" || key === "feature_usd") return "an amount above zero, such as 2.50";
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
  return /max|limit|threshold|consecutive|keep|tokens|after/u.test(key)
    ? "a whole number above zero"
    : "a text";
}
