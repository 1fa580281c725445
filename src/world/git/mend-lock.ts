// Puts aside the lock files that a git of the agent's left behind. Never touches one that is older than the agent.

import { basename, join } from "node:path";
import { ageOf, LOCK_POLL_MS, STALE_LOCK_MS } from "./check-state.ts";
import type { Repository } from "./find-repository.ts";
import { type Mending, type MendResult, NOTHING_DONE } from "./mend-order.ts";

/** A lock that is there, and what tells whether somebody works under it. */
interface FoundLock {
  readonly path: string;
  readonly stamp: string;
}

const POLLS_MAX = STALE_LOCK_MS / LOCK_POLL_MS;
const NAMES_MAX = 20;

/** Every process of the agent must be dead; a git of the user's is given the time to end. */
export async function mendLocks(mending: Mending): Promise<MendResult> {
  const before = findLocks(mending);
  if (before.length === 0) return NOTHING_DONE;
  await settleLocks(mending);
  const did: string[] = [];
  const problems: string[] = [];
  for (const lock of findLocks(mending)) {
    const isUnchanged = before.some(
      ({ path, stamp }) => path === lock.path && stamp === lock.stamp,
    );
    const outcome = mendLock(mending, lock.path, isUnchanged ? "unchanged" : "changing");
    if (outcome.did !== undefined) did.push(outcome.did);
    if (outcome.problem !== undefined) problems.push(outcome.problem);
  }
  return { did, problem: problems.length === 0 ? undefined : problems.join("\n") };
}

/** All that a killed git can leave in the way of those who come after it. */
export function lockPaths({ gitFolder, commonFolder }: Repository, branch: string): string[] {
  return [
    join(gitFolder, "index.lock"),
    join(gitFolder, "HEAD.lock"),
    join(commonFolder, "packed-refs.lock"),
    join(commonFolder, "config.lock"),
    join(commonFolder, "refs", "stash.lock"),
    join(commonFolder, "refs", "heads", `${branch}.lock`),
  ];
}

function findLocks({ host, repository, order }: Mending): FoundLock[] {
  return lockPaths(repository, order.branch).flatMap((path) => {
    const stamp = host.files.stamp(path);
    return stamp === undefined
      ? []
      : [{ path, stamp: `${stamp.ino} ${stamp.size} ${stamp.mtimeNs}` }];
  });
}

/** Waits until no lock is left, or each has been left alone long enough. */
async function settleLocks(mending: Mending): Promise<void> {
  const { host } = mending;
  for (let poll = 0; poll < POLLS_MAX; poll++) {
    const locks = findLocks(mending);
    if (locks.every(({ path }) => ageOf(host, path) >= STALE_LOCK_MS)) return;
    await host.clock.sleep(LOCK_POLL_MS);
  }
}

function mendLock(
  mending: Mending,
  path: string,
  state: "unchanged" | "changing",
): { did?: string; problem?: string } {
  const { host, order } = mending;
  const name = basename(path);
  if (state === "changing") {
    return {
      problem: `another git works in this repository (${name} is new): wait until it has ended`,
    };
  }
  if (writtenAt(mending, path) < order.since) {
    // The others stand in nobody's way until they do, and then git names them itself.
    if (name !== "index.lock") return {};
    const remedy = `make sure that no git is running here, then remove it: rm '${path}'`;
    return { problem: `index.lock was there before the agent started: ${remedy}` };
  }
  const aside = freeName(mending, path);
  try {
    host.files.rename(path, aside);
  } catch (error) {
    if (host.files.stamp(path) === undefined) return {};
    const why = error instanceof Error ? error.message : String(error);
    return { problem: `${name} was left behind and cannot be put aside (${why}): rm '${path}'` };
  }
  return {
    did: `A git of the agent's left its lock ${name} behind; it is now ${basename(aside)}.`,
  };
}

function writtenAt({ host }: Mending, path: string): number {
  return host.clock.now() - ageOf(host, path);
}

/** Git would take a file among its refs for a ref, so the lock of one is put beside the others. */
function freeName({ host, repository, order }: Mending, path: string): string {
  const refs = join(repository.commonFolder, "refs", "/");
  const inRefs = path.startsWith(refs) ? path.slice(refs.length).replaceAll("/", "-") : undefined;
  const place = inRefs === undefined ? path : join(repository.commonFolder, inRefs);
  const names = Array.from({ length: NAMES_MAX }, (_, n) => (n === 0 ? "" : `-${n + 1}`)).map(
    (suffix) => `${place}.ralph-${order.keep}${suffix}`,
  );
  return (
    names.find((name) => host.files.stamp(name) === undefined) ?? `${place}.ralph-${order.keep}`
  );
}
