// Words for what a person has changed in a task list.

import { count } from "../../std/text.ts";
import type { TaskChanges } from "../schema/task.ts";

/** One sentence for each kind of change; none where nothing changed. */
export function renderTaskChanges(changes: TaskChanges): string[] {
  const said = [
    named("added", changes.added),
    named("removed", changes.removed),
    named("marked done", changes.finished),
    named("reopened", changes.reopened),
    ...(changes.edited ?? []).map(({ id, what }) => `${id}: ${what}`),
    ...(changes.listEdits ?? []).map((what) => `${what} changed`),
  ];
  return said.filter((words) => words !== "");
}

function named(what: string, tasks: readonly { readonly id: string }[]): string {
  if (tasks.length === 0) return "";
  return `${count(tasks.length, "task")} ${what} (${tasks.map(({ id }) => id).join(", ")})`;
}
