import { expect, test } from "vitest";
import { renderTokens, renderUsd } from "./amounts.ts";

test.each([
  [0, "0 tokens"],
  [1, "1 token"],
  [999, "999 tokens"],
  [1_000, "1.0k tokens"],
  [12_345, "12.3k tokens"],
  [999_949, "999.9k tokens"],
  [999_950, "1.0M tokens"],
  [2_500_000, "2.5M tokens"],
])("%d tokens read %s", (tokens, words) => {
  expect(renderTokens(tokens)).toBe(words);
});

test.each([
  [0, "$0.00"],
  [0.0042, "$0.0042"],
  [0.01, "$0.01"],
  [12.345, "$12.35"],
])("%d dollars read %s", (usd, words) => {
  expect(renderUsd(usd)).toBe(words);
});
