// A repository for tests of what is done to repositories: a user's history, changes and stash, and an agent that misbehaves.

import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { assert } from "../../src/std/assert.ts";
import { findRepository, type Repository } from "../../src/world/git/find-repository.ts";
import type { MendOrder } from "../../src/world/git/mend-order.ts";
import { readStash } from "../../src/world/git/read-stash.ts";
import type { Host } from "../../src/world/host/host.ts";
import { newFolder, testHost } from "./host.ts";

/** When the agent starts; everything of the user's is older. */
export const AGENT_START_MS = Date.UTC(2026, 0, 1, 12);
const USER_MS = AGENT_START_MS - 3_600_000;

export class TestRepository {
  /** Holds the tree and the home of whoever works in it. */
  readonly folder: string;
  readonly tree: string;
  readonly host: Host;
  readonly #env: Record<string, string>;
  #now = USER_MS;

  constructor(folder: string = newFolder()) {
    const tree = join(folder, "tree");
    const home = join(folder, "home");
    mkdirSync(home, { recursive: true });
    mkdirSync(tree, { recursive: true });
    this.folder = folder;
    this.tree = tree;
    this.#env = { PATH: process.env["PATH"] ?? "", HOME: home, GIT_CONFIG_NOSYSTEM: "1" };
    const host = testHost({ env: { PATH: this.#env["PATH"] ?? "", HOME: home } });
    const now = (): number => AGENT_START_MS + 3_600_000;
    this.host = { ...host, clock: { ...host.clock, now, sleep: () => Promise.resolve() } };
    if (!existsSync(join(tree, ".git"))) this.git("init", "-q", "-b", "main");
  }

  /** From here on git is the agent's. */
  startAgent(): void {
    this.#now = AGENT_START_MS + 60_000;
  }

  git(...args: string[]): string {
    return this.feed("", ...args);
  }

  /** The same with something to read. */
  feed(input: string, ...args: string[]): string {
    this.#now += 1_000;
    const date = `${Math.floor(this.#now / 1000)} +0000`;
    const identity = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org"];
    return execFileSync("git", [...identity, ...args], {
      cwd: this.tree,
      env: { ...this.#env, GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date },
      encoding: "utf8",
      stdio: "pipe",
      input,
    }).trim();
  }

  /** What git said; undefined where it refused. */
  ask(...args: string[]): string | undefined {
    try {
      return this.git(...args);
    } catch {
      return undefined;
    }
  }

  /** True when git agreed to it. */
  tries(...args: string[]): boolean {
    return this.ask(...args) !== undefined;
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.tree, path), text);
  }

  /** Undefined where there is no such file. */
  read(path: string): string | undefined {
    const full = join(this.tree, path);
    return existsSync(full) ? readFileSync(full, "utf8") : undefined;
  }

  /** The id of the new commit. */
  commit(path: string, text: string = path): string {
    this.write(path, text);
    this.git("add", "-f", path);
    this.git("commit", "-q", "-m", `Change ${path}`, "--", path);
    return this.id("HEAD");
  }

  id(name: string): string {
    return this.git("rev-parse", "--verify", "-q", name);
  }

  branch(): string {
    return this.git("symbolic-ref", "HEAD");
  }

  refs(): string {
    return this.git("for-each-ref", "--format=%(refname) %(objectname)");
  }

  stash(): string[] {
    return lines(this.git("stash", "list", "--format=%H"));
  }

  /** A lock written so long after the agent started; before it when negative. */
  lock(name: string, afterMs: number): void {
    const path = join(this.tree, ".git", name);
    writeFileSync(path, "lock");
    const at = (AGENT_START_MS + afterMs) / 1000;
    utimesSync(path, at, at);
  }

  repository(): Repository {
    const found = findRepository(this.host, this.tree);
    assert(found !== undefined, "the test has a repository");
    return found;
  }

  /** What the run knows at the moment it starts the agent. */
  order(): MendOrder {
    return {
      branch: this.branch().replace("refs/heads/", ""),
      head: this.ask("rev-parse", "-q", "--verify", "HEAD"),
      stash: readStash(this.host, this.repository()),
      keep: "20261115T073200Z-k3f9-3",
      since: AGENT_START_MS,
    };
  }

  /** Commits of `ids` that no ref and no stash entry leads to. */
  unreachable(ids: readonly string[]): string[] {
    const refs = ["--branches", "--tags", "--glob=refs/ralph"];
    const reachable = new Set(lines(this.git("rev-list", ...refs, ...this.stash())));
    return ids.filter((id) => !reachable.has(id));
  }
}

let template: string | undefined;

afterAll(() => {
  if (template !== undefined) rmSync(template, { recursive: true, force: true });
});

/** Five commits on `main`, two more on `other` beside its last one, two stash entries, a changed, a staged, an untracked and an ignored file. */
export function userRepository(): TestRepository {
  // Made once for all tests of a file: a copy takes a tenth of the time.
  if (template === undefined) {
    template = mkdtempSync(join(tmpdir(), "ralph-unit-"));
    fillRepository(template);
  }
  return copyRepository(template);
}

export function copyRepository(folder: string): TestRepository {
  const copy = newFolder();
  cpSync(folder, copy, { recursive: true, preserveTimestamps: true });
  const repository = new TestRepository(copy);
  // The index knows files by their numbers on the disk too; git looks at all of them anew.
  repository.git("status");
  return repository;
}

function fillRepository(folder: string): void {
  const repository = new TestRepository(folder);
  repository.write(".gitignore", "ignored.txt\n");
  repository.git("add", ".gitignore");
  repository.git("commit", "-q", "-m", "Start");
  for (const name of ["dirty.txt", "staged.txt", "one.txt", "two.txt"]) repository.commit(name);
  repository.git("checkout", "-q", "-b", "other", "HEAD~1");
  repository.commit("other-one.txt");
  repository.commit("other-two.txt");
  repository.git("checkout", "-q", "main");
  for (const name of ["first", "second"]) {
    repository.write("one.txt", `${name} stashed`);
    repository.git("stash", "push", "-q", "-m", name);
  }
  repository.write("dirty.txt", "the user's change");
  repository.write("staged.txt", "the user's staged change");
  repository.git("add", "staged.txt");
  repository.write("untracked.txt", "the user's new file");
  repository.write("ignored.txt", "the user's ignored file");
}

export function lines(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}
