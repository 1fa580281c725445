// Which task comes next, and what an event keeps of a list of any length.

import type { TaskId } from "../schema/ids.ts";
import { printableLine } from "../../std/printable.ts";
import {
  NAMED_CHANGES_MAX,
  type Task,
  type TaskChanges,
  type TaskEdit,
  type TaskList,
  type TaskRef,
  type TaskSummary,
} from "../schema/task.ts";

const NEXT_MAX = 10;
const TITLE_MAX = 80;
/** Changes beside finished tasks are named for people only. */
const OTHERS_MAX = 5;
/** How much of an old and of a new value is shown. */
const VALUE_MAX = 60;
/** How much stands before the place at which two long values part. */
const LEAD = 10;

/** Tasks that are not to be chosen, and those that come after all others. */
export interface OutOfTurn {
  readonly parked: ReadonlySet<string>;
  readonly deferred: ReadonlySet<string>;
}

const NOBODY: OutOfTurn = { parked: new Set(), deferred: new Set() };

/** In progress first, then by priority, then in the order of the file; blocked and parked ones apart. */
export function summarizeTasks(
  tasks: readonly Task[],
  { parked, deferred }: OutOfTurn = NOBODY,
): TaskSummary {
  const done = new Set(tasks.filter((task) => task.status === "done").map((task) => task.id));
  const open = tasks.filter((task) => task.status !== "done");
  const isReady = (task: Task): boolean => task.dependsOn.every((id) => done.has(id));
  const byTurn = (a: Task, b: Task): number =>
    Number(deferred.has(a.id)) - Number(deferred.has(b.id)) || byUrgency(a, b);
  return {
    total: tasks.length,
    done: done.size,
    open: open.length,
    next: open
      .filter((task) => isReady(task) && !parked.has(task.id))
      .toSorted(byTurn)
      .slice(0, NEXT_MAX)
      .map(refer),
    blocked: open
      .filter((task) => !isReady(task))
      .slice(0, NEXT_MAX)
      .map(refer),
  };
}

/** What became of the tasks of `before` in `after`, and what else the list says that it did not say before. */
export function compareTasks(before: TaskList, after: TaskList): TaskChanges {
  const old = byId(before.tasks);
  const young = byId(after.tasks);
  const finished = after.tasks.filter((task) => task.status === "done" && isOpen(old.get(task.id)));
  return {
    finishedCount: finished.length,
    finished: name(finished, NAMED_CHANGES_MAX),
    reopened: name(
      after.tasks.filter((task) => isOpen(task) && old.get(task.id)?.status === "done"),
      OTHERS_MAX,
    ),
    added: name(
      after.tasks.filter((task) => !old.has(task.id)),
      OTHERS_MAX,
    ),
    removed: name(
      before.tasks.filter((task) => !young.has(task.id)),
      OTHERS_MAX,
    ),
    edited: findEdits(before.tasks, young),
    listEdits: [
      ...(before.frame === after.frame ? [] : ["keys beside the stories"]),
      ...(isSameOrder(before.tasks, after.tasks) ? [] : ["the order of the stories"]),
    ],
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

function findEdits(before: readonly Task[], young: ReadonlyMap<TaskId, Task>): TaskEdit[] {
  const edits: TaskEdit[] = [];
  for (const task of before) {
    if (edits.length === OTHERS_MAX) break;
    const now = young.get(task.id);
    const what = now === undefined || now === task ? "" : describeEdit(task, now);
    if (what !== "") edits.push({ id: task.id, what });
  }
  return edits;
}

/** Every field that is different; a difference in none of them is in keys that only the frozen text knows. */
function describeEdit(old: Task, young: Task): string {
  const fields = [
    describeText("title", old.title, young.title),
    describeText("description", old.description, young.description),
    describeTexts("criteria", old.criteria, young.criteria),
    old.priority === young.priority
      ? ""
      : `priority: ${old.priority ?? "none"} → ${young.priority ?? "none"}`,
    describeTexts("dependsOn", old.dependsOn, young.dependsOn),
    describeTexts("checks", old.checks, young.checks),
  ].filter((words) => words !== "");
  if (fields.length > 0) return fields.join("; ");
  return old.frozen === young.frozen ? "" : "other keys";
}

function describeText(field: string, old: string, young: string): string {
  return old === young ? "" : `${field}: ${describeValues(old, young)}`;
}

/** `criteria: 3 → 2, #2 "b" → "c"`: how many there are, where that changed, and the first entry that is different. */
function describeTexts(field: string, old: readonly string[], young: readonly string[]): string {
  const length = Math.max(old.length, young.length);
  const first = Array.from({ length }).findIndex((_, index) => old[index] !== young[index]);
  if (first === -1) return "";
  const count = old.length === young.length ? "" : `${old.length} → ${young.length}, `;
  return `${field}: ${count}#${first + 1} ${describeValues(old[first], young[first])}`;
}

/** Where the two look the same when cut, they are shown from shortly before the place at which they part. */
function describeValues(old: string | undefined, young: string | undefined): string {
  const [from, to] = [show(old), show(young)];
  if (from !== to || old === undefined || young === undefined) return `${from} → ${to}`;
  const start = Math.max(0, findParting(old, young) - LEAD);
  const [lateFrom, lateTo] = [show(`…${old.slice(start)}`), show(`…${young.slice(start)}`)];
  return lateFrom === lateTo
    ? `${from} → the same with other blanks or signs`
    : `${lateFrom} → ${lateTo}`;
}

function show(value: string | undefined): string {
  return value === undefined ? "none" : `"${printableLine(value, VALUE_MAX)}"`;
}

function findParting(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  let at = 0;
  while (at < length && a[at] === b[at]) at++;
  return at;
}

/** New tasks may stand anywhere, and where one went is told as removed. */
function isSameOrder(before: readonly Task[], after: readonly Task[]): boolean {
  const left = new Set(after.map((task) => task.id));
  const stayed = new Set(before.filter((task) => left.has(task.id)).map((task) => task.id));
  const now = after.filter((task) => stayed.has(task.id));
  return [...stayed].every((id, index) => now[index]?.id === id);
}
