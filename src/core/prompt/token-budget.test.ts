import fc from "fast-check";
import { estimateTokenCount } from "tokenx";
import { expect, test } from "vitest";
import { countTokens, fitTokens } from "./token-budget.ts";

test("a text that fits is left alone", () => {
  expect(fitTokens("a few words", 100, "start", "file")).toEqual({
    text: "a few words",
    tokens: countTokens("a few words"),
    cut: false,
  });
});

test("of a text that does not fit the chosen end is kept, with a note", () => {
  const text = Array.from({ length: 5000 }, (_, n) => `line ${n}`).join("\n");
  const start = fitTokens(text, 100, "start", "a.txt");
  expect(start.cut).toBe(true);
  expect(start.text).toMatch(/^line 0\nline 1\n[^]*\n\[cut to fit: the whole is in a\.txt\]$/u);
  const end = fitTokens(text, 100, "end", "a.txt");
  expect(end.text).toMatch(/^\[cut to fit: the whole is in a\.txt\]\n[^]*\nline 4999$/u);
});

test("what is shown is part of the text, within the budget, and said to be cut exactly when it is", () => {
  const text = fc
    .tuple(
      fc.array(fc.string({ unit: "grapheme", maxLength: 30 })),
      fc.integer({ min: 1, max: 300 }),
    )
    .map(([parts, times]) => parts.join("\n\n").repeat(times));
  fc.assert(
    fc.property(
      text,
      fc.integer({ min: 30, max: 2000 }),
      fc.constantFrom("start" as const, "end" as const),
      (whole, tokensMax, kept) => {
        const fitted = fitTokens(whole, tokensMax, kept, "x");
        expect(estimateTokenCount(fitted.text)).toBeLessThanOrEqual(tokensMax * 1.02 + 2);
        const shown = fitted.text.replace(/\n?\[cut to fit: the whole is in x\]\n?/u, "");
        expect(fitted.cut).toBe(fitted.text !== whole);
        expect(kept === "start" ? whole.startsWith(shown) : whole.endsWith(shown)).toBe(true);
      },
    ),
    { numRuns: 100 },
  );
});

test("a text of many megabytes costs no more than a long one", () => {
  const part = "ein langer Text ohne Ende, ".repeat(400_000);
  expect(fitTokens(part, 500, "start", "x").text.length).toBeLessThan(10_000);
  expect(fitTokens("x".repeat(10_000_000), 500, "end", "x").text.length).toBeLessThan(10_000);
});
