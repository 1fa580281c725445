// What in a repository would make a run unsafe, said before anything starts, with what to do about it.

import { join } from "node:path";
import type { Host } from "../host/host.ts";
import type { Repository } from "./find-repository.ts";
import type { GitStatus } from "./read-status.ts";

/** Something a person should know, or must mend, before a run. */
export interface GitFinding {
  readonly severity: "stops" | "notice";
  readonly about: "operation" | "lock" | "branch" | "tree" | "identity";
  readonly problem: string;
  readonly remedy: string;
}

/** The file or folder that tells of an operation, its name, what is said of it, and how it ends. */
const IN_PROGRESS: readonly (readonly [string, string, string, string])[] = [
  ["MERGE_HEAD", "merge", "a merge is in progress", "git merge --continue or git merge --abort"],
  [
    "rebase-merge",
    "rebase",
    "a rebase is in progress",
    "git rebase --continue or git rebase --abort",
  ],
  [
    "rebase-apply",
    "rebase",
    "a rebase is in progress",
    "git rebase --continue or git rebase --abort",
  ],
  [
    "CHERRY_PICK_HEAD",
    "cherry-pick",
    "a cherry-pick is in progress",
    "git cherry-pick --continue or --abort",
  ],
  [
    "REVERT_HEAD",
    "revert",
    "a revert is in progress",
    "git revert --continue or git revert --abort",
  ],
  ["BISECT_LOG", "bisect", "a bisect is in progress", "git bisect reset"],
];
/** A git that works holds its index lock for moments; one older than this was left behind. */
export const STALE_LOCK_MS = 5_000;
export const LOCK_POLL_MS = 50;

/** A git of a run that was cut off may still be about to end; it is given the time. */
export async function settleGit(host: Host, repository: Repository): Promise<void> {
  const path = join(repository.gitFolder, "index.lock");
  const deadline = host.clock.now() + STALE_LOCK_MS;
  while (host.files.stamp(path) !== undefined && host.clock.now() < deadline) {
    if (ageOf(host, path) >= STALE_LOCK_MS) return;
    await host.clock.sleep(LOCK_POLL_MS);
  }
}

export function checkGitState(host: Host, repository: Repository, status: GitStatus): GitFinding[] {
  const { gitFolder } = repository;
  const findings: GitFinding[] = [];
  for (const [name, , problem, remedy] of IN_PROGRESS) {
    if (host.files.kind(join(gitFolder, name)) === undefined) continue;
    findings.push({
      severity: "stops",
      about: "operation",
      problem,
      remedy: `finish or give it up first: ${remedy}`,
    });
  }
  findings.push(...checkIndexLock(host, join(gitFolder, "index.lock")));
  if (status.branch === undefined) {
    findings.push({
      severity: "stops",
      about: "branch",
      problem: "HEAD is detached: commits made now would belong to no branch",
      remedy: "check out a branch first: git switch -c NAME",
    });
  }
  const dirty = status.dirty.filter(({ kind }) => kind !== "untracked").length;
  if (dirty > 0) {
    findings.push({
      severity: "notice",
      about: "tree",
      problem: `${dirty} tracked ${dirty === 1 ? "file has" : "files have"} uncommitted changes`,
      remedy:
        "they stay as they are, but the commit of the first accepted task will include them; git stash keeps them out",
    });
  }
  return findings;
}

/** `merge`, `rebase`, `am`, `cherry-pick`, `revert` or `bisect`, where git is in the middle of one. */
export function operationOf(host: Host, repository: Repository): string | undefined {
  const { gitFolder } = repository;
  const has = (name: string): boolean => host.files.kind(join(gitFolder, name)) !== undefined;
  // `git am` works in the same folder as a rebase, and only this file in it tells them apart.
  if (has(join("rebase-apply", "applying"))) return "am";
  const found = IN_PROGRESS.filter(([file]) => has(file)).map(([, name]) => name);
  // A rebase makes merges and picks of its own; to end those alone would leave the rebase half done.
  if (found.includes("rebase")) return "rebase";
  return found[0] ?? queuedOperation(host, gitFolder);
}

/** Between two commits of a longer cherry-pick or revert only the list of what is left tells of it. */
function queuedOperation(host: Host, gitFolder: string): string | undefined {
  const queue = host.files.readText(join(gitFolder, "sequencer", "todo"));
  if (queue === undefined) return undefined;
  return queue.startsWith("revert") ? "revert" : "cherry-pick";
}

function checkIndexLock(host: Host, path: string): GitFinding[] {
  if (host.files.stamp(path) === undefined) return [];
  if (ageOf(host, path) < STALE_LOCK_MS) {
    const problem = "another git process works in this repository (index.lock is new)";
    const remedy = "wait until it has ended, then start again";
    return [{ severity: "stops", about: "lock", problem, remedy }];
  }
  return [
    {
      severity: "stops",
      about: "lock",
      problem: "a git process that died has left its lock behind (index.lock)",
      remedy: `make sure that no git is running here, then remove it: rm '${path}'`,
    },
  ];
}

/** How long ago a file was written; 0 where there is none. */
export function ageOf(host: Host, path: string): number {
  const mtimeNs = host.files.stamp(path)?.mtimeNs;
  return mtimeNs === undefined ? 0 : host.clock.now() - Number(BigInt(mtimeNs) / 1_000_000n);
}
