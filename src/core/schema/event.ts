// Every fact the log can hold. Fields are only ever added; a type we do not know is kept and ignored.

import * as z from "zod/mini";
import { Config } from "./config.ts";
import { Control } from "./control.ts";
import { Effect, GatePhase, GUARDED_FILES, GuardedFile, Rejection, SignalKind } from "./effect.ts";
import { Finding } from "./finding.ts";
import { EffectId, RunId, TaskId } from "./ids.ts";
import { Tokens } from "./note.ts";
import { CLOCKS, END_REASONS, OUTCOMES, PARK_REASONS } from "./outcome.ts";
import { TaskChanges, TaskRef, TaskSummary } from "./task.ts";

/** What a new run takes over from the one before it. */
export const Inherited = z.object({
  /** Why the circuit breaker of the feature is open, and the error that had opened it. */
  breaker: z.optional(z.string()),
  breakerError: z.optional(z.string()),
  /** Gates that were green and have the same command still. */
  greenGates: z.optional(z.array(z.string())),
  /** What all earlier runs of the feature have used; a sum that is not known is left out. */
  costUsd: z.optional(z.number()),
  tokens: z.optional(z.int()),
  /** The newest commit that was seen; another one now is a person's. */
  head: z.optional(z.string()),
  /** The commit whose tests are trusted, when what was done to them since has not been accepted. */
  trusted: z.optional(z.string()),
  findings: z.optional(z.array(Finding)),
  /** Test files that were changed since the trusted commit. */
  touched: z.optional(z.array(z.string())),
  /** Edits that were put aside and that nobody has accepted. */
  aside: z.optional(z.partialRecord(z.enum(["tasks", ...GUARDED_FILES]), z.string())),
});
export type Inherited = z.infer<typeof Inherited>;

/** Facts about the run as a whole. */
const RunFact = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("run-started"),
    program: z.string(),
    config: Config,
    argv: z.array(z.string()),
    layout: z.string(),
    feature: z.string(),
    /** Absolute path of the working tree. */
    tree: z.string(),
    /** Commit the working tree was on; absent outside git and before the first commit. */
    head: z.optional(z.string()),
    /** Tasks that an earlier run of the feature has verified; as many as fit. */
    verified: z.optional(z.array(TaskId)),
    /** When agents were started in this tree within the last hour. */
    calls: z.optional(z.array(z.number())),
    inherited: z.optional(Inherited),
    /** The branch that the list or the settings ask for. */
    branch: z.optional(z.string()),
    /** Nobody sits at a terminal who could be asked. */
    unattended: z.optional(z.literal(true)),
  }),
  /** A later process goes on with the run. */
  z.object({
    type: z.literal("run-resumed"),
    program: z.string(),
    argv: z.array(z.string()),
    calls: z.optional(z.array(z.number())),
    /** The person has closed the circuit breaker. */
    circuit: z.optional(z.literal("reset")),
    unattended: z.optional(z.literal(true)),
  }),
  /** A person takes what was found or put aside; said about a run that nobody works on. */
  z.object({ type: z.literal("edits-accepted"), what: z.array(z.string()) }),
  z.object({ type: z.literal("config-changed"), config: Config, changed: z.array(z.string()) }),
  z.object({ type: z.literal("control-received"), id: z.string(), control: Control }),
  /** The current effect is to be cut short. */
  z.object({ type: z.literal("cancel-ordered"), reason: z.string() }),
  z.object({
    type: z.literal("wait-started"),
    until: z.number(),
    reason: z.string(),
    /** Set when a person is asked meanwhile whether to wait for so long; without an answer the run ends. */
    question: z.optional(z.object({ until: z.number() })),
  }),
  z.object({ type: z.literal("wait-ended") }),
  z.object({
    type: z.literal("run-ended"),
    reason: z.enum(END_REASONS),
    exitCode: z.int(),
    /** One sentence for a person. */
    detail: z.string(),
  }),
]);

