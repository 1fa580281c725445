import fc from "fast-check";
import { expect, test } from "vitest";
import { compareTasks } from "../../core/loop/next-task.ts";
import { readList, readStories } from "./stories.ts";

const story = (more: object = {}) => ({ id: "A", title: "t", passes: false, ...more });
const read = (one: object, frame: object = {}) =>
  readList(JSON.stringify({ ...frame, userStories: [one] }));

test.each([
  [undefined, []],
  ["npm test", ["npm test"]],
  [
    ["npm test", "npm run lint"],
    ["npm test", "npm run lint"],
  ],
  [["", "  ", "npm test"], ["npm test"]],
  ["", []],
  [7, []],
])("the checks %j are the commands %j", (checks, commands) => {
  expect(read(story({ checks })).tasks.map((task) => task.checks)).toEqual([commands]);
});

test("state and notes are not frozen; all else is, whatever the order of its keys", () => {
  const full = story({ z: { b: [{ d: 1, c: null }], a: "é" }, notes: "n", status: "in-progress" });
  const list = {
    frame: '{"a":1,"feature":{"x":1,"y":2}}',
    tasks: [
      {
        id: "A",
        title: "t",
        description: "",
        criteria: [],
        priority: undefined,
        status: "in-progress",
        dependsOn: [],
        notes: "n",
        checks: [],
        frozen: '{"id":"A","title":"t","z":{"a":"é","b":[{"c":null,"d":1}]}}',
      },
    ],
  };
  expect(read(full, { feature: { y: 2, x: 1 }, a: 1 })).toEqual(list);
  expect({ ...list.tasks[0] }).toEqual({ ...read(full).tasks[0] });
});

test("a key called __proto__ is a key like any other", () => {
  const of = (value: string): string =>
    `{"__proto__": ${value}, "userStories": [{"id": "A", "title": "t", "passes": false, "__proto__": ${value}}]}`;
  expect(readList(of("1"))).toMatchObject({
    frame: '{"__proto__":1}',
    tasks: [{ frozen: '{"__proto__":1,"id":"A","title":"t"}' }],
  });
  expect(compareTasks(readList(of("1")), readList(of('{"x":1}')))).toMatchObject({
    edited: [{ id: "A", what: "other keys" }],
    listEdits: ["keys beside the stories"],
  });
});

test.each(["", "{", "[]", "7", "null"])("the text %j has no tasks and no frame", (text) => {
  expect(readList(text)).toEqual({ tasks: [], frame: "" });
  expect(readStories(text)).toEqual([]);
});

test("no depth of nesting makes it throw", () => {
  const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
  const list = readList(
    `{"x":${deep},"userStories":[{"id":"A","title":"t","passes":false,"y":${deep}}]}`,
  );
  expect(list.frame.length).toBeLessThan(2000);
  expect(list.tasks[0]?.frozen.length).toBeLessThan(2000);
});

const anyStories = fc.uniqueArray(
  fc
    .record({
      id: fc.constantFrom(..."abcdef"),
      title: fc.string(),
      passes: fc.boolean(),
      own: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }),
    })
    .map(({ own, ...rest }) => ({ ...own, ...rest })),
  { selector: ({ id }) => id },
);

test("a list written anew with other indents and another order of keys was not edited", () => {
  const prd = fc
    .record({
      frame: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }),
      stories: anyStories,
    })
    .map(({ frame, stories }) => ({ ...frame, userStories: stories }));
  fc.assert(
    fc.property(prd, fc.constantFrom(0, 1, 4, "\t"), (value, indent) => {
      const [before, now] = [
        readList(JSON.stringify(value)),
        readList(JSON.stringify(turned(value), null, indent)),
      ];
      expect(compareTasks(before, now)).toEqual({
        finishedCount: 0,
        finished: [],
        reopened: [],
        added: [],
        removed: [],
        edited: [],
        listEdits: [],
      });
    }),
  );
});

/** The same with the keys of every object in the opposite order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [
    key,
    turned(item),
  ]);
  return Object.fromEntries(entries.toReversed());
}
