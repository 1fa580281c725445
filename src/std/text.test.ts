import fc from "fast-check";
import { expect, test } from "vitest";
import { clip, positionAt, slug } from "./text.ts";

test("a text is cut only when it is too long, and that shows", () => {
  expect(clip("abcd", 4)).toBe("abcd");
  expect(clip("abcde", 4)).toBe("abc…");
  expect(clip("abcde", 0)).toBe("…");
});

test.each([
  ["Greet by name!", "greet-by-name"],
  ["../../etc/passwd", "etc-passwd"],
  ["$(rm -rf ~)", "rm-rf"],
  ["漢字", "unnamed"],
  ["", "unnamed"],
  ["-a-", "a"],
])("%j has the safe name %s", (text, name) => {
  expect(slug(text)).toBe(name);
});

test("a safe name is safe whatever it was made of", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      expect(slug(text)).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,59})$/u);
    }),
  );
});

test("a position is told as editors count it", () => {
  expect(positionAt("abc", 0)).toEqual({ line: 1, column: 1 });
  expect(positionAt("a\nbc", 1)).toEqual({ line: 1, column: 2 });
  expect(positionAt("a\nbc", 2)).toEqual({ line: 2, column: 1 });
  expect(positionAt("a\r\nbc", 4)).toEqual({ line: 2, column: 2 });
});
