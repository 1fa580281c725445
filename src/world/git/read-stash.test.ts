import { join } from "node:path";
import { expect, test } from "vitest";
import { TestRepository, userRepository } from "../../../test/rig/repository.ts";
import { findRepository } from "./find-repository.ts";
import { readStash } from "./read-stash.ts";

test("the stash is read newest first, as git lists it", () => {
  const it = userRepository();
  expect(readStash(it.host, it.repository())).toEqual(it.stash());
  expect(it.stash()).toHaveLength(2);
});

test("there is none before the first entry and after the last", () => {
  const it = userRepository();
  it.git("stash", "clear");
  expect(readStash(it.host, it.repository())).toEqual([]);
  const fresh = new TestRepository();
  expect(readStash(fresh.host, fresh.repository())).toEqual([]);
});

test("no more than the newest twenty are read", () => {
  const it = userRepository();
  const [second = "", first = ""] = it.stash();
  for (let i = 0; i < 10; i++) {
    for (const id of [first, second]) it.git("stash", "store", "-m", `again\n${id}`, id);
  }
  expect(it.stash()).toHaveLength(22);
  expect(readStash(it.host, it.repository())).toEqual(it.stash().slice(0, 20));
});

test("all working trees of a repository have the same stash", () => {
  const it = userRepository();
  const elsewhere = join(it.tree, "..", "elsewhere");
  it.git("worktree", "add", "-q", elsewhere, "other");
  const linked = findRepository(it.host, elsewhere);
  expect(linked === undefined ? [] : readStash(it.host, linked)).toEqual(it.stash());
});
