// The stories of a prd.json as they are, and nothing about what may be wrong with one: this much every look at a feature
// needs, and it has to be quick. What is not a story is passed over here and told in parse-prd.ts.

import { isTaskId } from "../../core/schema/ids.ts";
import type { Task } from "../../core/schema/task.ts";

/** The tasks of a text; none where it cannot be read. */
export function readStories(text: string): Task[] {
  try {
    return toTasks(JSON.parse(stripBom(text)));
  } catch {
    return [];
  }
}

export function toTasks(prd: unknown): Task[] {
  const stories = isRecord(prd) ? prd["userStories"] : undefined;
  return Array.isArray(stories) ? stories.flatMap(toTask) : [];
}

export function stripBom(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

function toTask(story: unknown): Task[] {
  if (!isRecord(story)) return [];
  const { id, title, passes, status, priority } = story;
  if (typeof id !== "string" || !isTaskId(id) || typeof title !== "string") return [];
  const isRunning = status === "in-progress" || status === "in_progress";
  return [
    {
      id,
      title,
      description: textOf(story["description"]),
      criteria: textsOf(story["acceptanceCriteria"]),
      priority: typeof priority === "number" ? priority : undefined,
      status: passes === true ? "done" : isRunning ? "in-progress" : "open",
      dependsOn: textsOf(story["dependsOn"]).filter(isTaskId),
      notes: textOf(story["notes"]),
    },
  ];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
