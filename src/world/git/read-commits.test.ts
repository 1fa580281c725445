import { expect, test } from "vitest";
import { TestRepository } from "../../../test/rig/repository.ts";
import type { Host } from "../host/host.ts";
import { readCommits } from "./read-commits.ts";

/** The same host, and how many processes it has started. */
function counting(host: Host): { host: Host; started: () => number } {
  let count = 0;
  const start: Host["processes"]["start"] = (...args) => {
    count += 1;
    return host.processes.start(...args);
  };
  return { host: { ...host, processes: { ...host.processes, start } }, started: () => count };
}

test("new commits and their files are told with one process, and none was dropped", async () => {
  const it = new TestRepository();
  const from = it.commit("old.txt");
  it.commit("a b.txt");
  const to = it.commit("new.txt");
  const { host, started } = counting(it.host);
  expect(await readCommits(host, it.tree, from, to)).toEqual({
    count: 2,
    files: ["new.txt", "a b.txt"],
    dropped: 0,
  });
  expect(started()).toBe(1);
});

test("without a commit before, all there are count", async () => {
  const it = new TestRepository();
  it.commit("one.txt");
  const to = it.commit("two.txt");
  const found = await readCommits(it.host, it.tree, undefined, to);
  expect(found).toEqual({ count: 2, files: ["two.txt", "one.txt"], dropped: 0 });
});

test("dropped commits are counted, and their files are nobody's", async () => {
  const it = new TestRepository();
  it.commit("base.txt");
  it.commit("gone-one.txt");
  const from = it.commit("gone-two.txt");
  it.git("reset", "-q", "--hard", "HEAD~2");
  const back = it.id("HEAD");
  const to = it.commit("new.txt");
  const { host, started } = counting(it.host);
  expect(await readCommits(host, it.tree, from, to)).toEqual({
    count: 1,
    files: ["new.txt"],
    dropped: 2,
  });
  expect(started()).toBe(1);
  expect(await readCommits(host, it.tree, from, back)).toEqual({ count: 0, files: [], dropped: 2 });
});

test("histories that have nothing in common are told apart", async () => {
  const it = new TestRepository();
  it.commit("one.txt");
  const from = it.commit("two.txt");
  it.git("checkout", "-q", "--orphan", "fresh");
  it.git("rm", "-q", "-rf", ".");
  const to = it.commit("new.txt");
  const found = await readCommits(it.host, it.tree, from, to);
  expect(found).toEqual({ count: 1, files: ["new.txt"], dropped: 2 });
});

test("a commit that is gone from the repository was dropped", async () => {
  const it = new TestRepository();
  const to = it.commit("new.txt");
  const found = await readCommits(it.host, it.tree, "1".repeat(40), to);
  expect(found).toEqual({ count: 1, files: ["new.txt"], dropped: 1 });
});

test("dropped commits are not hidden by many new ones", async () => {
  const it = new TestRepository();
  const base = it.commit("base.txt");
  const from = it.commit("gone.txt");
  it.git("reset", "-q", "--hard", base);
  const history = Array.from({ length: 501 }, (_, n) =>
    [
      "commit refs/heads/long",
      `mark :${n + 1}`,
      `committer Somebody <somebody@example.org> ${2_000_000_000 + n} +0000`,
      "data 3",
      "New",
      `from ${n === 0 ? base : `:${n}`}`,
      "",
    ].join("\n"),
  );
  it.feed(history.join("\n"), "fast-import", "--quiet");
  const to = it.id("long");
  const found = await readCommits(it.host, it.tree, from, to);
  expect(found).toEqual({ count: 200, files: [], dropped: 1 });
});
