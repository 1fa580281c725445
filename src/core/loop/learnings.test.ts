import { expect, test } from "vitest";
import { learningsIn } from "./learnings.ts";

const TWO = ["the port is 8080", "tests need a database"];

test.each([
  ["a bare word", "Learnings:\n- the port is 8080\n- tests need a database"],
  [
    "a heading",
    "Done.\n\n## Learnings\n\n* the port is 8080\n* tests need a database\n\n## Next\n- x",
  ],
  ["a bold word", "**Learnings:**\n1. the port is 8080\n2. tests need a database"],
  ["a bold word and a colon", "**Learnings**:\n- the port is 8080\n- tests need a database"],
  ["points over several lines", "Learnings:\n- the port\n  is 8080\n- tests need\n  a database"],
  [
    "points that are indented",
    "LEARNINGS:\n  - the port is 8080\n  - tests need a database\n\nBye.",
  ],
  ["points without bullets", "Learnings:\nthe port is 8080\ntests need a database\n\nThat is all."],
  ["the first point beside the word", "Learnings: the port is 8080\n- tests need a database"],
  [
    "the last of two blocks",
    "Learnings:\n- old\n\nMore.\n\nLearnings:\n- the port is 8080\n- tests need a database",
  ],
])("a block is found by %s", (_, text) => {
  expect(learningsIn(text)).toEqual(TWO);
});

test.each([
  ["nothing", ""],
  ["a sentence about them", "My learnings are in the log.\n- not this"],
  ["code", "```\nLearnings:\n- not this\n```"],
  ["a quotation", "> Learnings:\n> - not this"],
  ["an empty block", "Learnings:\n\n## Next\n- not this"],
])("none are found in %s", (_, text) => {
  expect(learningsIn(text)).toEqual([]);
});

test("there is a bound to how many and how long they are", () => {
  const points = Array.from({ length: 50 }, () => `- ${"long ".repeat(200)}`);
  const found = learningsIn(`Learnings:\n${points.join("\n")}`);
  expect(found).toHaveLength(10);
  expect(Math.max(...found.map((point) => point.length))).toBe(300);
});
