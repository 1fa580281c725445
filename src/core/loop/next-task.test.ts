import fc from "fast-check";
import { expect, test } from "vitest";
import { TaskId } from "../schema/ids.ts";
import type { Task } from "../schema/task.ts";
import { compareTasks, summarizeTasks } from "./next-task.ts";

function task(id: string, more: Partial<Omit<Task, "id">> = {}): Task {
  return {
    id: TaskId.parse(id),
    title: `t-${id}`,
    description: "",
    criteria: [],
    priority: undefined,
    status: "open",
    dependsOn: [],
    notes: "",
    ...more,
  };
}
const after = (...ids: string[]): { dependsOn: TaskId[] } => ({
  dependsOn: ids.map((id) => TaskId.parse(id)),
});
const next = (...tasks: Task[]): string[] => summarizeTasks(tasks).next.map(({ id }) => id);

test("what is in progress comes first, then by priority, then in the order of the file", () => {
  expect(
    next(
      task("none"),
      task("low", { priority: 9 }),
      task("high", { priority: 1 }),
      task("also-high", { priority: 1 }),
      task("running", { status: "in-progress", priority: 10 }),
      task("none-too"),
      task("done", { status: "done", priority: 0 }),
    ),
  ).toEqual(["running", "high", "also-high", "low", "none", "none-too"]);
});

test("a task waits for all it depends on", () => {
  const tasks = [task("c", after("a", "b")), task("a", { status: "done" }), task("b")];
  expect(next(...tasks)).toEqual(["b"]);
  expect(summarizeTasks(tasks)).toMatchObject({
    total: 3,
    done: 1,
    open: 2,
    blocked: [{ id: "c" }],
  });
  expect(next(task("c", after("a")), task("a", { status: "done" }))).toEqual(["c"]);
});

test("tasks that wait for each other are blocked, not next", () => {
  expect(summarizeTasks([task("a", after("b")), task("b", after("a"))])).toMatchObject({
    next: [],
    blocked: [{ id: "a" }, { id: "b" }],
  });
});

test("titles become one bounded line", () => {
  const [first] = summarizeTasks([task("a", { title: `x\u001B[31m\n${"y".repeat(500)}` })]).next;
  expect(first?.title).toMatch(/^x y+…$/u);
  expect(first?.title).toHaveLength(80);
});

const tasksOf = fc
  .uniqueArray(
    fc.record({
      id: fc.constantFrom(..."abcdefghij"),
      status: fc.constantFrom("open" as const, "in-progress" as const, "done" as const),
      priority: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
      needs: fc.array(fc.constantFrom(..."abcdefghij"), { maxLength: 2 }),
    }),
    { selector: ({ id }) => id },
  )
  .map((list) =>
    list.map(({ id, needs, ...rest }) =>
      task(id, {
        ...rest,
        ...after(...needs.filter((name) => list.some((other) => other.id === name))),
      }),
    ),
  );

test("every open task is either next or blocked, and nothing done is", () => {
  fc.assert(
    fc.property(tasksOf, (tasks) => {
      const summary = summarizeTasks(tasks);
      const named = [...summary.next, ...summary.blocked].map(({ id }) => id).toSorted();
      const open = tasks.filter(({ status }) => status !== "done").map(({ id }) => id);
      expect(named).toEqual(open.toSorted());
      expect(summary.done + summary.open).toBe(summary.total);
    }),
  );
});

test("what became of a list is told: finished, reopened, added, removed", () => {
  const before = [task("a"), task("b", { status: "done" }), task("c"), task("d")];
  const young = [
    task("a", { status: "done" }),
    task("b"),
    task("d"),
    task("e"),
    task("f", { status: "done" }),
  ];
  const changes = compareTasks(before, young);
  const ids = (list: readonly { id: string }[]): string[] => list.map(({ id }) => id);
  expect(changes.finishedCount).toBe(2);
  expect(ids(changes.finished)).toEqual(["a", "f"]);
  expect(ids(changes.reopened)).toEqual(["b"]);
  expect(ids(changes.added)).toEqual(["e", "f"]);
  expect(ids(changes.removed)).toEqual(["c"]);
});

test("a list compared with itself has not changed", () => {
  fc.assert(
    fc.property(tasksOf, (tasks) => {
      expect(compareTasks(tasks, tasks)).toEqual({
        finishedCount: 0,
        finished: [],
        reopened: [],
        added: [],
        removed: [],
      });
    }),
  );
});

test("however many change, the lists are bounded and the count is true", () => {
  const before = Array.from({ length: 5000 }, (_, n) => task(`t${n}`));
  const young = before.map((one) => ({ ...one, status: "done" as const }));
  const changes = compareTasks(before, young);
  expect(changes.finishedCount).toBe(5000);
  expect(changes.finished).toHaveLength(30);
  expect(compareTasks(before, []).removed).toHaveLength(5);
  expect(summarizeTasks(before).next).toHaveLength(10);
});
