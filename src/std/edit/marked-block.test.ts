import fc from "fast-check";
import { expect, test } from "vitest";
import { hasBlock, putBlock, takeBlock } from "./marked-block.ts";

const marks = { start: "# >>> x >>>", end: "# <<< x <<<" };
const LINES = ["one", "two"];
const BLOCK = "# >>> x >>>\none\ntwo\n# <<< x <<<\n";

test("a block goes to the end, on lines of its own", () => {
  expect(putBlock("", marks, LINES)).toBe(BLOCK);
  expect(putBlock("a\n", marks, LINES)).toBe(`a\n${BLOCK}`);
  expect(putBlock("a", marks, LINES)).toBe(`a\n${BLOCK}`);
});

test("a block that is there is renewed in its place", () => {
  const before = putBlock("a\n", marks, ["old"]);
  expect(putBlock(`${before}b\n`, marks, LINES)).toBe(`a\n${BLOCK}b\n`);
});

test("whatever the text, taking the block out gives every byte back", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", "\n", "#", "\r", " ") }), (text) => {
      const gap = text === "" || text.endsWith("\n") ? "theirs" : "ours";
      expect(takeBlock(putBlock(text, marks, LINES), marks, gap)).toBe(text);
    }),
  );
});

test("what was written after the block stays on a line of its own", () => {
  const text = `${putBlock("a", marks, LINES)}b\n`;
  expect(takeBlock(text, marks, "ours")).toBe("a\nb\n");
});

test("half a block is none", () => {
  const text = "a\n# >>> x >>>\nb\n";
  expect(hasBlock(text, marks)).toBe(false);
  expect(takeBlock(text, marks, "theirs")).toBe(text);
  expect(hasBlock("  # >>> x >>>\n# <<< x <<<\n", marks)).toBe(false);
});
