import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TestRepository, userRepository } from "../../../test/rig/repository.ts";
import type { MendOrder, MendResult } from "./mend-order.ts";
import { mendRepository } from "./mend-repository.ts";

const KEEP = "20261115T073200Z-k3f9-3";
const ASIDE = `refs/ralph/aside/${KEEP}`;
const KEPT = `refs/ralph/kept/${KEEP}`;

interface Scene {
  readonly it: TestRepository;
  readonly order: MendOrder;
  readonly head: string;
}

function scene(): Scene {
  const it = userRepository();
  const order = it.order();
  it.startAgent();
  return { it, order, head: order.head ?? "" };
}

async function mend({ it, order }: Pick<Scene, "it" | "order">): Promise<MendResult> {
  return await mendRepository(it.host, it.repository(), order);
}

/** What of the user's is not in a commit, and how git sees it. */
function users(it: TestRepository): Record<string, string | undefined> {
  const names = ["dirty.txt", "staged.txt", "untracked.txt", "ignored.txt"];
  const files = names.map((name) => [name, it.read(name)] as const);
  return { ...Object.fromEntries(files), status: it.git("status", "--porcelain") };
}

/** Mends, and makes sure that a second call finds nothing to do. */
async function mendOnce(on: Scene): Promise<MendResult> {
  const result = await mend(on);
  const state = [on.it.refs(), on.it.stash(), users(on.it)];
  const again = await mend(on);
  expect(
    again.did.filter((said) => !said.includes("in the stash, which nobody has touched")),
  ).toEqual([]);
  expect([on.it.refs(), on.it.stash(), users(on.it)]).toEqual(state);
  return result;
}

test("an agent that only committed leaves nothing to mend", async () => {
  const on = scene();
  on.it.commit("new.txt");
  on.it.commit("newer.txt");
  const before = [on.it.refs(), users(on.it)];
  expect(await mend(on)).toEqual({ did: [], problem: undefined });
  expect([on.it.refs(), users(on.it)]).toEqual(before);
});

test("an agent may amend its own commit without a word being said", async () => {
  const on = scene();
  on.it.commit("new.txt");
  on.it.git("commit", "-q", "--amend", "-m", "Better");
  const before = on.it.refs();
  expect(await mend(on)).toEqual({ did: [], problem: undefined });
  expect(on.it.refs()).toBe(before);
});

test("the branch follows work that was done on a new branch, and the tree is not touched", async () => {
  const on = scene();
  on.it.git("config", "branch.main.remote", "origin");
  on.it.git("config", "branch.main.merge", "refs/heads/main");
  on.it.git("config", "branch.autoSetupMerge", "always");
  on.it.git("checkout", "-q", "-b", "agent/work");
  const work = on.it.commit("new.txt");
  const before = users(on.it);
  const config = on.it.git("config", "--local", "--list");
  expect(await mendOnce(on)).toEqual({
    did: [
      "The agent had left branch agent/work checked out; main is checked out again, and moved forward to the work done there.",
    ],
    problem: undefined,
  });
  expect([on.it.branch(), on.it.id("main"), on.it.id("agent/work")]).toEqual([
    "refs/heads/main",
    work,
    work,
  ]);
  expect(users(on.it)).toEqual(before);
  expect(on.it.git("config", "--local", "--list")).toBe(config);
});

test("the branch follows work that was done on a detached HEAD, whatever the hooks say", async () => {
  const on = scene();
  on.it.git("checkout", "-q", "--detach");
  const work = on.it.commit("new.txt");
  for (const hook of ["post-checkout", "reference-transaction"]) {
    const path = join(on.it.tree, ".git", "hooks", hook);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  }
  const { problem } = await mend(on);
  expect([problem, on.it.branch(), on.it.id("main")]).toEqual([undefined, "refs/heads/main", work]);
});

test("another line of the user's work is not taken into the branch because the agent looked at it", async () => {
  const on = scene();
  on.it.git("branch", "ahead", "main");
  on.it.git("stash", "push", "-q", "-u", "-a");
  on.it.git("checkout", "-q", "other");
  const before = on.it.refs();
  const result = await mendOnce(on);
  expect(result.problem).toBeUndefined();
  expect([on.it.branch(), on.it.refs()]).toEqual(["refs/heads/main", before]);
});

