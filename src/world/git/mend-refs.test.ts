import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lines, type TestRepository, userRepository } from "../../../test/rig/repository.ts";
import type { MendOrder, MendResult } from "./mend-order.ts";
import { mendRepository } from "./mend-repository.ts";
import { readRefs } from "./read-refs.ts";

const KEEP = "20261115T073200Z-k3f9-3";
const ASIDE = `refs/ralph/aside/${KEEP}-refs`;
const KEPT = `refs/ralph/kept/${KEEP}-refs`;

interface Scene {
  readonly it: TestRepository;
  readonly order: MendOrder;
}

/** The tag `v1`, the annotated tag `v2`, and the branches `other` and `old`, which main has passed. */
function scene(prepare: (it: TestRepository) => void = () => undefined): Scene {
  const it = userRepository();
  it.git("tag", "v1");
  it.git("tag", "-a", "v2", "-m", "Two", "other");
  it.git("branch", "old", "main~2");
  prepare(it);
  const order = { ...it.order(), refs: readRefs(it.host, it.repository()) };
  it.startAgent();
  return { it, order };
}

/** Mends, and makes sure that a second call finds nothing to do. */
async function mend({ it, order }: Scene): Promise<MendResult> {
  const result = await mendRepository(it.host, it.repository(), order);
  const state = [it.refs(), it.git("status", "--porcelain")];
  const again = await mendRepository(it.host, it.repository(), order);
  expect(again).toEqual({ did: [], problem: result.problem });
  expect([it.refs(), it.git("status", "--porcelain")]).toEqual(state);
  return result;
}

test("branches and tags that the agent removed are there again", async () => {
  const on = scene();
  const before = on.it.refs();
  on.it.git("branch", "-D", "other", "old");
  on.it.git("tag", "-d", "v1");
  on.it.git("update-ref", "-d", "refs/tags/v2");
  expect(await mend(on)).toEqual({
    did: [
      "The agent had removed 4 branches and tags (branch old, branch other, tag v1, tag v2); they are back where they were.",
    ],
    problem: undefined,
  });
  expect(on.it.refs()).toBe(before);
});

test("what the agent made itself stays, also under a new name for what it renamed", async () => {
  const on = scene();
  const before = on.it.refs();
  on.it.git("branch", "-m", "other", "mine");
  on.it.git("tag", "v3");
  expect(await mend(on)).toEqual({
    did: ["The agent had removed branch other; it is back where it was."],
    problem: undefined,
  });
  const made = lines(on.it.refs()).filter((line) => !before.includes(line));
  expect(made.map((line) => line.split(" ")[0])).toEqual(["refs/heads/mine", "refs/tags/v3"]);
});

test("a branch that only grew is left alone", async () => {
  const on = scene();
  on.it.git("branch", "-f", "old", "main");
  const before = on.it.refs();
  expect(await mend(on)).toEqual({ did: [], problem: undefined });
  expect(on.it.refs()).toBe(before);
});

test("a branch that was taken off its commits is put back, and the agent's tip is kept", async () => {
  const on = scene();
  const tip = on.it.id("other");
  on.it.git("branch", "-f", "other", "main");
  expect(await mend(on)).toEqual({
    did: [
      "The agent had moved branch other elsewhere; it is back where it was.",
      `What it was moved to is kept as ${ASIDE}/heads/other.`,
    ],
    problem: undefined,
  });
  expect([on.it.id("other"), on.it.id(`${ASIDE}/heads/other`)]).toEqual([tip, on.it.id("main")]);
});

test("a branch that the agent rewrote and left checked out is put back once it is free", async () => {
  const on = scene();
  const tip = on.it.id("other");
  on.it.git("checkout", "-q", "other");
  on.it.git("commit", "-q", "--amend", "-m", "Mine");
  const mine = on.it.id("other");
  expect((await mend(on)).problem).toBeUndefined();
  expect([on.it.branch(), on.it.id("other"), on.it.unreachable([mine])]).toEqual([
    "refs/heads/main",
    tip,
    [],
  ]);
});

test("tags that moved are put back, and with them the object of an annotated one", async () => {
  const on = scene();
  const before = [on.it.id("refs/tags/v1"), on.it.id("refs/tags/v2")];
  on.it.git("tag", "-f", "v1", "other");
  on.it.git("tag", "-f", "-a", "v2", "-m", "Mine", "main");
  const mine = on.it.id("refs/tags/v2");
  const { did, problem } = await mend(on);
  expect([did[0], problem]).toEqual([
    "The agent had moved 2 branches and tags (tag v1, tag v2) elsewhere; they are back where they were.",
    undefined,
  ]);
  expect([on.it.id("refs/tags/v1"), on.it.id("refs/tags/v2")]).toEqual(before);
  expect(on.it.id(`${ASIDE}/tags/v2`)).toBe(mine);
});

test("a branch that another working tree has checked out is not moved under it", async () => {
  const on = scene((it) => {
    it.git("worktree", "add", "-q", join(it.folder, "elsewhere"), "other");
  });
  const tip = on.it.id("other");
  on.it.git("update-ref", "refs/heads/other", "main");
  expect(await mend(on)).toEqual({
    did: [
      `The agent had moved or removed 1 branch or tag that could not be put back; what was there is kept as ${KEPT}/heads/other.`,
    ],
    problem: undefined,
  });
  expect([on.it.id("other"), on.it.id(`${KEPT}/heads/other`)]).toEqual([on.it.id("main"), tip]);
});

test("one that another working tree had checked out when it was removed is put back", async () => {
  const on = scene((it) => {
    it.git("worktree", "add", "-q", join(it.folder, "elsewhere"), "other");
  });
  const before = on.it.refs();
  on.it.git("update-ref", "-d", "refs/heads/other");
  expect((await mend(on)).problem).toBeUndefined();
  expect(on.it.refs()).toBe(before);
  expect(on.it.git("-C", join(on.it.folder, "elsewhere"), "status", "--porcelain")).toBe("");
});