/** How the agent's process came to its end, as far as we took part in it. */
export const Termination = z.discriminatedUnion("cause", [
  z.object({ cause: z.literal("clock"), clock: z.enum(CLOCKS) }),
  z.object({ cause: z.literal("stop") }),
]);
export type Termination = z.infer<typeof Termination>;

/** The agent's final message and what it told about itself. */
export const AgentResult = z.object({
  /** What the agent itself calls it; absent for plain text, where the exit code tells. */
  good: z.optional(z.boolean()),
  /** At most 8,000 characters: the end of the message. */
  text: z.string(),
  httpStatus: z.optional(z.int()),
  costUsd: z.optional(z.number()),
  tokens: z.optional(Tokens),
  turns: z.optional(z.int()),
});
export type AgentResult = z.infer<typeof AgentResult>;

/** All that is known when an agent is gone. */
export const AgentExit = z.object({
  code: z.nullable(z.int()),
  signal: z.nullable(z.string()),
  /** Present when we ended it. */
  terminated: z.optional(Termination),
  /** Present when it could not be started at all. */
  unusable: z.optional(z.string()),
  /** True when the runner died while it ran: nobody saw its end. */
  lost: z.boolean(),
  durationMs: z.number(),
  outputBytes: z.number(),
  result: z.optional(AgentResult),
  limit: z.optional(
    z.object({
      kind: z.enum(["usage", "rate"]),
      resetsAt: z.optional(z.number()),
      text: z.string(),
    }),
  ),
  /** A question it put to a person through a tool. */
  asked: z.optional(z.string()),
  /** Tool calls that were refused; the first five. */
  denials: z.array(z.object({ tool: z.string(), input: z.string() })),
  /** The last lines of standard error, bounded. */
  stderr: z.string(),
  /** Processes of its tree that were still alive and were ended. */
  survivors: z.int(),
});
export type AgentExit = z.infer<typeof AgentExit>;

/** The state of the repository at one moment; absent outside git. */
export const GitReading = z.object({
  head: z.optional(z.string()),
  /** Absent when HEAD is detached. */
  branch: z.optional(z.string()),
  dirty: z.int(),
  /** A merge, rebase or the like that is in progress. */
  operation: z.optional(z.string()),
  /** True when git finds a lock in its way: of the index, of HEAD, of the branch. */
  locked: z.optional(z.literal(true)),
  /** Commits of the stash, newest first; at most 20. */
  stash: z.optional(z.array(z.string())),
  /** Under which name the record keeps branches and tags and what they point at. */
  refs: z.optional(z.string()),
});
export type GitReading = z.infer<typeof GitReading>;

/** What one reading of the project found. */
export const ProjectReading = z.object({
  tasks: TaskSummary,
  /** Under which name the record keeps the list as it was; absent when it cannot be read. */
  list: z.optional(z.string()),
  /** Set when the task list cannot be read; `tasks` is then empty. */
  problem: z.optional(z.string()),
  git: z.optional(GitReading),
  /** Changes whenever a file that git watches changes. */
  digest: z.string(),
  /** Size of the memory file, for finding what an agent appends. */
  memoryBytes: z.int(),
  /** Done tasks with checks of their own; tasks with equal commands have equal keys. At most 200. */
  checks: z.optional(z.array(z.object({ task: TaskId, key: z.string() }))),
  /** Under which names the record keeps the person's files; one that is missing is left out. */
  guarded: z.optional(z.partialRecord(GuardedFile, z.string())),
  /** A stop file and what stands in it, cut. */
  signal: z.optional(z.object({ kind: SignalKind, text: z.string() })),
  /** What a person has changed since the last iteration. */
  edits: z.optional(
    z.object({
      /** For people, one sentence each. */
      words: z.array(z.string()),
      /** Tasks that were edited or reopened. */
      tasks: z.array(TaskId),
    }),
  ),
});
export type ProjectReading = z.infer<typeof ProjectReading>;