test("a branch of the user's that is ahead is not taken in either", async () => {
  const it = userRepository();
  it.git("checkout", "-q", "-b", "ahead");
  it.commit("ahead.txt");
  it.git("checkout", "-q", "main");
  const order = it.order();
  it.startAgent();
  it.git("checkout", "-q", "ahead");
  const before = [it.refs(), users(it)];
  const result = await mendOnce({ it, order, head: order.head ?? "" });
  expect(result).toEqual({
    did: ["The agent had left branch ahead checked out; main is checked out again."],
    problem: undefined,
  });
  expect([it.branch(), it.refs(), users(it)]).toEqual(["refs/heads/main", ...before]);
});

test("work on a branch that went its own way stays there", async () => {
  const on = scene();
  on.it.git("checkout", "-q", "other");
  const work = on.it.commit("new.txt");
  const before = users(on.it);
  expect((await mendOnce(on)).problem).toBeUndefined();
  expect([on.it.branch(), on.it.id("main"), on.it.id("other")]).toEqual([
    "refs/heads/main",
    on.head,
    work,
  ]);
  expect(users(on.it)).toEqual(before);
});

test("commits of a detached HEAD that went its own way are kept aside", async () => {
  const on = scene();
  on.it.git("checkout", "-q", "--detach", "other");
  const work = on.it.commit("new.txt");
  const before = users(on.it);
  expect(await mendOnce(on)).toEqual({
    did: [
      `Kept 1 commit of which no branch would know any more as ${ASIDE}.`,
      "The agent had left a detached HEAD checked out; main is checked out again.",
    ],
    problem: undefined,
  });
  expect([on.it.branch(), on.it.id("main"), on.it.id(ASIDE)]).toEqual([
    "refs/heads/main",
    on.head,
    work,
  ]);
  expect(users(on.it)).toEqual(before);
});

test("commits of a detached HEAD that the agent itself went away from are kept aside too", async () => {
  const on = scene();
  on.it.git("checkout", "-q", "--detach");
  const work = on.it.commit("new.txt");
  on.it.git("checkout", "-q", "main");
  expect((await mendOnce(on)).problem).toBeUndefined();
  expect(on.it.id(ASIDE)).toBe(work);
});

test("a branch that git refuses to leave is a problem with its commands, and nothing changes", async () => {
  const on = scene();
  on.it.git("checkout", "-q", "other");
  on.it.write("other-one.txt", "changed but not committed");
  const before = [on.it.refs(), users(on.it), on.it.branch()];
  const result = await mendOnce(on);
  expect(result.did).toEqual([]);
  expect(result.problem).toContain(
    "git stash push --include-untracked && git switch main && git stash pop",
  );
  expect([on.it.refs(), users(on.it), on.it.branch()]).toEqual(before);
  expect(on.it.read("other-one.txt")).toBe("changed but not committed");
});

test("an ignored file of the user's is not overwritten on the way back", async () => {
  const it = userRepository();
  it.commit(".gitignore", "ignored.txt\none.txt\n");
  const order = it.order();
  it.startAgent();
  it.git("rm", "-q", "one.txt");
  it.git("commit", "-q", "--amend", "-m", "Out of it", "--", "one.txt");
  it.write("one.txt", "ignored now, and of value");
  const result = await mendOnce({ it, order, head: order.head ?? "" });
  expect(it.read("one.txt")).toBe("ignored now, and of value");
  expect(result.problem).toContain(`git reset --keep ${order.head}`);
  expect(it.id(KEPT)).toBe(order.head);
});