test("where the agent's refs are in the way, the old commits are kept and the others put back", async () => {
  const on = scene();
  const tip = on.it.id("other");
  on.it.git("branch", "-D", "other", "old");
  on.it.git("branch", "other/mine");
  expect(await mend(on)).toEqual({
    did: [
      "The agent had removed branch old; it is back where it was.",
      `The agent had moved or removed 1 branch or tag that could not be put back; what was there is kept as ${KEPT}/heads/other.`,
    ],
    problem: undefined,
  });
  expect([on.it.id(`${KEPT}/heads/other`), on.it.id("old")]).toEqual([tip, on.it.id("main~2")]);
});

test("a branch that the agent broke, or made a name of another, is kept", async () => {
  const on = scene();
  const [other, old] = [on.it.id("other"), on.it.id("old")];
  on.it.git("symbolic-ref", "refs/heads/other", "refs/heads/main");
  writeFileSync(join(on.it.tree, ".git", "refs", "heads", "old"), "no id\n");
  expect((await mend(on)).problem).toBeUndefined();
  expect([on.it.id(`${KEPT}/heads/other`), on.it.id(`${KEPT}/heads/old`)]).toEqual([other, old]);
});

test("the run's own branch and its kept head do not stand in the way of the others", async () => {
  const on = scene();
  const [head, tip] = [on.order.head, on.it.id("other")];
  on.it.git("branch", "-f", "other", "main~1");
  on.it.git("reset", "-q", "--soft", "HEAD~2");
  on.it.git("commit", "-q", "-m", "All in one");
  const { problem } = await mend(on);
  expect(problem).toBeUndefined();
  expect([on.it.id("main"), on.it.id("other")]).toEqual([head, tip]);
  const kept = lines(on.it.refs()).filter((line) => line.startsWith("refs/ralph/"));
  expect(kept.map((line) => line.split(" ")[0])).toEqual([
    `refs/ralph/aside/${KEEP}`,
    `${ASIDE}/heads/other`,
    `refs/ralph/kept/${KEEP}`,
  ]);
});

test("a name that is taken is not given to another commit", async () => {
  const on = scene((it) => it.git("update-ref", `${ASIDE}/heads/other`, "old"));
  on.it.git("branch", "-f", "other", "main");
  const { did } = await mend(on);
  expect(did[1]).toBe(`What it was moved to is kept as ${ASIDE}-2/heads/other.`);
  expect(on.it.id(`${ASIDE}/heads/other`)).toBe(on.it.id("old"));
});

test("in the middle of a merge branches and tags are put back all the same", async () => {
  const on = scene();
  const before = on.it.refs();
  on.it.git("stash", "push", "-q");
  on.it.git("merge", "-q", "--no-ff", "--no-commit", "other");
  on.it.git("branch", "-D", "old");
  const result = await mendRepository(on.it.host, on.it.repository(), on.order);
  expect(result.did).toContain("The agent had removed branch old; it is back where it was.");
  expect(result.problem).toContain("the agent left a merge in progress");
  expect(lines(on.it.refs()).filter((line) => !line.startsWith("refs/stash"))).toEqual(
    lines(before).filter((line) => !line.startsWith("refs/stash")),
  );
});

test("hooks of the project have no say in it", async () => {
  const on = scene();
  const before = on.it.refs();
  on.it.git("branch", "-D", "other");
  const hook = join(on.it.tree, ".git", "hooks", "reference-transaction");
  writeFileSync(hook, "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  expect((await mend(on)).problem).toBeUndefined();
  expect(on.it.refs()).toBe(before);
});

test("hundreds that were removed are put back at once", async () => {
  const on = scene((it) => {
    const head = it.id("HEAD");
    const many = Array.from({ length: 600 }, (_, n) => `create refs/heads/m-${n} ${head}\n`);
    it.feed(many.join(""), "update-ref", "--stdin");
  });
  const before = on.it.refs();
  const names = [...(on.order.refs?.keys() ?? [])].filter((name) => name !== "refs/heads/main");
  on.it.feed(names.map((name) => `delete ${name}\n`).join(""), "update-ref", "--stdin");
  expect(await mend(on)).toEqual({
    did: [
      "The agent had removed 604 branches and tags (branch m-0, branch m-1, branch m-10, branch m-100, branch m-101 and 599 more); they are back where they were.",
    ],
    problem: undefined,
  });
  expect(on.it.refs()).toBe(before);
}, 30_000);

test("of more than two hundred that moved the first are put back and the commits of all are kept", async () => {
  const on = scene((it) => {
    const id = it.id("other");
    const many = Array.from({ length: 230 }, (_, n) => `create refs/tags/m-${n} ${id}\n`);
    it.feed(many.join(""), "update-ref", "--stdin");
  });
  const [was, is] = [on.it.id("other"), on.it.id("main")];
  const moved = Array.from({ length: 230 }, (_, n) => `update refs/tags/m-${n} ${is} ${was}\n`);
  on.it.feed(moved.join(""), "update-ref", "--stdin");
  const result = await mendRepository(on.it.host, on.it.repository(), on.order);
  expect([result.did.length, result.problem]).toEqual([3, undefined]);
  const tags = lines(on.it.git("for-each-ref", "--format=%(objectname)", "refs/tags/m-*"));
  const kept = lines(on.it.git("for-each-ref", "--format=%(objectname)", KEPT));
  expect([tags.filter((id) => id === was).length, kept]).toEqual([
    200,
    Array.from({ length: 30 }, () => was),
  ]);
}, 30_000);
