// Where HEAD and one branch of a repository stand, and how two commits are related.

import { runGit } from "./run-git.ts";
import { type Mending, mendGit } from "./mend-order.ts";

/** HEAD and the branch of the order at one moment. */
export interface Heads {
  /** The full name of the ref that HEAD is; undefined when HEAD is detached. */
  readonly current: string | undefined;
  /** The commit of HEAD; undefined where its branch has none yet. */
  readonly commit: string | undefined;
  /** The tip of the order's branch; undefined where there is no such branch. */
  readonly tip: string | undefined;
  /** True when the order's head is still an object of the repository. */
  readonly isHeadAlive: boolean;
  readonly isOnBranch: boolean;
  /** True when the order's branch contains the order's head. */
  readonly hasHead: boolean;
}

/** Undefined when git cannot read the repository. */
export async function readHeads(mending: Mending): Promise<Heads | undefined> {
  const { host, repository, order } = mending;
  const ref = branchRef(mending);
  const symbolic = await mendGit(mending, ["symbolic-ref", "-q", "HEAD"]);
  const names = ["HEAD", ref, order.head ?? ref];
  const answer = await runGit(host, {
    tree: repository.tree,
    args: ["cat-file", "--batch-check"],
    input: `${names.join("\n")}\n`,
  });
  if (answer.code !== 0) return undefined;
  const [commit, tip, head] = answer.stdout
    .toString("utf8")
    .split("\n")
    .map((line) => /^([\da-f]{40,64}) commit /u.exec(line)?.[1]);
  const current = symbolic.ok ? symbolic.text : undefined;
  return {
    current,
    commit,
    tip,
    isHeadAlive: head !== undefined,
    isOnBranch: current === ref,
    hasHead:
      order.head === undefined ||
      (tip !== undefined && head !== undefined && (await isAncestor(mending, head, tip))),
  };
}

export async function isAncestor(
  mending: Mending,
  ancestor: string,
  commit: string,
): Promise<boolean> {
  if (ancestor === commit) return true;
  return (await mendGit(mending, ["merge-base", "--is-ancestor", ancestor, commit])).ok;
}

/** Another working tree that has the order's branch checked out. */
export async function readOtherTree(mending: Mending): Promise<string | undefined> {
  const ref = branchRef(mending);
  const format = "--format=%(refname)%00%(worktreepath)";
  const answer = await mendGit(mending, ["for-each-ref", format, ref]);
  const lines = answer.text.split("\n").map((line) => line.split("\0"));
  const path = lines.find(([name]) => name === ref)?.[1] ?? "";
  const { host, repository } = mending;
  return path === "" || (host.files.real(path) ?? path) === repository.tree ? undefined : path;
}

export function branchRef({ order }: Mending): string {
  return `refs/heads/${order.branch}`;
}

/** What a person calls the place where HEAD is. */
export function placeOf({ current }: Heads): string {
  return current === undefined ? "a detached HEAD" : `branch ${current.replace("refs/heads/", "")}`;
}
