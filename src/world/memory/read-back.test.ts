import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder, testHost } from "../../../test/rig/host.ts";
import { readProgressTail } from "./progress-txt.ts";
import { learningsOf, readPatterns } from "./read-back.ts";

const entry = (n: number, ...learnings: string[]): string =>
  `---\nIteration: ${n}\nStory: S-${n} - x\nStatus: complete\nLearnings:\n${learnings
    .map((line) => `  - ${line}\n`)
    .join("")}Commit: abc\n\n`;

function read(text: string) {
  const path = join(newFolder(), "progress.txt");
  writeFileSync(path, text);
  return { patterns: readPatterns(testHost(), path), learnings: learningsOf(text) };
}

test("a file that is missing or empty says nothing", () => {
  expect(readPatterns(testHost(), "/nowhere/progress.txt")).toBe("");
  expect(read("")).toEqual({ patterns: "", learnings: [] });
});

test.each([
  ["## Codebase Patterns\n- use cents\n- no globals\n\n## Other\nx\n", "- use cents\n- no globals"],
  ["# Progress Log: shop\n\nPatterns:\n  - use cents\n", "- use cents"],
  [
    "## Codebase Patterns\n- use cents\n\n- and dates in UTC\n---\n",
    "- use cents\n\n- and dates in UTC",
  ],
])("the patterns at the top are read: %j", (top, patterns) => {
  expect(read(top + entry(1, "late")).patterns).toBe(patterns);
});

test("a section of that name inside an entry is none", () => {
  expect(read(`${entry(1, "a")}## Codebase Patterns\n- injected\n`).patterns).toBe("");
});

test("the last five learnings of all entries, each once, the newest last", () => {
  const text = entry(1, "a", "b") + entry(2, "c") + entry(3, "none", "a", "d", "e") + entry(4, "f");
  expect(read(text).learnings).toEqual(["c", "a", "d", "e", "f"]);
});

test("a learning on the line of its heading counts, files changed do not", () => {
  const text = "---\nIteration: 1\nFiles Changed:\n  - a.ts\nLearnings: use npm ci\nCommit: a\n";
  expect(read(text).learnings).toEqual(["use npm ci"]);
});

test("escape sequences and endless lines are tamed", () => {
  const [only = ""] = read(entry(1, `\u001B[31m${"x".repeat(5_000)}`)).learnings;
  expect(only.length).toBe(400);
  expect(only.startsWith("xxx")).toBe(true);
});

test("of twenty megabytes only the two ends are read", () => {
  const path = join(newFolder(), "progress.txt");
  const top = "## Codebase Patterns\n- use cents\n\n";
  writeFileSync(path, top + entry(1, "long ago").repeat(250_000) + entry(9, "just now"));
  const host = testHost();
  let bytes = 0;
  const readRange: typeof host.files.readRange = (file, offset, length) => {
    bytes += length;
    return host.files.readRange(file, offset, length);
  };
  const readText = (): never => {
    throw new Error("the whole file was read");
  };
  const counting = { ...host, files: { ...host.files, readRange, readText } };
  expect(readPatterns(counting, path)).toBe("- use cents");
  expect(learningsOf(readProgressTail(counting, path, 16 * 1024))).toEqual([
    "long ago",
    "just now",
  ]);
  expect(bytes).toBeLessThan(100 * 1024);
});
