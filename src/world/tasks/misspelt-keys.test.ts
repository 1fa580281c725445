import { expect, test } from "vitest";
import { findMisspelt } from "./misspelt-keys.ts";

const list = (story: object, beside: object = {}): string =>
  JSON.stringify({ ...beside, userStories: [{ id: "A", title: "a", passes: false, ...story }] });

test.each([
  [{ acceptanceCriterias: [] }, "acceptanceCriteria"],
  [{ prority: 1 }, "priority"],
  [{ dependson: [] }, "dependsOn"],
])("a story with %j", (story, meant) => {
  expect(findMisspelt(list(story), "prd.json")).toMatchObject([
    { file: "prd.json", line: 1, expected: `perhaps "${meant}"` },
  ]);
});

test("a key beside the stories", () => {
  expect(findMisspelt(list({}, { branchname: "x" }), "prd.json")).toMatchObject([
    { problem: '"branchname" means nothing here', expected: 'perhaps "branchName"' },
  ]);
});

test.each([
  list({ estimate: 3, owner: "ann", labels: [] }, { $schema: "x", project: "shop" }),
  // Both are there: one of them is the person's own.
  list({ note: "mine", notes: "" }),
  "no list",
])("nothing in %s", (text) => {
  expect(findMisspelt(text, "prd.json")).toEqual([]);
});
