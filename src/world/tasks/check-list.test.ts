import { expect, test } from "vitest";
import { checkList } from "./check-list.ts";
import { readStories } from "./stories.ts";

interface Story {
  readonly id: string;
  readonly title?: string;
  readonly passes?: boolean;
  readonly dependsOn?: string[];
}

function check(...stories: Story[]) {
  const userStories = stories.map((story) => ({ title: story.id, passes: false, ...story }));
  const text = JSON.stringify({ userStories }, null, 2);
  return checkList(readStories(text), text, "prd.json").map(({ line, problem }) => [line, problem]);
}

test("a list in which every story can have its turn is fine", () => {
  expect(
    check({ id: "A", dependsOn: ["B"] }, { id: "B" }, { id: "C", dependsOn: ["A", "B"] }),
  ).toEqual([]);
});

test("stories that wait for each other are named in a circle, with the line", () => {
  expect(
    check(
      { id: "A", dependsOn: ["B"] },
      { id: "B", dependsOn: ["C"] },
      { id: "C", dependsOn: ["A"] },
    ),
  ).toEqual([[7, "stories wait for each other: A → B → C → A"]]);
});

test("a story that waits for itself is a circle of one", () => {
  expect(check({ id: "A", dependsOn: ["A"] })).toEqual([[7, "stories wait for each other: A → A"]]);
});

test("a circle behind other stories is told without them", () => {
  const [found] = check(
    { id: "A", dependsOn: ["B"] },
    { id: "B", dependsOn: ["C"] },
    { id: "C", dependsOn: ["B"] },
  );
  expect(found?.[1]).toBe("stories wait for each other: B → C → B");
});

test("a circle through a story that is done holds nobody up", () => {
  expect(check({ id: "A", dependsOn: ["B"] }, { id: "B", dependsOn: ["A"], passes: true })).toEqual(
    [],
  );
});

test("a chain of twenty thousand stories is walked", () => {
  const stories = Array.from({ length: 20_000 }, (_, n) => ({
    id: `S-${n}`,
    dependsOn: n === 0 ? ["S-19999"] : [`S-${n - 1}`],
  }));
  expect(check(...stories).map(([, problem]) => String(problem).slice(0, 60))).toEqual([
    "stories wait for each other: S-0 → S-19999 → S-19998 → S-199",
  ]);
});

test("an open placeholder is refused with its line, one that is done is not", () => {
  expect(
    check({ id: "A", title: "TODO: first" }, { id: "B", title: "TODO: x", passes: true }),
  ).toEqual([[4, 'A is a placeholder: "TODO: first"']]);
});