test("an amended commit of the user's comes back, and the agent's is kept aside", async () => {
  const on = scene();
  on.it.write("one.txt", "amended");
  on.it.git("commit", "-q", "--amend", "-m", "Mine now", "--", "one.txt");
  const theirs = on.it.id("HEAD");
  const before = users(on.it);
  expect(await mendOnce(on)).toEqual({
    did: [
      `Kept 1 commit of which no branch would know any more as ${ASIDE}.`,
      `The agent had taken commits out of branch main; it is back at ${on.head.slice(0, 10)}.`,
    ],
    problem: undefined,
  });
  expect([on.it.branch(), on.it.id("main"), on.it.id(ASIDE), on.it.id(KEPT)]).toEqual([
    "refs/heads/main",
    on.head,
    theirs,
    on.head,
  ]);
  expect(users(on.it)).toEqual(before);
  expect(on.it.read("one.txt")).toBe("one.txt");
});

test("commits that were reset away come back", async () => {
  const on = scene();
  on.it.git("reset", "-q", "--keep", "HEAD~2");
  expect((await mendOnce(on)).problem).toBeUndefined();
  expect([on.it.branch(), on.it.id("main"), on.it.id(KEPT)]).toEqual([
    "refs/heads/main",
    on.head,
    on.head,
  ]);
  expect(on.it.read("untracked.txt")).toBe("the user's new file");
});

test("a reset that would cost changes is left to a person, and the old tip lives on", async () => {
  const on = scene();
  on.it.git("reset", "-q", "--soft", "HEAD~3");
  on.it.git("reset", "-q");
  const before = users(on.it);
  const result = await mendOnce(on);
  expect(result.problem).toContain(
    `git stash push --include-untracked && git reset --keep ${on.head} && git stash pop`,
  );
  expect(on.it.id(KEPT)).toBe(on.head);
  expect(users(on.it)).toEqual(before);
});

test("a deleted branch is there again, with the agent's work where that follows it", async () => {
  const on = scene();
  on.it.git("checkout", "-q", "-b", "agent");
  const work = on.it.commit("new.txt");
  on.it.git("branch", "-q", "-D", "main");
  expect((await mendOnce(on)).problem).toBeUndefined();
  expect([on.it.branch(), on.it.id("main")]).toEqual(["refs/heads/main", work]);
});

test("a deleted branch is created again at its old tip where HEAD is somewhere else", async () => {
  const on = scene();
  on.it.git("checkout", "-q", "other");
  on.it.git("branch", "-q", "-D", "main");
  const before = users(on.it);
  const result = await mendOnce(on);
  expect(result).toEqual({
    did: [
      `The agent had deleted branch main; it is there again at ${on.head.slice(0, 10)}.`,
      "The agent had left branch other checked out; main is checked out again.",
    ],
    problem: undefined,
  });
  expect([on.it.branch(), on.it.id("main")]).toEqual(["refs/heads/main", on.head]);
  expect(users(on.it)).toEqual(before);
});

test("a branch deleted under HEAD is created again without touching the tree", async () => {
  const on = scene();
  const before = users(on.it);
  on.it.git("update-ref", "-d", "refs/heads/main");
  expect((await mendOnce(on)).problem).toBeUndefined();
  expect([on.it.id("HEAD"), users(on.it)]).toEqual([on.head, before]);
});

test("an orphan branch without a commit is left with every change of the user's kept", async () => {
  const on = scene();
  const before = users(on.it);
  on.it.git("checkout", "-q", "--orphan", "fresh");
  expect((await mendOnce(on)).problem).toBeUndefined();
  expect([on.it.branch(), on.it.id("main"), users(on.it)]).toEqual([
    "refs/heads/main",
    on.head,
    before,
  ]);
});

test("an orphan branch with commits stays, and the run's branch is checked out", async () => {
  const on = scene();
  on.it.git("stash", "push", "-q", "-a");
  on.it.git("checkout", "-q", "--orphan", "fresh");
  on.it.git("rm", "-q", "-rf", ".");
  const work = on.it.commit("new.txt");
  expect((await mendOnce(on)).problem).toBeUndefined();
  expect([on.it.branch(), on.it.id("main"), on.it.id("fresh")]).toEqual([
    "refs/heads/main",
    on.head,
    work,
  ]);
});

