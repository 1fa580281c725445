// The shape of config.yaml as people write it, with the key names of the system it comes from. Every key is optional.

import * as z from "zod/mini";
import { AGENT_NAMES, ON_LIMIT, PROMPT_TEMPLATES, StreamFormat } from "../../core/schema/config.ts";
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

/** A key that may be left out, with what it means; the sentence also goes into the JSON Schema. */
function setting<T extends z.ZodMiniType>(schema: T, description: string): z.ZodMiniOptional<T> {
  const optional = z.optional(schema);
  z.globalRegistry.add(optional, { description });
  return optional;
}

const Word = z.string().check(z.minLength(1));

const Agent = z.strictObject({
  name: setting(z.enum(AGENT_NAMES), "claude, command (any program) or scripted"),
  command: setting(Word, "Program to start instead of the agent's usual name"),
  arguments: setting(z.array(z.string()), "Further arguments; for scripted the scenario file"),
  model: setting(Word, "Model to use instead of the agent's own"),
  output: setting(StreamFormat, "How output is read: text, claude (stream-json) or notes"),
});

/** A gate: its command, alone or with a time limit of its own. */
const Check = z.union([
  Word,
  z.strictObject({
    command: Word,
    timeout: setting(durationIn("m"), "Most time for this gate; a bare number is minutes"),
  }),
]);
const Usd = z.number().check(z.gt(0));

const Defaults = z.strictObject({
  max_iterations: setting(Count, "Most iterations of a run"),
  timeout_minutes: setting(
    durationIn("m"),
    "Most time for one iteration; a bare number is minutes",
  ),
  rate_limit_per_hour: setting(
    Count,
    "Most agent starts in any hour, over all runs in a working tree",
  ),
  max_time: setting(
    durationIn("m"),
    "Most time for the whole run, over all its restarts; a bare number is minutes",
  ),
  pause_between: setting(durationIn("s"), "Pause between iterations; a bare number is seconds"),
});

const Clocks = z.strictObject({
  start: setting(durationIn("s"), "Time to the first sign of life; a bare number is seconds"),
  idle: setting(
    durationIn("s"),
    "Time without a sign of life while no tool runs; a bare number is seconds",
  ),
  after_result: setting(
    durationIn("s"),
    "Time a process may live on after its final message; a bare number is seconds",
  ),
});

const Breaker = z.strictObject({
  no_progress_threshold: setting(Count, "Iterations in a row without any change that end the run"),
  same_error_threshold: setting(Count, "Iterations in a row with the same error that end the run"),
});

const Completion = z.strictObject({
  promise: setting(Word, "How an agent says that all is done, bare or tagged"),
  consecutive_done_signals: setting(
    Count,
    "Claims in a row that did not stand, after which a task is laid aside",
  ),
  consecutive_test_loops: setting(
    Count,
    "Iterations in a row that changed tests and nothing else, after which a task is laid aside",
  ),
});

const Stuck = z.strictObject({
  warn_after: setting(
    Count,
    "Iterations on a task without acceptance after which the prompt says so",
  ),
  defer_after: setting(
    Count,
    "Iterations on a task without acceptance after which other tasks come first",
  ),
});

const BudgetFile = z.strictObject({
  usd: setting(Usd, "Dollars a run may use, as far as agents tell it"),
  tokens: setting(Count, "Tokens a run may use, as far as agents tell it"),
  feature_usd: setting(Usd, "Dollars all runs of a feature may use together"),
  feature_tokens: setting(Count, "Tokens all runs of a feature may use together"),
});

const Claude = z.strictObject({
  dangerously_skip_permissions: setting(z.boolean(), "Let the agent do anything without asking"),
  allowed_tools: setting(Word, "Tools it may use where permissions are not skipped"),
});

const Branch = z.strictObject({
  prefix: setting(z.string(), "What the name of a feature's branch begins with"),
  auto_create: setting(z.boolean(), "Whether a run creates the branch of its feature"),
});

const Limits = z.strictObject({
  wait: setting(
    durationIn("m"),
    "Wait after a usage limit that tells no time; a bare number is minutes",
  ),
  margin: setting(
    durationIn("s"),
    "Time added to a reset time that a provider told; a bare number is seconds",
  ),
  on_limit: setting(
    z.enum(ON_LIMIT),
    "At a usage limit: ask whoever sits at the terminal (else wait), wait, or exit",
  ),
});

const Prompt = z.strictObject({
  tokens: setting(z.int().check(z.minimum(500)), "Size of the whole prompt, in estimated tokens"),
  template: setting(
    z.enum(PROMPT_TEMPLATES),
    "Which shipped prompt is used where a feature has none of its own",
  ),
});

export const ConfigFile = z.strictObject({
  defaults: setting(Defaults, "Limits of a run and of its iterations"),
  agent: setting(
    z.union([z.enum(AGENT_NAMES), Agent]),
    "The agent: a name, or what to start and how",
  ),
  clocks: setting(Clocks, "When an agent that hangs is ended"),
  quality_checks: setting(
    z.record(Word, Check),
    "Gates: a map of name to shell command; every one must succeed before work counts as done",
  ),
  gates: setting(
    z.strictObject({
      timeout: setting(durationIn("m"), "Most time for one gate; a bare number is minutes"),
    }),
    "What holds for all gates",
  ),
  circuit_breaker: setting(Breaker, "When a run that gets nowhere is stopped"),
  completion: setting(Completion, "When work counts as done, and claims that did not stand"),
  stuck: setting(Stuck, "When other tasks get their turn before one that is not accepted"),
  budget: setting(BudgetFile, "What a run, and all runs of a feature together, may use"),
  claude: setting(Claude, "Permissions of Claude Code"),
  branch: setting(Branch, "The branch of a feature"),
  archive: setting(z.boolean(), "Whether a feature is archived once it is complete"),
  limits: setting(Limits, "What happens at a usage limit of the agent's provider"),
  prompt: setting(Prompt, "The text an agent reads"),
  record: setting(
    z.strictObject({
      keep_iterations: setting(Count, "Iterations whose prompt, output and gate logs are kept"),
    }),
    "Our own record of a run",
  ),
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
    ["timeout_minutes", "max_time", "pause_between", "timeout", "wait", "margin"].includes(key) ||
    path[0] === "clocks"
  ) {
    return DURATION_EXPECTED;
  }
  if (["dangerously_skip_permissions", "auto_create", "archive"].includes(key))
    return "true or false";
  if (key === "on_limit") return `one of ${ON_LIMIT.join(", ")}`;
  if (key === "template") return `one of ${PROMPT_TEMPLATES.join(", ")}`;
  if (key === "arguments") return "a list of texts";
  return /max|limit|threshold|consecutive|keep|tokens|after/u.test(key)
    ? "a whole number above zero"
    : "a text";
}
