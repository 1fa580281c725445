import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder, NOW, testHost } from "../../../test/rig/host.ts";
import { TaskId } from "../../core/schema/ids.ts";
import {
  appendEntry,
  readNewEntries,
  hasOwnEntry,
  progressSize,
  readProgressTail,
} from "./progress-txt.ts";

const host = testHost();
const entry = {
  task: { id: TaskId.parse("A"), title: "first" },
  status: "rejected",
  files: ["src/a.ts"],
  learnings: ['the gate "tests"\n  fails'],
};
const place = (n: number) => ({ feature: "shop", iteration: n, iterationId: `run/${n}`, at: NOW });
const newFile = (): string => join(newFolder(), "progress.txt");

test("a new file gets a heading, and an entry all that is known", () => {
  const path = newFile();
  appendEntry(host, path, { ...entry, commit: "abc" }, place(1));
  expect(readFileSync(path, "utf8")).toBe(`# Progress Log: shop
# Started: 2026-11-15T07:32:00Z

---
Iteration: 1
Date: 2026-11-15T07:32:00Z
Story: A - first
Status: rejected
Files Changed:
  - src/a.ts
Learnings:
  - the gate "tests" fails
Commit: abc
Run: run/1
`);
});

test("what is there stays as it is, also without a last line end", () => {
  const path = newFile();
  writeFileSync(path, "# mine\r\nno end of line");
  appendEntry(host, path, { status: "no-op", files: [], learnings: [] }, place(2));
  const text = readFileSync(path, "utf8");
  expect(text.startsWith("# mine\r\nno end of line\n\n---\nIteration: 2\n")).toBe(true);
  expect(text).toContain("Story: N/A\n");
});

test("an entry of ours is found again by its iteration, and by no other", () => {
  const path = newFile();
  expect(hasOwnEntry(host, path, "run/1")).toBe(false);
  appendEntry(host, path, entry, place(1));
  expect(hasOwnEntry(host, path, "run/1")).toBe(true);
  expect(hasOwnEntry(host, path, "run/11")).toBe(false);
  expect(hasOwnEntry(host, path, "run")).toBe(false);
});

test("an entry that an agent appended is noticed; other changes are not taken for one", () => {
  const path = newFile();
  appendEntry(host, path, entry, place(1));
  const before = progressSize(host, path);
  expect(readNewEntries(host, path, before)).toEqual({ entry: false, closing: false });
  writeFileSync(path, "some words\n", { flag: "a" });
  expect(readNewEntries(host, path, before)).toEqual({ entry: false, closing: false });
  writeFileSync(path, "---\nIteration: 2\n", { flag: "a" });
  expect(readNewEntries(host, path, before)).toEqual({ entry: true, closing: false });
  expect(readNewEntries(host, newFile(), 0)).toEqual({ entry: false, closing: false });
});

test("a closing entry says that all is complete, and is noticed when an agent wrote it", () => {
  const path = newFile();
  const before = progressSize(host, path);
  const closing = { status: "ALL STORIES COMPLETE", files: [], learnings: [], output: "DONE" };
  appendEntry(host, path, closing, { ...place(4), iterationId: "run/4/closing" });
  expect(readFileSync(path, "utf8")).toContain(`---
Iteration: 4
Date: 2026-11-15T07:32:00Z
Story: N/A - All complete
Status: ALL STORIES COMPLETE
Output: DONE
Run: run/4/closing
`);
  expect(readNewEntries(host, path, before)).toEqual({ entry: true, closing: true });
  expect(hasOwnEntry(host, path, "run/4/closing")).toBe(true);
  expect(hasOwnEntry(host, path, "run/4")).toBe(false);
});

test("of a long file the end is read, from the first whole entry in it", () => {
  const path = newFile();
  for (let n = 1; n <= 200; n++) appendEntry(host, path, entry, place(n));
  const tail = readProgressTail(host, path, 2_000);
  expect(tail.length).toBeLessThanOrEqual(2_000);
  expect(tail.startsWith("---\nIteration: ")).toBe(true);
  expect(tail.endsWith("Run: run/200\n")).toBe(true);
  expect(hasOwnEntry(host, path, "run/200")).toBe(true);
  expect(readProgressTail(host, newFile(), 100)).toBe("");
});
