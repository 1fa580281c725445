// The stories of a prd.json as they are, and nothing about what may be wrong with one: this much every look at a feature
// needs, and it has to be quick. What is not a story is passed over here and told in parse-prd.ts.

import { isTaskId } from "../../core/schema/ids.ts";
import type { Task, TaskList } from "../../core/schema/task.ts";

/** Below this many levels nothing is compared: the file is foreign, and each level costs stack. */
const COMPARED_DEPTH_MAX = 500;

/** The tasks of a text; none where it cannot be read. */
export function readStories(text: string): Task[] {
  try {
    return toTasks(JSON.parse(stripBom(text)));
  } catch {
    return [];
  }
}

/** The whole list of a text; an empty one without a frame where it cannot be read. */
export function readList(text: string): TaskList {
  try {
    return toList(JSON.parse(stripBom(text)));
  } catch {
    return { tasks: [], frame: "" };
  }
}

export function toList(prd: unknown): TaskList {
  const frame = isRecord(prd) ? renderSorted(without(prd, ["userStories"])) : "";
  return { tasks: toTasks(prd), frame };
}

function toTasks(prd: unknown): Task[] {
  const stories = isRecord(prd) ? prd["userStories"] : undefined;
  const tasks: Task[] = [];
  for (const story of Array.isArray(stories) ? stories : []) {
    const task = toTask(story);
    if (task !== undefined) tasks.push(task);
  }
  return tasks;
}

export function stripBom(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

function toTask(story: unknown): Task | undefined {
  if (!isRecord(story)) return undefined;
  const { id, title, passes, status, priority } = story;
  if (typeof id !== "string" || !isTaskId(id) || typeof title !== "string") return undefined;
  const isRunning = status === "in-progress" || status === "in_progress";
  return {
    id,
    title,
    description: textOf(story["description"]),
    criteria: textsOf(story["acceptanceCriteria"]),
    priority: typeof priority === "number" ? priority : undefined,
    status: passes === true ? "done" : isRunning ? "in-progress" : "open",
    dependsOn: textsOf(story["dependsOn"]).filter(isTaskId),
    notes: textOf(story["notes"]),
    checks: commandsOf(story["checks"]),
    // Only a comparison needs it, and it takes longer than all the rest; a mere look at the list goes without.
    get frozen(): string {
      return renderSorted(without(story, ["passes", "status", "notes"]));
    },
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** One command or several; blank ones count as none, since a shell would call them a success. */
function commandsOf(value: unknown): string[] {
  if (value === undefined) return [];
  return textsOf(typeof value === "string" ? [value] : value).filter((text) => text.trim() !== "");
}

function without(record: Record<string, unknown>, keys: readonly string[]): [string, unknown][] {
  return Object.entries(record).filter(([key]) => !keys.includes(key));
}

/** The same text for the same content, however its keys are ordered; no object is built, for `__proto__` is a key too. */
function renderSorted(entries: [string, unknown][], depth = 0): string {
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([key, value]) => `${JSON.stringify(key)}:${renderValue(value, depth + 1)}`).join(",")}}`;
}

function renderValue(value: unknown, depth: number): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (depth > COMPARED_DEPTH_MAX) return "…";
  if (!Array.isArray(value)) return renderSorted(Object.entries(value), depth);
  return `[${value.map((item) => renderValue(item, depth + 1)).join(",")}]`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
