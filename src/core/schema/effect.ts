// The orders of an iteration to the world. Each is announced in the log before it starts and answered by one fact.

import * as z from "zod/mini";
import { Gate } from "./config.ts";
import { TaskId } from "./ids.ts";
import { TaskRef } from "./task.ts";

/** Why the last claim about a task did not stand, for the next prompt. */
export const Rejection = z.object({
  task: z.optional(TaskRef),
  reason: z.string(),
  /** First failing lines of a gate, bounded. */
  lines: z.array(z.string()),
});
export type Rejection = z.infer<typeof Rejection>;

/** What goes into the memory file about an iteration. */
export const MemoryEntry = z.object({
  task: z.optional(TaskRef),
  /** One word for the `Status:` line. */
  status: z.string(),
  files: z.array(z.string()),
  learnings: z.array(z.string()),
  commit: z.optional(z.string()),
  /** Set in the closing entry alone: the promise that all is done. */
  output: z.optional(z.string()),
});
export type MemoryEntry = z.infer<typeof MemoryEntry>;

export const GUARDED_FILES = ["settings", "prompt", "template"] as const;
/** Files beside the task list that only a person may change. */
export const GuardedFile = z.enum(GUARDED_FILES);
export type GuardedFile = z.infer<typeof GuardedFile>;

/** What a stop file says: all is done, or a person is needed. */
export const SignalKind = z.enum(["complete", "waiting"]);
export type SignalKind = z.infer<typeof SignalKind>;

/** Why a gate runs: before the first agent, after a claim, or once more because it was red. */
export const GatePhase = z.enum(["baseline", "check", "again"]);
export type GatePhase = z.infer<typeof GatePhase>;

/** One order of an iteration to the world. */
export const Effect = z.discriminatedUnion("type", [
  /** Read tasks, memory and git as they are before the agent starts. */
  z.object({ type: z.literal("read-project") }),
  z.object({
    type: z.literal("write-prompt"),
    task: TaskRef,
    attempt: z.int(),
    rejection: z.optional(Rejection),
    /** What the agent should know about earlier tries at the task. */
    warning: z.optional(z.string()),
  }),
  z.object({ type: z.literal("run-agent"), task: TaskRef, attempt: z.int() }),
  /** Read the same things again and say what changed. */
  z.object({ type: z.literal("inspect-project") }),
  /** Bring the repository back to the branch, the history and the stash it had before the agent. */
  z.object({ type: z.literal("mend-git"), why: z.string() }),
  /** Put back the task list as it was before the agent, with what it may change; keep the agent's aside. */
  z.object({ type: z.literal("restore-tasks"), why: z.string() }),
  /** Put back a file of the person's as it was before the agent; keep the agent's aside. */
  z.object({ type: z.literal("restore-file"), file: GuardedFile }),
  /** Take the agent's stop file out of the way. */
  z.object({ type: z.literal("set-aside"), signal: SignalKind }),
  z.object({ type: z.literal("run-gate"), gate: Gate, phase: z.optional(GatePhase) }),
  z.object({ type: z.literal("mark-task"), task: TaskId, status: z.enum(["open", "done"]) }),
  z.object({ type: z.literal("write-memory"), entry: MemoryEntry }),
  /** Copy list, memory and specs of a finished feature to the archive. */
  z.object({ type: z.literal("archive") }),
  z.object({ type: z.literal("commit"), subject: z.string() }),
]);
export type Effect = z.infer<typeof Effect>;

/** The name of an effect. */
export type EffectType = Effect["type"];
