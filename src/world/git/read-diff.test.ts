import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { newFolder, testHost } from "../../../test/rig/host.ts";
import { readDiff, readTexts } from "./read-diff.ts";

/** A repository with these files in its only commit. */
function repository(files: Readonly<Record<string, string>>) {
  const tree = newFolder();
  const env = { PATH: process.env["PATH"] ?? "", HOME: join(tree, "no-home") };
  const identity = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org"];
  const git = (...args: string[]): string =>
    execFileSync("git", [...identity, ...args], { cwd: tree, env, encoding: "utf8" }).trim();
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  };
  git("init", "-q", "-b", "main");
  for (const [path, text] of Object.entries(files)) write(path, text);
  git("add", "--all");
  git("commit", "-q", "-m", "first");
  const base = git("rev-parse", "HEAD");
  const host = testHost({ env });
  const diff = async (...paths: string[]): Promise<string[]> =>
    (await readDiff(host, tree, base, paths))
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("index "));
  return { tree, host, base, git, write, diff };
}

const hundred = (word: string): string =>
  Array.from({ length: 100 }, (_, n) => `${word} ${n}\n`).join("");

test("committed, staged and unsaved changes since the commit are one diff, of the named paths only", async () => {
  const { git, write, diff } = repository({
    "a.txt": "one\ntwo\n",
    "b.txt": "b\n",
    "c.txt": "c\n",
  });
  write("a.txt", "one\n2\n");
  git("commit", "-q", "-a", "-m", "second");
  write("a.txt", "one\n2\nthree\n");
  write("b.txt", "B\n");
  git("add", "b.txt");
  write("c.txt", "C\n");
  expect(await diff("a.txt", "b.txt")).toEqual([
    "diff --git a/a.txt b/a.txt",
    "--- a/a.txt",
    "+++ b/a.txt",
    "@@ -2 +2,2 @@ one",
    "-two",
    "+2",
    "+three",
    "diff --git a/b.txt b/b.txt",
    "--- a/b.txt",
    "+++ b/b.txt",
    "@@ -1 +1 @@",
    "-b",
    "+B",
  ]);
});

test("a rename whose both paths are named is a rename", async () => {
  const { git, diff } = repository({ "old.txt": hundred("line") });
  git("mv", "old.txt", "new.txt");
  expect(await diff("old.txt", "new.txt")).toEqual([
    "diff --git a/old.txt b/new.txt",
    "similarity index 100%",
    "rename from old.txt",
    "rename to new.txt",
  ]);
});

test("a file that moved to a place git does not track looks deleted, and its text is read apart", async () => {
  const { tree, host, diff } = repository({ "old.txt": "one\n" });
  renameSync(join(tree, "old.txt"), join(tree, "new.txt"));
  expect(await diff("old.txt", "new.txt")).toEqual([
    "diff --git a/old.txt b/old.txt",
    "deleted file mode 100644",
    "--- a/old.txt",
    "+++ /dev/null",
    "@@ -1 +0,0 @@",
    "-one",
  ]);
  mkdirSync(join(tree, "folder"));
  writeFileSync(join(tree, "binary"), "a\0b");
  expect(readTexts(host, tree, ["new.txt", "gone.txt", "folder", "binary"])).toEqual([
    { path: "new.txt", text: "one\n" },
  ]);
});

test("no configuration and no attribute of the user's changes the form", async () => {
  const { git, write, diff } = repository({
    "käse.txt": "one\n",
    ".gitattributes": "*.txt -diff\n",
  });
  for (const [name, value] of [
    ["diff.noprefix", "true"],
    ["diff.mnemonicPrefix", "true"],
    ["diff.external", "false"],
    ["diff.context", "9"],
    ["diff.interHunkContext", "9"],
    ["color.ui", "always"],
    ["core.quotePath", "true"],
  ] as const) {
    git("config", name, value);
  }
  write("käse.txt", "two\n");
  expect(await diff("käse.txt")).toEqual([
    "diff --git a/käse.txt b/käse.txt",
    "--- a/käse.txt",
    "+++ b/käse.txt",
    "@@ -1 +1 @@",
    "-one",
    "+two",
  ]);
});

test("of a binary or huge file only the head is kept", async () => {
  const { tree, write, diff } = repository({ "a.bin": "a\0\n", "b.txt": "b\n", "c.txt": "c\n" });
  rmSync(join(tree, "a.bin"));
  write("b.txt", "long line\n".repeat(200_000));
  write("c.txt", "C\n");
  expect(await diff("a.bin", "b.txt", "c.txt")).toEqual([
    "diff --git a/a.bin b/a.bin",
    "deleted file mode 100644",
    "--- a/a.bin",
    "+++ /dev/null",
    "diff --git a/b.txt b/b.txt",
    "--- a/b.txt",
    "+++ b/b.txt",
    "diff --git a/c.txt b/c.txt",
    "--- a/c.txt",
    "+++ b/c.txt",
    "@@ -1 +1 @@",
    "-c",
    "+C",
  ]);
});

test("nothing is said without a path, with an unknown commit, or where there is no repository", async () => {
  const { host, tree, write, base } = repository({ "a.txt": "one\n" });
  write("a.txt", "two\n");
  expect(await readDiff(host, tree, base, [])).toBe("");
  expect(await readDiff(host, tree, "0".repeat(40), ["a.txt"])).toBe("");
  expect(await readDiff(host, newFolder(), base, ["a.txt"])).toBe("");
});

test("a path is taken as it is, and of very many the first are looked at", async () => {
  const { write, diff } = repository({ "*.txt": "one\n", "a.txt": "one\n" });
  write("*.txt", "two\n");
  write("a.txt", "two\n");
  const many = Array.from({ length: 5_000 }, (_, n) => `${"x".repeat(150)}${n}`);
  expect((await diff("*.txt", ...many, "a.txt"))[0]).toBe("diff --git a/*.txt b/*.txt");
  expect((await diff("*.txt")).length).toBe(6);
});
