// The pretend repository: commits with all their files, branches, a stash, and a working tree. History can really get
// lost here, and every commit that was ever made is still known to whoever checks.

import type { Hand, RepositoryTruth } from "./timeline.ts";

/** Paths with their content. */
export type Files = ReadonlyMap<string, string>;

/** A commit with the whole tree. */
export interface Commit {
  readonly id: string;
  readonly parent: string | undefined;
  readonly by: Hand;
  readonly files: Files;
}

/** Where an iteration began. */
export interface MendPoint {
  readonly branch: string;
  readonly head: string;
  readonly stash: readonly string[];
}

export const MAIN = "main";

/** One repository and its tree. */
export class PretendRepository {
  readonly commits = new Map<string, Commit>();
  readonly branches = new Map<string, string>();
  /** Refs under which commits are kept that no branch has. */
  readonly kept = new Set<string>();
  branch: string | undefined = MAIN;
  stash: readonly string[];
  operation: "merge" | undefined;
  isLocked = false;
  work = new Map<string, string>();
  #detached = "";
  #made = 0;
  /** What was on the branch, in the stash and checked out by agents, so that a loss is noticed. */
  #tip: string;
  #stash: readonly string[];
  #left: string[] = [];

  constructor(stash: readonly string[]) {
    this.stash = stash;
    this.#stash = stash;
    this.#tip = this.#add(undefined, "before");
    this.branches.set(MAIN, this.#tip);
  }

  get head(): string {
    return this.branch === undefined ? this.#detached : (this.branches.get(this.branch) ?? "");
  }

  get files(): Files {
    return this.commits.get(this.head)?.files ?? new Map();
  }

  /** The commit and all before it. */
  history(id: string): Set<string> {
    const found = new Set<string>();
    for (let at: string | undefined = id; at !== undefined && at !== "";) {
      found.add(at);
      at = this.commits.get(at)?.parent;
    }
    return found;
  }

  /** Paths that differ from the commit that is checked out. */
  dirty(): string[] {
    return differ(this.files, this.work);
  }

  /** Changes whenever anything in the tree or the commit does. */
  digest(): string {
    return `${this.head} ${this.dirty()
      .map((path) => `${path}=${this.work.get(path) ?? ""}`)
      .join()}`;
  }

  commit(by: Hand): string {
    const id = this.#add(this.head, by);
    this.#moveHead(id);
    this.operation = undefined;
    return id;
  }

  amend(by: Hand): void {
    this.#moveHead(this.#add(this.commits.get(this.head)?.parent, by));
  }

  /** A new branch from where HEAD is, or from its parent. */
  branchOff(name: string, from: "head" | "parent"): void {
    const id = this.#back(from);
    if (from === "parent") this.#carryTo(id);
    this.branches.set(name, id);
    this.branch = name;
  }

  detach(from: "head" | "parent"): void {
    const id = this.#back(from);
    if (from === "parent") this.#carryTo(id);
    this.branch = undefined;
    this.#detached = id;
  }

  reset(mode: "hard" | "soft"): void {
    const id = this.#back("parent");
    this.#moveHead(id);
    if (mode === "hard") this.work = new Map(this.files);
  }

  pushStash(): void {
    this.#made += 1;
    this.stash = [`s${this.#made}`, ...this.stash];
    this.work = new Map(this.files);
  }

  /** Back to where an iteration began, without a loss; what only a person can end stays. */
  mend(order: MendPoint): { did: string[]; problem: string | undefined } {
    const did: string[] = [];
    if (this.isLocked) did.push("A lock was left behind; it is aside.");
    this.isLocked = false;
    if (order.stash.some((id) => !this.stash.includes(id))) {
      this.stash = [...order.stash, ...this.stash.filter((id) => !order.stash.includes(id))];
      did.push("Entries of the stash are there again.");
    }
    if (this.operation !== undefined) {
      this.#keep(this.head);
      this.#keep(order.head);
      return { did, problem: `the agent left a ${this.operation} in progress` };
    }
    did.push(...this.#mendBranch(order));
    return { did, problem: undefined };
  }

  /** What a person does with a merge that an agent left. */
  giveUpMerge(): void {
    if (this.operation === undefined) return;
    this.operation = undefined;
    // Where the branch stands from now on is theirs to say; that nothing is lost is not.
    this.#left.push(this.#tip);
    this.#tip = this.branches.get(MAIN) ?? "";
  }

  /** The agent is gone: what it has checked out must not get lost. */
  noteLeft(): void {
    this.#left.push(this.head);
  }

  /** What is not as it should be before an agent starts; from now on this is how it should be. */
  takeTruth(): RepositoryTruth {
    const onBranch = this.history(this.branches.get(MAIN) ?? "");
    const held = new Set(
      [...this.branches.values(), ...this.kept].flatMap((id) => [...this.history(id)]),
    );
    const gone = [...this.history(this.#tip)].filter((id) => !onBranch.has(id));
    const unheld = this.#left.filter((id) => !held.has(id));
    const truth = {
      branch: this.branch,
      lost: [...gone, ...unheld],
      stashLost: this.#stash.filter((id) => !this.stash.includes(id)),
      isLocked: this.isLocked,
    };
    this.#tip = this.branches.get(MAIN) ?? "";
    this.#stash = this.stash;
    this.#left = [];
    return truth;
  }

  #mendBranch({ branch, head }: MendPoint): string[] {
    const here = this.head;
    const tip = this.branches.get(branch) ?? head;
    const history = this.history(here);
    if (this.branch !== branch && history.has(head) && history.has(tip)) {
      this.branches.set(branch, here);
      this.branch = branch;
      return [`${branch} is checked out again and holds the work.`];
    }
    if (this.branch === branch && history.has(head)) return [];
    this.#keep(here);
    this.#keep(tip);
    const to = this.history(tip).has(head) ? tip : head;
    this.#carryTo(to);
    this.branches.set(branch, to);
    this.branch = branch;
    return [`${branch} is back at ${to}.`];
  }

  #keep(id: string): void {
    this.kept.add(id);
  }

  #add(parent: string | undefined, by: Hand): string {
    this.#made += 1;
    const id = `c${String(this.#made).padStart(11, "0")}`;
    this.commits.set(id, { id, parent, by, files: new Map(this.work) });
    return id;
  }

  #moveHead(id: string): void {
    if (this.branch === undefined) this.#detached = id;
    else this.branches.set(this.branch, id);
  }

  #back(from: "head" | "parent"): string {
    return from === "head" ? this.head : (this.commits.get(this.head)?.parent ?? this.head);
  }

  /** The files of another commit, with what was changed and not committed. */
  #carryTo(id: string): void {
    const to = this.commits.get(id)?.files ?? new Map<string, string>();
    const carried = new Map(to);
    for (const path of this.dirty()) {
      const content = this.work.get(path);
      if (content === undefined) carried.delete(path);
      else carried.set(path, content);
    }
    this.work = carried;
  }
}

/** Paths that are not the same in both. */
export function differ(before: Files, after: Files): string[] {
  const changed: string[] = [];
  for (const [path, content] of after) if (before.get(path) !== content) changed.push(path);
  for (const path of before.keys()) if (!after.has(path)) changed.push(path);
  return changed;
}
