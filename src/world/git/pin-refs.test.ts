import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lines, type TestRepository, userRepository } from "../../../test/rig/repository.ts";
import type { Host } from "../host/host.ts";
import { findRepository } from "./find-repository.ts";
import { mendRepository } from "./mend-repository.ts";
import { pinRefs, unpinRefs } from "./pin-refs.ts";
import { readRefs } from "./read-refs.ts";

const KEY = "0123456789ab";

function pins(it: TestRepository, key: string = KEY): string[] {
  const format = "--format=%(objectname) %(refname:lstrip=4)";
  const found = lines(it.git("for-each-ref", format, `refs/ralph/pin/${key}`));
  // Each is named after what it holds.
  for (const line of found) expect(line.split(" ")[0]).toBe(line.split(" ")[1]);
  return found.map((line) => line.split(" ")[0] ?? "");
}

async function pin(it: TestRepository, ids: readonly string[], host: Host = it.host) {
  await pinRefs(host, it.repository(), KEY, ids);
}

/** What a thorough agent does to everything that no ref holds. */
function purge(it: TestRepository): void {
  it.git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all");
  it.git("gc", "-q", "--prune=now");
}

test("a pinned commit outlives its branch, its log and a gc, and can be put back", async () => {
  const it = userRepository();
  it.git("tag", "-a", "v1", "-m", "One", "other");
  const refs = readRefs(it.host, it.repository());
  const order = { ...it.order(), refs };
  const before = it.refs();
  const stash = it.stash();
  await pin(it, [order.head ?? "", ...stash, ...refs.values()]);
  it.startAgent();
  it.git("stash", "clear");
  it.git("branch", "-D", "other");
  it.git("tag", "-d", "v1");
  it.git("reset", "-q", "--keep", "HEAD~1");
  purge(it);
  expect((await mendRepository(it.host, it.repository(), order)).problem).toBeUndefined();
  await unpinRefs(it.host, it.repository(), KEY);
  const kept = `refs/ralph/kept/${order.keep}`;
  const left = lines(it.refs()).filter((line) => !line.startsWith(kept));
  expect([left, it.stash()]).toEqual([lines(before), stash]);
  expect(it.git("fsck", "--connectivity-only")).toBe("");
});

test("without a pin all of that is gone for good, and it is said", async () => {
  const it = userRepository();
  const refs = readRefs(it.host, it.repository());
  const order = { ...it.order(), refs };
  const tip = it.id("other");
  it.startAgent();
  it.git("branch", "-D", "other");
  purge(it);
  const { did, problem } = await mendRepository(it.host, it.repository(), order);
  expect([did.at(-1), problem]).toEqual([
    `Gone from the repository for good, with all that only they held: branch other (${tip}).`,
    undefined,
  ]);
});

test("pins that are not wanted any more go, also those that a gc has packed", async () => {
  const it = userRepository();
  const [main, other, older] = [it.id("main"), it.id("other"), it.id("main~1")];
  await pin(it, [main, other]);
  expect(pins(it)).toEqual([main, other].toSorted());
  it.git("gc", "-q");
  expect(existsSync(join(it.tree, ".git", "refs", "ralph", "pin", KEY))).toBe(false);
  await pin(it, [main, other]);
  expect(existsSync(join(it.tree, ".git", "refs", "ralph", "pin", KEY))).toBe(false);
  await pin(it, [main, older]);
  expect(pins(it)).toEqual([main, older].toSorted());
  await unpinRefs(it.host, it.repository(), KEY);
  expect(pins(it)).toEqual([]);
  expect(existsSync(join(it.tree, ".git", "refs", "ralph", "pin", KEY))).toBe(false);
});

test("nothing is written and no git is asked where all is pinned", async () => {
  const it = userRepository();
  await pin(it, [it.id("main"), it.id("other")]);
  const refuse = (): never => {
    throw new Error("not needed");
  };
  const host: Host = {
    ...it.host,
    files: { ...it.host.files, replace: refuse, remove: refuse, makeFolder: refuse },
    processes: { ...it.host.processes, start: refuse },
  };
  await pin(it, [it.id("main"), it.id("other")], host);
});

test("what a killed run left is tidied up, and the pins of another tree are not touched", async () => {
  const it = userRepository();
  const elsewhere = join(it.folder, "elsewhere");
  it.git("worktree", "add", "-q", elsewhere, "other");
  const linked = findRepository(it.host, elsewhere);
  if (linked !== undefined) await pinRefs(it.host, linked, "another", [it.id("other")]);
  await pin(it, [it.id("main"), it.id("other")]);
  const folder = join(it.tree, ".git", "refs", "ralph", "pin", KEY);
  writeFileSync(join(folder, `.${it.id("main")}.ralph-tmp`), "half");
  await pin(it, [it.id("main")]);
  expect(readdirSync(folder)).toEqual([it.id("main")]);
  await unpinRefs(it.host, it.repository(), KEY);
  expect([pins(it), pins(it, "another")]).toEqual([[], [it.id("other")]]);
});

test("killed at any point no wanted pin is missing that was there", async () => {
  const it = userRepository();
  const [main, other, older] = [it.id("main"), it.id("other"), it.id("main~1")];
  for (let at = 1; at < 8; at++) {
    await pin(it, [main, other]);
    let calls = 0;
    const guard = <T>(call: () => T): T => {
      calls += 1;
      if (calls >= at) throw new Error("killed");
      return call();
    };
    const { files } = it.host;
    const host: Host = {
      ...it.host,
      files: {
        ...files,
        makeFolder: (...args) => guard(() => files.makeFolder(...args)),
        replace: (...args) => guard(() => files.replace(...args)),
        remove: (...args) => guard(() => files.remove(...args)),
      },
    };
    await pin(it, [main, older], host).catch(() => undefined);
    expect(pins(it)).toContain(main);
    await pin(it, [main, older]);
    expect(pins(it)).toEqual([main, older].toSorted());
  }
});

test("what is no id, or of no object, gets no ref: git would stumble over it", async () => {
  const it = userRepository();
  await pin(it, ["", "../../heads/x", "HEAD", "0".repeat(40), "a".repeat(40), it.id("main")]);
  expect(pins(it)).toEqual([it.id("main")]);
  it.git("log", "--all", "-1");
});

test("objects in a pack are pinned as well as those of their own", async () => {
  const it = userRepository();
  it.git("gc", "-q");
  await pin(it, [it.id("main"), "b".repeat(40)]);
  expect(pins(it)).toEqual([it.id("main")]);
});

test("no more than the first two hundred are pinned", async () => {
  const it = userRepository();
  const tree = it.id("HEAD^{tree}");
  const ids = Array.from({ length: 205 }, (_, n) => it.git("commit-tree", "-m", `${n}`, tree));
  await pin(it, [...ids, ...ids]);
  expect(pins(it)).toEqual(ids.slice(0, 200).toSorted());
}, 20_000);

test("a full disk keeps no agent from starting", async () => {
  const it = userRepository();
  const replace = (): never => {
    throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
  };
  const host: Host = { ...it.host, files: { ...it.host.files, replace } };
  await pin(it, [it.id("main")], host);
  expect(pins(it)).toEqual([]);
});

test("nothing is written where refs are not files", async () => {
  const it = userRepository();
  const repository = { ...it.repository(), commonFolder: join(it.folder, "home") };
  await pinRefs(it.host, repository, KEY, [it.id("main")]);
  expect(readdirSync(repository.commonFolder)).toEqual([]);
});
