import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TaskId } from "../schema/ids.ts";
import type { Task, TaskChanges, TaskList } from "../schema/task.ts";
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
    checks: [],
    frozen: "",
    ...more,
  };
}
const listOf = (...tasks: Task[]): TaskList => ({ tasks, frame: "{}" });
const UNCHANGED: TaskChanges = {
  finishedCount: 0,
  finished: [],
  reopened: [],
  added: [],
  removed: [],
  edited: [],
  listEdits: [],
};
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

test("a parked task is not next, and still counts as open", () => {
  const tasks = [task("a"), task("b"), task("c", after("a"))];
  expect(summarizeTasks(tasks, { parked: new Set(["a"]), deferred: new Set() })).toEqual({
    total: 3,
    done: 0,
    open: 3,
    next: [{ id: "b", title: "t-b" }],
    blocked: [{ id: "c", title: "t-c" }],
  });
});

test("a deferred task comes after all others, however urgent it is", () => {
  const tasks = [task("a", { status: "in-progress", priority: 1 }), task("b", { priority: 9 })];
  const { next: order } = summarizeTasks(tasks, { parked: new Set(), deferred: new Set(["a"]) });
  expect(order.map(({ id }) => id)).toEqual(["b", "a"]);
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
  const changes = compareTasks(listOf(...before), listOf(...young));
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
      expect(compareTasks(listOf(...tasks), listOf(...tasks))).toEqual(UNCHANGED);
    }),
  );
});

test("however many change, the lists are bounded and the count is true", () => {
  const before = Array.from({ length: 5000 }, (_, n) => task(`t${n}`));
  const young = before.map((one) => ({ ...one, status: "done" as const }));
  const changes = compareTasks(listOf(...before), listOf(...young));
  expect(changes.finishedCount).toBe(5000);
  expect(changes.finished).toHaveLength(30);
  expect(compareTasks(listOf(...before), listOf()).removed).toHaveLength(5);
  expect(summarizeTasks(before).next).toHaveLength(10);
});

describe("an edit is told", () => {
  const long = "x".repeat(100);
  const cases: [Partial<Omit<Task, "id">>, Partial<Omit<Task, "id">>, string][] = [
    [{ title: "Pay" }, { title: "Pay\u001B[31m\nlater" }, 'title: "Pay" → "Pay later"'],
    [{}, { description: "d" }, 'description: "" → "d"'],
    [{ criteria: ["a", "b"] }, { criteria: ["a", "c"] }, 'criteria: #2 "b" → "c"'],
    [{ criteria: ["a", "b", "c"] }, { criteria: ["a", "c"] }, 'criteria: 3 → 2, #2 "b" → "c"'],
    [{ criteria: ["a"] }, { criteria: [] }, 'criteria: 1 → 0, #1 "a" → none'],
    [{ criteria: ["a"] }, { criteria: ["a", ""] }, 'criteria: 1 → 2, #2 none → ""'],
    [{ priority: 1 }, { priority: undefined }, "priority: 1 → none"],
    [{}, after("z"), 'dependsOn: 0 → 1, #1 none → "z"'],
    [{ checks: ["npm test"] }, { checks: ["true"] }, 'checks: #1 "npm test" → "true"'],
    [{ frozen: "1" }, { frozen: "2" }, "other keys"],
    [
      { title: "Old", frozen: "1" },
      { title: "New", priority: 2, frozen: "2" },
      'title: "Old" → "New"; priority: none → 2',
    ],
    [
      { title: `${long}a` },
      { title: `${long}b` },
      `title: "…${"x".repeat(10)}a" → "…${"x".repeat(10)}b"`,
    ],
    [{ title: long }, { title: "y" }, `title: "${"x".repeat(59)}…" → "y"`],
    [{ title: "a b" }, { title: "a  b" }, 'title: "a b" → the same with other blanks or signs'],
  ];
  test.each(cases)("from %j to %j", (old, young, what) => {
    const [before, now] = [listOf(task("a", old)), listOf(task("a", young))];
    expect(compareTasks(before, now)).toEqual({ ...UNCHANGED, edited: [{ id: "a", what }] });
  });

  test("but state and notes are the agent's to change", () => {
    const now = listOf(task("a", { status: "in-progress", notes: "n" }));
    expect(compareTasks(listOf(task("a")), now)).toEqual(UNCHANGED);
  });

  test("of the first five tasks, however many there are and however long they are", () => {
    const before = Array.from({ length: 2000 }, (_, n) => task(`t${n}`, { title: long }));
    const now = before.map((one) => ({
      ...one,
      title: `y${long}`,
      description: long,
      criteria: [long],
    }));
    const { edited = [] } = compareTasks(listOf(...before), listOf(...now));
    expect(edited.map(({ id }) => id)).toEqual(["t0", "t1", "t2", "t3", "t4"]);
    for (const { what } of edited) expect(what.length).toBeLessThan(500);
  });
});

describe("of the list itself", () => {
  const [a, b, c, d] = [task("a"), task("b"), task("c"), task("d")];
  const listEdits = (before: TaskList, now: TaskList) => compareTasks(before, now).listEdits;

  test("another frame is told", () => {
    expect(listEdits(listOf(a), { ...listOf(a), frame: "{1}" })).toEqual([
      "keys beside the stories",
    ]);
  });

  test("another order is told, but not where a new task stands or an old one went", () => {
    expect(listEdits(listOf(a, b, c), listOf(b, a, c))).toEqual(["the order of the stories"]);
    expect(listEdits(listOf(a, b, c), listOf(c, d, a))).toEqual(["the order of the stories"]);
    expect(listEdits(listOf(a, b, c), listOf(d, a, c))).toEqual([]);
    expect(listEdits(listOf(a, b), listOf(a, d, b, c))).toEqual([]);
  });
});
