import { expect, test } from "vitest";
import { parseDuration, renderDuration } from "./duration.ts";

test.each([
  ["90s", "m", 90_000],
  ["15m", "s", 900_000],
  ["2h", "s", 7_200_000],
  ["1d", "s", 86_400_000],
  ["250ms", "s", 250],
  ["15", "m", 900_000],
  ["15", "s", 15_000],
  ["1.5", "m", 90_000],
  ["0.5s", "m", 500],
  [" 3 m ", "s", 180_000],
] as const)("%j with bare unit %s is %i ms", (text, unit, ms) => {
  expect(parseDuration(text, unit)).toBe(ms);
});

test.each([
  "",
  "0",
  "0s",
  "-1m",
  "1w",
  "m",
  "1m30s",
  "1e3",
  "0x10",
  "NaN",
  "١",
  "1,5m",
  "99999999999999999d",
])("%j is no duration", (text) => {
  expect(parseDuration(text, "m")).toBeUndefined();
});

test.each([
  [-5, "0.0s"],
  [0, "0.0s"],
  [449, "0.4s"],
  [9_940, "9.9s"],
  [10_000, "10s"],
  [59_499, "59s"],
  [59_600, "1m 00s"],
  [200_000, "3m 20s"],
  [3_599_600, "1h 00m"],
  [3_900_000, "1h 05m"],
  [90_000_000, "25h 00m"],
])("%i ms reads %j", (ms, words) => {
  expect(renderDuration(ms)).toBe(words);
});
