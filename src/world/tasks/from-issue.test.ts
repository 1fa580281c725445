import { describe, expect, test } from "vitest";
import { parseIssue, type Issue } from "./from-issue.ts";

function issue(body: string, more: Partial<Issue> = {}): Issue {
  const url = "https://github.com/me/shop/issues/7";
  return { number: 7, title: "Pay by card", body, url, labels: [], comments: [], ...more };
}

const titles = (body: string, more: Partial<Issue> = {}): string[] =>
  parseIssue(issue(body, more)).stories.map(({ title }) => title);

describe("stories", () => {
  test("without a task list the issue itself is the one story", () => {
    const { description, stories } = parseIssue(issue("Some words.\n\n- a bullet without a box"));
    expect(description).toBe("Pay by card");
    expect(stories).toMatchObject([
      { id: "STORY-001", title: "Pay by card", priority: 1, passes: false, notes: "" },
    ]);
  });

  test("every item of a task list is one, in the order in which they stand", () => {
    expect(titles("- [ ] one\n* [x] two\n1. [ ] three\n+ [X] four")).toEqual([
      "one",
      "two",
      "three",
      "four",
    ]);
    const { stories } = parseIssue(issue("- [ ] one\n- [x] two"));
    expect(stories.map(({ id, passes }) => [id, passes])).toEqual([
      ["STORY-001", false],
      ["STORY-002", false],
    ]);
    expect(stories.map(({ notes }) => notes === "")).toEqual([true, false]);
  });

  test("comments add theirs, and one that repeats an item adds nothing", () => {
    const comments = [{ author: "ada", body: "- [ ] One\n- [ ] two" }];
    expect(titles("- [ ] one", { comments })).toEqual(["one", "two"]);
  });

  test("code, hidden comments and empty items are passed over", () => {
    const body = "```\n- [ ] code\n```\n<!-- - [ ] hidden -->\n- [ ]\n- [ ] real";
    expect(titles(body)).toEqual(["real"]);
  });

  test("there is a bound to how many and how long they are", () => {
    const body = Array.from({ length: 500 }, (_, n) => `- [ ] ${n} ${"x".repeat(500)}`).join("\n");
    const all = titles(body);
    expect(all).toHaveLength(200);
    expect(Math.max(...all.map((title) => title.length))).toBe(200);
  });
});

describe("criteria", () => {
  const criteria = (body: string) =>
    parseIssue(issue(body)).stories.map((story) => story.acceptanceCriteria);

  test("bullets below an item are its own, with a box or without", () => {
    expect(criteria("- [ ] one\n  - a\n  - [ ] b\n- [ ] two\n\t* c")).toEqual([["a", "b"], ["c"]]);
  });

  test("bullets that are not below an item are none", () => {
    expect(criteria("- [ ] one\n\nWords between.\n\n- not one\n  - nor this")).toEqual([[]]);
  });

  test.each(["## Acceptance criteria", "**Acceptance Criteria:**", "Acceptance criteria:"])(
    "a section %j is for the whole, and no story",
    (heading) => {
      const body = `- [ ] one\n- [ ] two\n\n${heading}\n\n- [ ] quick\n- safe\n\n## Notes\n- not this`;
      expect(criteria(body)).toEqual([[], ["quick", "safe"]]);
    },
  );
});

test("the document has all that was said, as it was said", () => {
  const comments = [{ author: "ada", body: "Second.\n\n    code" }];
  const { spec } = parseIssue(issue("First.\r\nLine.", { comments, labels: ["bug", "card"] }));
  expect(spec).toEqual({
    name: "issue-7.md",
    text: `# Pay by card

Issue 7: https://github.com/me/shop/issues/7

Labels: bug, card

First.
Line.

## Comment 1 by ada

Second.

    code
`,
  });
});