/** What changed between the reading before the agent and the one after it. */
export const ProjectChange = z.extend(ProjectReading, {
  changes: TaskChanges,
  commits: z.int(),
  treeChanged: z.boolean(),
  /** Commits that were there before and are not any more. */
  dropped: z.optional(z.int()),
  /** Branches and tags that are gone or point elsewhere, the run's own branch left out. */
  lostRefs: z.optional(z.int()),
  /** Files changed by commits or in the tree; at most 20. */
  files: z.array(z.string()),
  /** True when tests were changed and nothing else. */
  testOnly: z.optional(z.boolean()),
  /** Files of tests and gates that the iteration changed; at most 50. */
  touched: z.optional(z.array(z.string())),
  /** What was done to tests and gates since the trusted commit. */
  findings: z.optional(z.array(Finding)),
  /** True when the agent wrote its own entry in the memory file. */
  entryWritten: z.boolean(),
  /** True when one of its entries says that all is complete. */
  closingWritten: z.optional(z.literal(true)),
});
export type ProjectChange = z.infer<typeof ProjectChange>;

/** What one run of a gate said. */
export const GateResult = z.object({
  name: z.string(),
  passed: z.boolean(),
  code: z.nullable(z.int()),
  timedOut: z.boolean(),
  durationMs: z.number(),
  /** First failing lines, bounded; empty when it passed. */
  lines: z.array(z.string()),
  phase: z.optional(GatePhase),
});
export type GateResult = z.infer<typeof GateResult>;

/** Whether an accepted task was really checked by a gate. */
export const Verification = z.enum(["verified", "unverified"]);
export type Verification = z.infer<typeof Verification>;

/** Something that was said to be done, and what became of it. */
export const Claim = z.object({
  kind: z.enum(["mark", "promise", "stop-file"]),
  verdict: z.enum(["accepted", "unverified", "rejected"]),
  /** Why, in one sentence. */
  reason: z.string(),
});
export type Claim = z.infer<typeof Claim>;

/** Why a task is laid aside. */
export const Parked = z.object({
  why: z.enum(PARK_REASONS),
  /** The question, or what happened, in one sentence. */
  detail: z.string(),
});
export type Parked = z.infer<typeof Parked>;

/** What an iteration took, for people who read the log. */
export const IterationFigures = z.object({
  /** Time spent working, waits and time between two processes left out. */
  durationMs: z.number(),
  /** New commits, the agent's and ours. */
  commits: z.int(),
  /** Gates that ran after the agent, and how many of them pass. */
  gates: z.int(),
  gatesPassed: z.int(),
  /** As far as the agent has told. */
  tokens: z.optional(z.int()),
  costUsd: z.optional(z.number()),
});
export type IterationFigures = z.infer<typeof IterationFigures>;

/** How an iteration came out. */
export const IterationEnd = z.object({
  outcome: z.enum(OUTCOMES),
  /** Why, in one sentence. */
  reason: z.string(),
  task: z.optional(TaskRef),
  /** Counted against the iteration cap. */
  charged: z.boolean(),
  clock: z.optional(z.enum(CLOCKS)),
  /** Tasks that stand as done since this iteration. */
  accepted: z.array(z.object({ id: TaskId, verification: Verification })),
  /** True when nothing is open any more and no gate is red. */
  complete: z.boolean(),
  commit: z.optional(z.string()),
  claims: z.optional(z.array(Claim)),
  /** What the next prompt says about a claim that did not stand; without one an earlier word stands until one does. */
  rejection: z.optional(Rejection),
  /** A commit, a task change, a better gate or a changed tree, compared with the start of the iteration. */
  progress: z.optional(z.boolean()),
  testOnly: z.optional(z.boolean()),
  /** What went wrong, without numbers, paths and times. */
  error: z.optional(z.string()),
  /** Set when the task is laid aside. */
  parked: z.optional(Parked),
  /** Set when only a person can go on, whatever else is open. */
  blocked: z.optional(z.literal(true)),
  figures: z.optional(IterationFigures),
});
export type IterationEnd = z.infer<typeof IterationEnd>;

