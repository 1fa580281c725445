// A task as every layout gives it, and what is recorded about a reading of the list.

import * as z from "zod/mini";
import { TaskId } from "./ids.ts";

/** How far a task is, as its list says. */
type TaskStatus = "open" | "in-progress" | "done";

/** One item of work, with all that its list says about it. */
export interface Task {
  readonly id: TaskId;
  readonly title: string;
  readonly description: string;
  readonly criteria: readonly string[];
  /** Lower comes first; undefined where the list has no priorities. */
  readonly priority: number | undefined;
  readonly status: TaskStatus;
  readonly dependsOn: readonly TaskId[];
  readonly notes: string;
  /** Shell commands of its own that must all succeed once it is done. */
  readonly checks: readonly string[];
  /** All that an agent may not change, as one text: everything but state and notes. */
  readonly frozen: string;
}

/** A whole list of work. */
export interface TaskList {
  readonly tasks: readonly Task[];
  /** What the list says beside its tasks, as one text; an agent may not change it. */
  readonly frame: string;
}

/** A task by name, small enough for an event. */
export const TaskRef = z.object({
  id: TaskId,
  /** One line of at most 80 characters. */
  title: z.string(),
});
export type TaskRef = z.infer<typeof TaskRef>;

/** What an event keeps of a whole task list, however long the list is. */
export const TaskSummary = z.object({
  total: z.int(),
  done: z.int(),
  open: z.int(),
  /** The first tasks in the order in which they should be done; at most 10. */
  next: z.array(TaskRef),
  /** Open tasks that wait for one that is not done; at most 10 are named. */
  blocked: z.array(TaskRef),
});
export type TaskSummary = z.infer<typeof TaskSummary>;

/** How many tasks a list of changes names at most. */
export const NAMED_CHANGES_MAX = 30;

/** A task that says something else than before. */
export const TaskEdit = z.object({
  id: TaskId,
  /** Which field, and both values, cut: `title: "Pay" → "Pay later"`. */
  what: z.string(),
});
export type TaskEdit = z.infer<typeof TaskEdit>;

/** How a task list differs between two readings; each list names the first few. */
export const TaskChanges = z.object({
  /** How many were finished, named or not. */
  finishedCount: z.int(),
  finished: z.array(TaskRef),
  reopened: z.array(TaskRef),
  added: z.array(TaskRef),
  removed: z.array(TaskRef),
  /** Tasks that say something else than before, state and notes apart; absent in logs of older versions. */
  edited: z.optional(z.array(TaskEdit)),
  /** What else is different: keys of the list itself, or the order of its tasks. */
  listEdits: z.optional(z.array(z.string())),
});
export type TaskChanges = z.infer<typeof TaskChanges>;
