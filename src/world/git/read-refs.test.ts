import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lines, type TestRepository, userRepository } from "../../../test/rig/repository.ts";
import type { Host } from "../host/host.ts";
import { findRepository } from "./find-repository.ts";
import { countLost, parseRefs, readRefs, renderRefs } from "./read-refs.ts";

function gits(it: TestRepository): Map<string, string> {
  const format = "--format=%(objectname) %(refname) %(symref)";
  const found = lines(it.git("for-each-ref", format, "refs/heads", "refs/tags"));
  return parseRefs(found.map((line) => line.trim()).join("\n"));
}

function read(it: TestRepository): Map<string, string> {
  return new Map(readRefs(it.host, it.repository()));
}

function tagged(): TestRepository {
  const it = userRepository();
  it.git("tag", "v1");
  it.git("tag", "-a", "v2", "-m", "Two", "other");
  it.git("branch", "deep/er/still", "other");
  return it;
}

test("branches and tags are read as git lists them, one by one or packed", () => {
  const it = tagged();
  expect(read(it)).toEqual(gits(it));
  expect(read(it).size).toBe(5);
  it.git("pack-refs", "--all");
  expect(read(it)).toEqual(gits(it));
  expect(read(it).size).toBe(5);
});

test("a ref of its own wins over the packed one, and a new packed file is seen", () => {
  const it = tagged();
  it.git("pack-refs", "--all");
  read(it);
  it.git("branch", "-f", "other", "main");
  it.git("tag", "-d", "v1");
  expect(read(it)).toEqual(gits(it));
  expect(read(it).get("refs/heads/other")).toBe(it.id("main"));
  expect(read(it).has("refs/tags/v1")).toBe(false);
});

test("what only names another ref is left out, also where a packed one has its name", () => {
  const it = tagged();
  it.git("pack-refs", "--all");
  it.git("symbolic-ref", "refs/heads/other", "refs/heads/main");
  it.git("symbolic-ref", "refs/heads/alias", "refs/heads/main");
  expect([...read(it).keys()].toSorted()).toEqual([
    "refs/heads/deep/er/still",
    "refs/heads/main",
    "refs/tags/v1",
    "refs/tags/v2",
  ]);
});

test("locks, broken files and other refs are passed over", () => {
  const it = tagged();
  const wanted = gits(it);
  it.git("update-ref", "refs/remotes/origin/main", "HEAD");
  it.git("update-ref", "refs/ralph/pin/key/one", "HEAD");
  it.git("pack-refs", "--all");
  const heads = join(it.tree, ".git", "refs", "heads");
  mkdirSync(heads, { recursive: true });
  writeFileSync(join(heads, "new.lock"), `${it.id("HEAD")}\n`);
  writeFileSync(join(heads, "empty"), "");
  writeFileSync(join(heads, ".hidden"), `${it.id("HEAD")}\n`);
  expect(read(it)).toEqual(wanted);
});

test("all working trees have the same refs", () => {
  const it = tagged();
  const elsewhere = join(it.folder, "elsewhere");
  it.git("worktree", "add", "-q", elsewhere, "other");
  const linked = findRepository(it.host, elsewhere);
  expect(linked === undefined ? undefined : readRefs(it.host, linked)).toEqual(gits(it));
});

test("a repository whose refs are not files has none", () => {
  const it = tagged();
  const git = join(it.tree, ".git");
  rmSync(join(git, "refs"), { recursive: true });
  mkdirSync(join(git, "refs"));
  writeFileSync(join(git, "refs", "heads"), "this repository uses the reftable format\n");
  expect(read(it)).toEqual(new Map());
});

test("no more than two thousand are read, and no other one counts as lost for that", () => {
  const it = tagged();
  const head = it.id("HEAD");
  const packed = Array.from({ length: 3_000 }, (_, n) => `${head} refs/heads/m-${n}\n`);
  writeFileSync(join(it.tree, ".git", "packed-refs"), packed.join(""));
  const refs = read(it);
  expect([refs.size, refs.get("refs/tags/v1")]).toEqual([2_000, head]);
  it.git("branch", "a-new-one");
  expect(countLost(it.host, it.repository(), refs)).toBe(0);
});

test("among too many files for one reading none counts as lost either", () => {
  const it = tagged();
  const head = it.id("HEAD");
  const heads = join(it.tree, ".git", "refs", "heads");
  for (let n = 0; n < 2_000; n++) writeFileSync(join(heads, `m-${n}`), `${head}\n`);
  const refs = read(it);
  for (let n = 0; n < 20; n++) writeFileSync(join(heads, `a-${n}`), `${head}\n`);
  expect([refs.size, countLost(it.host, it.repository(), refs)]).toEqual([2_000, 0]);
  rmSync(join(heads, "m-500"));
  expect(countLost(it.host, it.repository(), refs)).toBe(1);
});

test("refs that are gone, moved or names of others count as lost", () => {
  const it = tagged();
  it.git("branch", "alias", "other");
  const before = read(it);
  const lost = (): number => countLost(it.host, it.repository(), before);
  expect(lost()).toBe(0);
  it.git("pack-refs", "--all");
  it.git("branch", "new");
  expect(lost()).toBe(0);
  it.git("branch", "-f", "other", "main");
  expect(lost()).toBe(1);
  it.git("tag", "-d", "v2");
  it.git("branch", "-D", "deep/er/still");
  it.git("branch", "deep/er/still/er");
  it.git("symbolic-ref", "refs/heads/alias", "refs/heads/other");
  expect(lost()).toBe(4);
});

test("the packed file is read once as long as it stays", () => {
  const it = tagged();
  it.git("pack-refs", "--all");
  let reads = 0;
  const readRange: Host["files"]["readRange"] = (...args) => {
    reads += 1;
    return it.host.files.readRange(...args);
  };
  const host = { ...it.host, files: { ...it.host.files, readRange } };
  for (let i = 0; i < 3; i++) readRefs(host, it.repository());
  expect(reads).toBe(1);
  it.git("tag", "-d", "v1");
  expect(readRefs(host, it.repository()).has("refs/tags/v1")).toBe(false);
  expect(reads).toBe(2);
});

test("refs as a text are sorted and come back from it", () => {
  const [one, two] = ["1".repeat(40), "2".repeat(64)];
  const refs = new Map([
    ["refs/tags/v1", one],
    ["refs/heads/a", two],
  ]);
  expect(renderRefs(refs)).toBe(`${two} refs/heads/a\n${one} refs/tags/v1\n`);
  expect(parseRefs(renderRefs(refs))).toEqual(refs);
  expect(parseRefs(`# packed\n^${one}\nx refs/heads/b\n${one} HEAD\n`)).toEqual(new Map());
});
