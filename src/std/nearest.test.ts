import { expect, test } from "vitest";
import { nearest } from "./nearest.ts";

const NAMES = ["claude", "command", "scripted"];

test.each([
  ["cluade", "claude"],
  ["Claude", "claude"],
  ["comand", "command"],
  ["scriptd", "scripted"],
  ["claude", "claude"],
])("%s is most likely %s", (word, meant) => {
  expect(nearest(word, NAMES)).toBe(meant);
});

test.each(["", "x", "gemini", "something quite different"])("%j is nothing known", (word) => {
  expect(nearest(word, NAMES)).toBeUndefined();
});

test("nothing is near where there is nothing", () => {
  expect(nearest("claude", [])).toBeUndefined();
});

test("of two that are as near the first is taken", () => {
  expect(nearest("run", ["ran", "rum"])).toBe("ran");
});