test("commits that the agent took out of another branch of the user's are kept aside", async () => {
  const on = scene();
  const lost = on.it.id("other");
  on.it.git("checkout", "-q", "other");
  on.it.git("reset", "-q", "--keep", "HEAD~2");
  on.it.git("checkout", "-q", "main");
  expect((await mendOnce(on)).did).toEqual([
    `Kept 2 commits of which no branch would know any more as ${ASIDE}.`,
  ]);
  expect(on.it.id(ASIDE)).toBe(lost);
});

test("a branch that another working tree has checked out is a problem with its commands", async () => {
  const on = scene();
  on.it.git("checkout", "-q", "other");
  const elsewhere = join(on.it.tree, "..", "elsewhere");
  on.it.git("worktree", "add", "-q", elsewhere, "main");
  const before = on.it.refs();
  const result = await mendOnce(on);
  expect(result.problem).toContain("switch --detach && git switch main");
  expect(on.it.refs()).toBe(before);
});

test("a head whose objects are gone is a problem and nothing is moved", async () => {
  const on = scene();
  const before = on.it.refs();
  const order = { ...on.order, head: "1".repeat(40) };
  const { problem } = await mend({ it: on.it, order });
  expect(problem).toContain("is gone from the repository");
  expect(on.it.refs()).toBe(before);
});

test.each(["merge", "rebase", "cherry-pick", "revert", "bisect"])(
  "a %s in progress is named, and neither HEAD nor a branch is moved",
  async (operation) => {
    const on = scene();
    on.it.git("stash", "push", "-q", "-a");
    on.it.git("checkout", "-q", "-b", "clash", "main~1");
    on.it.commit("two.txt", "clashes");
    if (operation === "bisect") on.it.git("bisect", "start");
    if (operation === "revert") on.it.commit("two.txt", "once more");
    if (operation === "revert") on.it.tries("revert", "--no-edit", "HEAD~1");
    if (["merge", "rebase", "cherry-pick"].includes(operation)) on.it.tries(operation, "main");
    const before = [on.it.id("HEAD"), on.it.id("main"), on.it.id("clash")];
    const { problem } = await mend(on);
    expect(problem).toContain(`the agent left a ${operation} in progress`);
    expect(problem).toContain(`git ${operation} ${operation === "bisect" ? "reset" : "--abort"}`);
    expect([on.it.id("HEAD"), on.it.id("main"), on.it.id("clash")]).toEqual(before);
  },
);

test("stash entries that the agent cleared are back in their order under their names", async () => {
  const on = scene();
  const before = on.it.git("stash", "list");
  on.it.git("stash", "clear");
  expect(await mendOnce(on)).toEqual({
    did: ["Put 2 stash entries back that the agent had taken out."],
    problem: undefined,
  });
  expect([on.it.stash(), on.it.git("stash", "list")]).toEqual([on.order.stash, before]);
});

test("a popped entry is back, and what it held stays in the tree too", async () => {
  const on = scene();
  on.it.git("stash", "pop", "-q");
  expect((await mendOnce(on)).did).toEqual([
    "Put 1 stash entry back that the agent had taken out.",
  ]);
  expect([on.it.stash(), on.it.read("one.txt")]).toEqual([on.order.stash, "second stashed"]);
});

test("an entry that was dropped beneath another is back beneath it", async () => {
  const on = scene();
  on.it.git("stash", "drop", "-q", "stash@{1}");
  expect((await mendOnce(on)).did).toEqual([
    "Put 1 stash entry back that the agent had taken out; 1 newer one is there twice now.",
  ]);
  expect(on.it.stash()).toEqual([...on.order.stash, on.order.stash[0]]);
});

test("entries that the agent added are told and left alone, beneath those that are put back", async () => {
  const on = scene();
  on.it.git("stash", "drop", "-q");
  on.it.git("stash", "push", "-q", "-m", "the agent's");
  const [added] = on.it.stash();
  expect((await mendOnce(on)).did).toEqual([
    "Put 1 stash entry back that the agent had taken out, above the 1 entry that the agent added.",
    "The agent left 1 entry in the stash, which nobody has touched.",
  ]);
  expect(on.it.stash()).toEqual([on.order.stash[0], added, on.order.stash[1]]);
});

