import { expect, test } from "vitest";
import { wrapLines, wrapWords } from "./wrap.ts";

test("a line that fits stays as it is", () => {
  expect(wrapWords("  one two", 9, 4)).toBe("  one two");
  expect(wrapWords("", 9, 4)).toBe("");
});

test("a longer one goes on under an indent", () => {
  expect(wrapWords("one two three four", 9, 2)).toBe("one two\n  three\n  four");
});

test("a word that fits nowhere has a line of its own", () => {
  expect(wrapWords("a unbreakable b", 5, 1)).toBe("a\n unbreakable\n b");
});

test("colours take no room", () => {
  expect(wrapWords("\u001B[32mone\u001B[39m two", 7, 2)).toBe("\u001B[32mone\u001B[39m two");
});

test("each line of a text goes on under its own beginning", () => {
  expect(wrapLines("one two\n  three four\n\nfive\n", 9)).toBe(
    "one two\n  three\n    four\n\nfive\n",
  );
});
