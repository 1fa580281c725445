// The settings of a run, resolved and frozen. Where they come from, and how they are written in files, is world/config.

import * as z from "zod/mini";
import { TaskId } from "./ids.ts";

/** How a program's output is read. */
export const StreamFormat = z.enum(["text", "claude", "notes"]);
export type StreamFormat = z.infer<typeof StreamFormat>;

export const AGENT_NAMES = ["claude", "command", "scripted"] as const;
/** The agents this version can drive. */
export const AgentName = z.enum(AGENT_NAMES);
export type AgentName = z.infer<typeof AgentName>;

/** Which agent to start and how. */
export const AgentConfig = z.object({
  name: AgentName,
  /** Program to start instead of the agent's usual name. */
  command: z.optional(z.string()),
  /** Further arguments, after the adapter's own. */
  arguments: z.array(z.string()),
  model: z.optional(z.string()),
  /** How its output is read; the adapter's own format where absent. */
  output: z.optional(StreamFormat),
});
export type AgentConfig = z.infer<typeof AgentConfig>;

/** The four clocks of an agent, in milliseconds; a clock left out does not run. */
export const ClockLimits = z.object({
  startMs: z.optional(z.int()),
  idleMs: z.optional(z.int()),
  graceMs: z.int(),
  wallMs: z.int(),
});
export type ClockLimits = z.infer<typeof ClockLimits>;

/** One command whose exit code decides whether work is good. */
export const Gate = z.object({
  name: z.string(),
  /** A shell command; empty for the own checks of a task, which stand in its list. */
  command: z.string(),
  timeoutMs: z.int(),
  /** The task whose own checks these are; absent for a gate of the whole run. */
  task: z.optional(TaskId),
});
export type Gate = z.infer<typeof Gate>;

/** When a run that gets nowhere is stopped. */
const BreakerLimits = z.object({
  /** Iterations in a row without any change. */
  idleMax: z.int(),
  /** Iterations in a row with the same error. */
  sameErrorMax: z.int(),
});

/** When a task is laid aside so that others can go on. */
const ParkLimits = z.object({
  /** Claims in a row that did not stand. */
  rejectedMax: z.int(),
  /** Iterations in a row that changed tests and nothing else. */
  testOnlyMax: z.int(),
  /** Iterations without acceptance after which the next agent is told so. */
  warnAfter: z.int(),
  /** Iterations without acceptance after which other tasks come first. */
  deferAfter: z.int(),
});

/** What a run, or all runs of a feature together, may use at most; a limit left out does not hold. */
export const Budget = z.object({
  tokensMax: z.optional(z.int()),
  usdMax: z.optional(z.number()),
  featureTokensMax: z.optional(z.int()),
  featureUsdMax: z.optional(z.number()),
});
export type Budget = z.infer<typeof Budget>;

/** At a usage limit: ask the person at the terminal, wait until it is over, or end the run. */
export const ON_LIMIT = ["ask", "wait", "exit"] as const;

/** The prompts that are shipped. */
export const PROMPT_TEMPLATES = ["default", "tdd"] as const;
/** One of them. */
export type PromptTemplate = (typeof PROMPT_TEMPLATES)[number];

/** How the branch of a feature is named where its list names none. */
export const BranchConfig = z.object({
  prefix: z.optional(z.string()),
  /** Whether a branch that is wanted and missing is created. */
  autoCreate: z.optional(z.boolean()),
});
export type BranchConfig = z.infer<typeof BranchConfig>;

/** What a branch is named with where no prefix is set. */
export const BRANCH_PREFIX = "feature/";

/** All settings of a run. */
export const Config = z.object({
  agent: AgentConfig,
  iterationMax: z.int(),
  /** Cap on the run's own time over all its restarts, in milliseconds. */
  runMsMax: z.optional(z.int()),
  clocks: ClockLimits,
  gates: z.array(Gate),
  /** The word or tag an agent uses to say that all is done. */
  promise: z.string(),
  permissions: z.enum(["listed", "skip"]),
  /** Tools the agent may use where permissions are not skipped. */
  allowedTools: z.string(),
  /** Wait after a usage limit that told no time. */
  limitWaitMs: z.int(),
  /** Added to a told reset time: a provider's clock and ours may differ a little. */
  limitMarginMs: z._default(z.int(), 30_000),
  /** Pause between two iterations. */
  pauseMs: z.int(),
  /** Iterations whose prompt, output and gate logs are kept. */
  keepIterations: z.int(),
  /** Size of the whole prompt, in estimated tokens. */
  promptTokensMax: z.int(),
  /** Most time for the own checks of one task. */
  gateTimeoutMs: z._default(z.int(), 900_000),
  /** Most agent starts in any hour. */
  callsPerHourMax: z._default(z.int(), 100),
  breaker: z._default(BreakerLimits, { idleMax: 3, sameErrorMax: 5 }),
  parking: z._default(ParkLimits, { rejectedMax: 2, testOnlyMax: 3, warnAfter: 3, deferAfter: 6 }),
  budget: z._default(Budget, {}),
  branch: z.optional(BranchConfig),
  /** Present where a finished feature is not to be archived. */
  archive: z.optional(z.literal(false)),
  /** `ask` means wait where nobody can answer. */
  onLimit: z._default(z.enum(ON_LIMIT), "wait"),
  promptTemplate: z._default(z.enum(PROMPT_TEMPLATES), "default"),
});
export type Config = z.infer<typeof Config>;
