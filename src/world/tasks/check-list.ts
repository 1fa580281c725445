// What in a list that can be read would keep a run from ever finishing it: stories that wait for each other, and
// placeholders that nobody has filled in.

import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import type { Task } from "../../core/schema/task.ts";
import { locateJson } from "../../std/edit/json-edit.ts";
import { printableLine } from "../../std/printable.ts";

const PLACEHOLDER = /^\s*TODO:/u;
const CYCLES_MAX = 5;
const SHOWN_MAX = 10;

/** `text` is what the tasks were read from, `file` how messages call it. */
export function checkList(tasks: readonly Task[], text: string, file: string): Diagnostic[] {
  return [...checkPlaceholders(tasks, text, file), ...checkCycles(tasks, text, file)];
}

function checkPlaceholders(tasks: readonly Task[], text: string, file: string): Diagnostic[] {
  return tasks.flatMap(({ id, title, status }, index) => {
    if (status === "done" || !PLACEHOLDER.test(title)) return [];
    return [
      {
        file,
        ...locateJson(text, ["userStories", index, "title"]),
        problem: `${id} is a placeholder: "${printableLine(title, 60)}"`,
        expected: "a title that says what is to be done",
        remedy: "write your story in its place, or take it out; nothing was changed",
      },
    ];
  });
}

function checkCycles(tasks: readonly Task[], text: string, file: string): Diagnostic[] {
  const index = new Map<string, number>(tasks.map(({ id }, at) => [id, at]));
  return findCycles(tasks).map((cycle) => {
    const [first = ""] = cycle;
    const shown = cycle.length > SHOWN_MAX ? [...cycle.slice(0, SHOWN_MAX), "…"] : cycle;
    return {
      file,
      ...locateJson(text, ["userStories", index.get(first) ?? 0, "dependsOn"]),
      problem: `stories wait for each other: ${[...shown, first].join(" → ")}`,
      expected: "at least one of them that waits for none of the others",
      remedy: "take one of these dependencies out; nothing was changed",
    };
  });
}

/** Cycles of open tasks by their ids, found by walking along dependencies; a list of any length needs no deep stack. */
function findCycles(tasks: readonly Task[]): string[][] {
  const open = new Map<string, Task>(
    tasks.filter(({ status }) => status !== "done").map((task) => [task.id, task]),
  );
  const walked = new Set<string>();
  const cycles: string[][] = [];
  for (const start of open.keys()) {
    if (walked.has(start)) continue;
    const path: { id: string; next: number }[] = [{ id: start, next: 0 }];
    const onPath = new Map([[start, 0]]);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const target: string | undefined = open.get(top.id)?.dependsOn[top.next];
      top.next += 1;
      if (target === undefined) {
        walked.add(top.id);
        onPath.delete(top.id);
        path.pop();
        continue;
      }
      const from = onPath.get(target);
      if (from !== undefined) cycles.push(path.slice(from).map(({ id }) => id));
      if (cycles.length === CYCLES_MAX) return cycles;
      if (from !== undefined || walked.has(target) || !open.has(target)) continue;
      onPath.set(target, path.length);
      path.push({ id: target, next: 0 });
    }
  }
  return cycles;
}