/** Facts about one iteration. */
const IterationFact = z.discriminatedUnion("type", [
  z.object({ type: z.literal("iteration-started"), reason: z.string() }),
  z.object({ type: z.literal("effect-ordered"), order: Effect, reason: z.string() }),
  /** The effect was cut short by a stop; it is taken up again when the run goes on. */
  z.object({ type: z.literal("effect-cut") }),
  /** The world would not do it. It is taken up again when the run goes on. */
  z.object({
    type: z.literal("effect-failed"),
    reason: z.enum(["needs-human", "disk"]),
    detail: z.string(),
  }),
  z.object({ type: z.literal("project-read"), reading: ProjectReading }),
  z.object({
    type: z.literal("prompt-written"),
    bytes: z.int(),
    tokens: z.int(),
    cut: z.array(z.string()),
  }),
  /** Synced before the agent is let go. */
  z.object({ type: z.literal("agent-started"), pid: z.int(), startTime: z.string() }),
  z.object({ type: z.literal("agent-exited"), exit: AgentExit }),
  z.object({ type: z.literal("project-inspected"), change: ProjectChange }),
  z.object({
    type: z.literal("git-mended"),
    /** For people, one sentence each. */
    did: z.array(z.string()),
    /** What a person has to do, where it could not be mended. */
    problem: z.optional(z.string()),
  }),
  z.object({
    type: z.literal("tasks-restored"),
    /** Where the agent's version lies; empty where it had deleted it. */
    keptAside: z.string(),
    /** The list as it is now. */
    tasks: z.optional(TaskSummary),
    /** Name of that text, to notice what a person changes later. */
    list: z.optional(z.string()),
  }),
  z.object({ type: z.literal("file-restored"), file: GuardedFile, keptAside: z.string() }),
  z.object({ type: z.literal("signal-set-aside"), signal: SignalKind, keptAside: z.string() }),
  z.object({ type: z.literal("gate-ran"), result: GateResult }),
  z.object({
    type: z.literal("task-marked"),
    task: TaskId,
    status: z.enum(["open", "done"]),
    problem: z.optional(z.string()),
    /** Name of the list's text as it is now. */
    list: z.optional(z.string()),
  }),
  z.object({ type: z.literal("memory-written"), by: z.enum(["agent", "ralph"]) }),
  z.object({
    type: z.literal("archived"),
    /** From the project's folder; absent where it could not be done. */
    path: z.optional(z.string()),
    problem: z.optional(z.string()),
  }),
  z.object({
    type: z.literal("committed"),
    commit: z.optional(z.string()),
    problem: z.optional(z.string()),
  }),
  z.object({ type: z.literal("iteration-ended"), end: IterationEnd }),
]);

export const Fact = z.discriminatedUnion("type", [RunFact, IterationFact]);
/** Something that has happened, before it has a place in the log. */
export type Fact = z.infer<typeof Fact>;
/** A fact that belongs to an iteration. */
export type IterationFact = z.infer<typeof IterationFact>;

/** The part of a log line that every event has. */
export const Envelope = z.looseObject({
  v: z.literal(1),
  seq: z.int(),
  /** Epoch milliseconds. */
  at: z.number(),
  run: RunId,
  iteration: z.optional(z.int()),
  effect: z.optional(EffectId),
  type: z.string(),
});

/** A fact with its place in the log. */
export type Event = Fact & {
  readonly v: 1;
  readonly seq: number;
  readonly at: number;
  readonly run: RunId;
  readonly iteration?: number;
  readonly effect?: EffectId;
};

/** Whether this version knows the type; asked only of what it could not read. */
export function isKnownType(type: string): boolean {
  const options = [...RunFact.def.options, ...IterationFact.def.options];
  return options.some((option) => option.shape.type.def.values.some((value) => value === type));
}

/** One event, larger things go by file. */
export const EVENT_BYTES_MAX = 64 * 1024;
