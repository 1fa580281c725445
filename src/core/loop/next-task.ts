// Which task comes next, and what an event keeps of a list of any length.

import type { TaskId } from "../schema/ids.ts";
import { printableLine } from "../../std/printable.ts";
import {
  NAMED_CHANGES_MAX,
  type Task,
  type TaskChanges,
  type TaskRef,
  type TaskSummary,
} from "../schema/task.ts";

const NEXT_MAX = 10;
const TITLE_MAX = 80;
/** Changes beside finished tasks are named for people only. */
const OTHERS_MAX = 5;

/** In progress first, then by priority, then in the order of the file; blocked ones apart. */
export function summarizeTasks(tasks: readonly Task[]): TaskSummary {
  const done = new Set(tasks.filter((task) => task.status === "done").map((task) => task.id));
  const open = tasks.filter((task) => task.status !== "done");
  const isReady = (task: Task): boolean => task.dependsOn.every((id) => done.has(id));
  return {
    total: tasks.length,
    done: done.size,
    open: open.length,
    next: open.filter(isReady).toSorted(byUrgency).slice(0, NEXT_MAX).map(refer),
    blocked: open
      .filter((task) => !isReady(task))
      .slice(0, NEXT_MAX)
      .map(refer),
  };
}

/** What became of the tasks of `before` in `after`. */
export function compareTasks(before: readonly Task[], after: readonly Task[]): TaskChanges {
  const old = byId(before);
  const young = byId(after);
  const finished = after.filter((task) => task.status === "done" && isOpen(old.get(task.id)));
  return {
    finishedCount: finished.length,
    finished: name(finished, NAMED_CHANGES_MAX),
    reopened: name(
      after.filter((task) => isOpen(task) && old.get(task.id)?.status === "done"),
      OTHERS_MAX,
    ),
    added: name(
      after.filter((task) => !old.has(task.id)),
      OTHERS_MAX,
    ),
    removed: name(
      before.filter((task) => !young.has(task.id)),
      OTHERS_MAX,
    ),
  };
}

function byUrgency(a: Task, b: Task): number {
  const running = Number(b.status === "in-progress") - Number(a.status === "in-progress");
  if (running !== 0) return running;
  // Sorting keeps the order of the file among equals; a task without a priority comes after those with one.
  const [first, second] = [a.priority ?? Infinity, b.priority ?? Infinity];
  return first === second ? 0 : first - second;
}

/** A task that appears already done counts as finished in the iteration that added it. */
function isOpen(task: Task | undefined): boolean {
  return task?.status !== "done";
}

function byId(tasks: readonly Task[]): Map<TaskId, Task> {
  return new Map(tasks.map((task) => [task.id, task]));
}

function name(tasks: readonly Task[], max: number): TaskRef[] {
  return tasks.slice(0, max).map(refer);
}

function refer(task: Task): TaskRef {
  return { id: task.id, title: printableLine(task.title, TITLE_MAX) };
}
