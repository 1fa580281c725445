import { expect, test } from "vitest";
import {
  copyRepository,
  type TestRepository,
  userRepository,
} from "../../../test/rig/repository.ts";
import type { Host } from "../host/host.ts";
import { mendRepository } from "./mend-repository.ts";
import { readRefs } from "./read-refs.ts";

const CALLS_MAX = 60;

/** A host on which the program dies before it starts git, or renames a file, for the `at`th time. */
function mortal(host: Host, at: number): Host {
  let calls = 0;
  const guard = <T>(call: () => T): T => {
    calls += 1;
    if (calls >= at) throw new Error("killed");
    return call();
  };
  const start: Host["processes"]["start"] = (...args) => guard(() => host.processes.start(...args));
  const rename: Host["files"]["rename"] = (...args) => guard(() => host.files.rename(...args));
  return {
    ...host,
    processes: { ...host.processes, start },
    files: { ...host.files, rename },
  };
}

function stateOf(it: TestRepository): unknown[] {
  const files = ["dirty.txt", "staged.txt", "untracked.txt", "ignored.txt", "one.txt"];
  return [
    it.ask("symbolic-ref", "-q", "HEAD"),
    it.refs(),
    it.stash(),
    it.git("status", "--porcelain"),
    ...files.map((name) => it.read(name)),
  ];
}

const stories: Record<string, (it: TestRepository) => void> = {
  "an amended commit, a dropped stash and a lock": (it) => {
    it.write("one.txt", "amended");
    it.git("commit", "-q", "--amend", "-m", "Mine now", "--", "one.txt");
    it.git("stash", "drop", "-q", "stash@{1}");
    it.lock("index.lock", 1_000);
  },
  "commits reset away and a cleared stash": (it) => {
    it.git("reset", "-q", "--keep", "HEAD~2");
    it.git("stash", "clear");
  },
  "work on a new branch": (it) => {
    it.git("checkout", "-q", "-b", "agent");
    it.commit("new.txt");
  },
  "a detached HEAD elsewhere and a deleted branch": (it) => {
    it.git("checkout", "-q", "--detach", "other");
    it.commit("new.txt");
    it.git("branch", "-q", "-D", "main");
  },
  "a removed branch, and moved tags of which one is in the way": (it) => {
    it.git("branch", "-q", "-D", "other");
    it.git("tag", "-f", "v1", "main~1");
    it.git("tag", "-d", "v2");
    it.git("tag", "v2/mine");
  },
  "an orphan branch without a commit": (it) => {
    it.git("checkout", "-q", "--orphan", "fresh");
  },
};

test.each(Object.keys(stories))(
  "killed at any point and called again it ends in the same state: %s",
  async (name) => {
    const it = userRepository();
    it.git("tag", "v1");
    it.git("tag", "-a", "v2", "-m", "Two", "other");
    const order = { ...it.order(), refs: readRefs(it.host, it.repository()) };
    it.startAgent();
    stories[name]?.(it);
    const unharmed = copyRepository(it.folder);
    expect((await mendRepository(unharmed.host, unharmed.repository(), order)).problem).toBe(
      undefined,
    );
    const wanted = stateOf(unharmed);
    let isThrough = false;
    for (let at = 1; at < CALLS_MAX && !isThrough; at++) {
      const killed = copyRepository(it.folder);
      const host = mortal(killed.host, at);
      isThrough = await mendRepository(host, killed.repository(), order).then(
        () => true,
        () => false,
      );
      await mendRepository(killed.host, killed.repository(), order);
      expect([at, ...stateOf(killed)]).toEqual([at, ...wanted]);
    }
    expect(isThrough).toBe(true);
  },
  60_000,
);
