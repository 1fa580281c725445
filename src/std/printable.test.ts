import fc from "fast-check";
import { expect, test } from "vitest";
import { printable, printableLine } from "./printable.ts";

test.each([
  ["\u001B[31mred\u001B[0m", "red"],
  ["\u001B]0;title\u0007text", "text"],
  ["\u001B]8;;http://example.invalid\u001B\\link\u001B]8;;\u001B\\", "link"],
  ["\u001BPdevice\u001B\\text", "text"],
  ["\u001B(0line", "line"],
  ["\u001Bcreset", "reset"],
  ["a\u0007b\u0008c", "a b c"],
  ["a\u009B31mb", "a 31mb"],
  ["gnp.\u202Eexe", "gnp. exe"],
  ["a\r\nb\rc", "a\nb c"],
  ["tab\tand\nline", "tab\tand\nline"],
  ["\u001B\u001B[0m[31m", " [31m"],
  ["wörter 🦜 漢字", "wörter 🦜 漢字"],
])("%j is shown as %j", (text, shown) => {
  expect(printable(text)).toBe(shown);
});

const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      "\u001B",
      "[",
      "]",
      "\\",
      "\u0007",
      "\u009B",
      "\r",
      "\n",
      "\t",
      "m",
      "0",
      ";",
      "P",
      "\u202E",
      "a",
    ),
    fc.string({ unit: "binary", maxLength: 1 }),
  ),
  maxLength: 60,
});

test("nothing that a terminal acts on is left of any text", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(printable(text)).not.toMatch(
        /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/u,
      );
      expect(printable(printable(text))).toBe(printable(text));
    }),
    { numRuns: 2000 },
  );
});

test("a line is one line, no longer than asked, and shows where it was cut", () => {
  expect(printableLine("  one\n\ttwo  ", 20)).toBe("one two");
  expect(printableLine("abcdef", 4)).toBe("abc…");
  expect(printableLine("abcd", 4)).toBe("abcd");
  fc.assert(
    fc.property(hostile, fc.integer({ min: 1, max: 30 }), (text, max) => {
      const line = printableLine(text, max);
      expect(line.length).toBeLessThanOrEqual(max);
      expect(line).not.toMatch(/[\n\r\t]/u);
    }),
  );
});

test("a long hostile text takes no longer than its length deserves", () => {
  const texts = ["\u001B]", "\u001B[", "\u001BP", "\u001B ", "\u001B[0;"];
  for (const text of texts) expect(printable(text.repeat(200_000)).length).toBeLessThan(2_000_000);
});