test("an entry whose objects are gone is told, and the others are put back once", async () => {
  const on = scene();
  const gone = "2".repeat(40);
  on.it.git("stash", "clear");
  const order = { ...on.order, stash: [gone, ...on.order.stash] };
  await mend({ it: on.it, order });
  const { did } = await mend({ it: on.it, order });
  expect(did).toEqual([`Gone from the repository for good: stash ${gone}.`]);
  expect(on.it.stash()).toEqual(on.order.stash);
});

test.each(["index.lock", "HEAD.lock", "refs/heads/main.lock", "refs/stash.lock"])(
  "a lock that the agent left is put aside with its content: %s",
  async (name) => {
    const on = scene();
    on.it.lock(name, 1_000);
    const { did, problem } = await mendOnce(on);
    const aside = `${name.replace("refs/", "").replace("/", "-")}.ralph-${KEEP}`;
    expect([did.length, problem]).toEqual([1, undefined]);
    expect(did[0]).toContain(aside);
    expect(readFileSync(join(on.it.tree, ".git", aside), "utf8")).toBe("lock");
    expect(existsSync(join(on.it.tree, ".git", name))).toBe(false);
    on.it.commit("works.txt");
  },
);

test("a lock from before the agent is not touched", async () => {
  const on = scene();
  on.it.git("checkout", "-q", "other");
  on.it.lock("index.lock", -1_000);
  const { did, problem } = await mend(on);
  expect([did, problem]).toEqual([[], expect.stringContaining("rm '")]);
  expect(existsSync(join(on.it.tree, ".git", "index.lock"))).toBe(true);
});

test.each(["stays", "goes"])(
  "a new lock that changes is somebody's at work and is waited for: it %s",
  async (ending) => {
    const on = scene();
    const { host } = on.it;
    const path = join(on.it.tree, ".git", "index.lock");
    const age = host.clock.now() - on.order.since;
    let polls = 0;
    const sleep = (): Promise<void> => {
      polls += 1;
      on.it.lock("index.lock", age + polls);
      if (ending === "goes" && polls === 3) host.files.remove(path);
      return Promise.resolve();
    };
    on.it.lock("index.lock", age);
    const busy = { ...host, clock: { ...host.clock, sleep } };
    const { did, problem } = await mendRepository(busy, on.it.repository(), on.order);
    expect(did).toEqual([]);
    const busyNow =
      "another git works in this repository (index.lock is new): wait until it has ended";
    expect(problem).toBe(ending === "goes" ? undefined : busyNow);
    expect([existsSync(path), polls]).toEqual(ending === "goes" ? [false, 3] : [true, 100]);
  },
);

test("before the first commit a changed branch name is mended", async () => {
  const it = new TestRepository();
  it.write("untracked.txt", "the user's new file");
  const order = it.order();
  it.startAgent();
  it.git("checkout", "-q", "-b", "agent");
  const { problem } = await mend({ it, order });
  expect([problem, it.branch(), it.refs()]).toEqual([undefined, "refs/heads/main", ""]);
  expect(it.read("untracked.txt")).toBe("the user's new file");
});

test("the first commit on another branch comes to the run's branch too", async () => {
  const it = new TestRepository();
  it.write("untracked.txt", "the user's new file");
  const order = it.order();
  it.startAgent();
  it.git("checkout", "-q", "-b", "agent");
  const work = it.commit("new.txt");
  const { problem } = await mend({ it, order });
  expect([problem, it.branch(), it.id("main")]).toEqual([undefined, "refs/heads/main", work]);
  expect(it.read("untracked.txt")).toBe("the user's new file");
});

test("before the first commit two branches that went apart are left and told", async () => {
  const it = new TestRepository();
  const order = it.order();
  it.startAgent();
  it.commit("new.txt");
  it.git("checkout", "-q", "--orphan", "agent");
  it.commit("newer.txt");
  const before = it.refs();
  const { problem } = await mend({ it, order });
  expect(problem).toContain("git switch main");
  expect([it.branch(), it.refs()]).toEqual(["refs/heads/agent", before]);
});
