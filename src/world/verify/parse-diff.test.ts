import fc from "fast-check";
import { expect, test } from "vitest";
import { parseDiff } from "./parse-diff.ts";

const text = (...lines: string[]): string => lines.map((line) => `${line}\n`).join("");

test("nothing is nothing", () => {
  expect(parseDiff("")).toEqual([]);
  expect(parseDiff("fatal: bad revision\n")).toEqual([]);
});

test("a changed, an added, a deleted and a renamed file are told apart", () => {
  const diff = text(
    "diff --git a/a.ts b/a.ts",
    "index 1..2 100644",
    "--- a/a.ts",
    "+++ b/a.ts",
    "@@ -2 +2,2 @@ function x() {",
    "-one",
    "+two",
    "+three",
    "@@ -9,2 +10,0 @@",
    "-four",
    "-five",
    "diff --git a/b.ts b/b.ts",
    "new file mode 100644",
    "index 0..2",
    "--- /dev/null",
    "+++ b/b.ts",
    "@@ -0,0 +1 @@",
    "+new",
    "diff --git a/c.ts b/c.ts",
    "deleted file mode 100644",
    "index 1..0",
    "--- a/c.ts",
    "+++ /dev/null",
    "@@ -1 +0,0 @@",
    "-gone",
    "diff --git a/from d.ts b/to d.ts",
    "similarity index 90%",
    "rename from from d.ts",
    "rename to to d.ts",
    "index 1..2 100644",
    "--- a/from d.ts\t",
    "+++ b/to d.ts\t",
    "@@ -1 +1 @@",
    "-x",
    "+y",
  );
  expect(parseDiff(diff)).toEqual([
    {
      path: "a.ts",
      oldPath: undefined,
      status: "changed",
      removed: ["one", "four", "five"],
      added: ["two", "three"],
    },
    { path: "b.ts", oldPath: undefined, status: "added", removed: [], added: ["new"] },
    { path: "c.ts", oldPath: undefined, status: "deleted", removed: ["gone"], added: [] },
    {
      path: "to d.ts",
      oldPath: "from d.ts",
      status: "renamed",
      removed: ["x"],
      added: ["y"],
    },
  ]);
});

test("a line that looks like the head of a file is a line", () => {
  const diff = text(
    "diff --git a/a.sql b/a.sql",
    "index 1..2 100644",
    "--- a/a.sql",
    "+++ b/a.sql",
    "@@ -1,2 +1,2 @@",
    "--- a/comment",
    "-@@ -1 +1 @@",
    "+++ b/comment",
    "+diff --git a/x b/x",
  );
  expect(parseDiff(diff)).toEqual([
    {
      path: "a.sql",
      oldPath: undefined,
      status: "changed",
      removed: ["-- a/comment", "@@ -1 +1 @@"],
      added: ["++ b/comment", "diff --git a/x b/x"],
    },
  ]);
});

test("a missing line end, carriage returns and context are no lines of their own", () => {
  const diff = text(
    "diff --git a/a.txt b/a.txt",
    "index 1..2 100644",
    "--- a/a.txt",
    "+++ b/a.txt",
    "@@ -1,4 +1,3 @@",
    " same",
    "",
    "-one\r",
    "-two",
    "\\ No newline at end of file",
    "+one",
    "\\ No newline at end of file",
  );
  expect(parseDiff(diff)).toEqual([
    {
      path: "a.txt",
      oldPath: undefined,
      status: "changed",
      removed: ["one", "two"],
      added: ["one"],
    },
  ]);
});

test("binary and empty files have no lines, and a changed mode alone is no change", () => {
  const diff = text(
    "diff --git a/a b.png b/a b.png",
    "index 1..2 100644",
    "Binary files a/a b.png and b/a b.png differ",
    "diff --git a/run.sh b/run.sh",
    "old mode 100644",
    "new mode 100755",
    "diff --git a/both.sh b/both.sh",
    "old mode 100644",
    "new mode 100755",
    "index 1..2",
    "--- a/both.sh",
    "+++ b/both.sh",
    "@@ -0,0 +1 @@",
    "+x",
    "diff --git a/empty b/empty",
    "deleted file mode 100644",
    "index e69de29..0000000",
  );
  expect(parseDiff(diff)).toEqual([
    { path: "a b.png", oldPath: undefined, status: "changed", removed: [], added: [] },
    { path: "both.sh", oldPath: undefined, status: "changed", removed: [], added: ["x"] },
    { path: "empty", oldPath: undefined, status: "deleted", removed: [], added: [] },
  ]);
});

test("a quoted path loses its quotes", () => {
  const diff = text(
    'diff --git "a/say \\"hi\\"\\t.ts" "b/say \\"hi\\"\\t.ts"',
    "deleted file mode 100644",
    "index e69de29..0000000",
    'diff --git "a/k\\303\\244se\\\\.ts" "b/k\\303\\244se\\\\.ts"',
    "index 1..2 100644",
    '--- "a/k\\303\\244se\\\\.ts"',
    '+++ "b/k\\303\\244se\\\\.ts"',
    "@@ -1 +0,0 @@",
    "-x",
  );
  expect(parseDiff(diff)).toEqual([
    { path: 'say "hi"\t.ts', oldPath: undefined, status: "deleted", removed: [], added: [] },
    { path: "käse\\.ts", oldPath: undefined, status: "changed", removed: ["x"], added: [] },
  ]);
});

test("whatever stands in the lines is given back as it is", () => {
  const line = fc
    .oneof(fc.string(), fc.constantFrom("-- a/x", "++ b/x", "diff --git a/x b/x", "@@ -1 +1 @@"))
    .filter((content) => !/[\n\r]/u.test(content));
  const lines = fc.array(line, { minLength: 1 });
  fc.assert(
    fc.property(lines, lines, (removed, added) => {
      const diff = text(
        "diff --git a/x b/x",
        "index 1..2 100644",
        "--- a/x",
        "+++ b/x",
        `@@ -1,${removed.length} +1,${added.length} @@`,
        ...removed.map((content) => `-${content}`),
        ...added.map((content) => `+${content}`),
      );
      expect(parseDiff(diff + diff)).toEqual(
        [0, 1].map(() => ({ path: "x", oldPath: undefined, status: "changed", removed, added })),
      );
    }),
  );
});
