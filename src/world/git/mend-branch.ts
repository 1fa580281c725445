// Brings HEAD and the run's branch back together. Only what cannot lose anything is done; git refuses the rest, and a
// person is told.

import { mendGit, type Mending, type MendResult, NOTHING_DONE } from "./mend-order.ts";
import { keepCommits } from "./keep-commits.ts";
import { readHeadLog } from "./read-head-log.ts";
import {
  branchRef,
  type Heads,
  isAncestor,
  placeOf,
  readHeads,
  readOtherTree,
} from "./read-heads.ts";

/** Files that git ignores are the user's too, and git would overwrite them without this. */
const CAREFUL = ["--quiet", "--no-overwrite-ignore"] as const;
const LOG_MESSAGE = "ralph: put back where the run stands";

/** With `keep` nothing is moved, but nothing gets lost either. */
export async function mendBranch(mending: Mending, mode: "mend" | "keep"): Promise<MendResult> {
  const heads = await readHeads(mending);
  if (heads === undefined)
    return failed("git cannot read the repository: see what git status says");
  if (mode === "mend" && (await canFollow(mending, heads))) return await follow(mending, heads);
  const kept = await keepCommits(mending, heads);
  if (kept.problem !== undefined) return kept;
  if (mode === "keep" || (heads.isOnBranch && heads.hasHead)) return kept;
  const moved = await goBack(mending, heads);
  return { did: [...kept.did, ...moved.did], problem: moved.problem };
}

/** True when the branch only has to be moved forward to where the agent's work is. */
async function canFollow(mending: Mending, heads: Heads): Promise<boolean> {
  const { head, since } = mending.order;
  const { commit, tip } = heads;
  if (heads.isOnBranch) return false;
  if (commit === undefined) return head === undefined && tip === undefined;
  if (head !== undefined && !(heads.isHeadAlive && (await isAncestor(mending, head, commit)))) {
    return false;
  }
  if (tip !== undefined && !(await isAncestor(mending, tip, commit))) return false;
  if ((await readOtherTree(mending)) !== undefined) return false;
  // Commits from before the agent are another line of work; to look at them is no reason to take them in.
  const known = [head, tip].filter((id) => id !== undefined);
  const before = `--min-age=${Math.floor(since / 1000) - 1}`;
  const older = await mendGit(mending, ["rev-list", "-1", before, commit, "--not", ...known, "--"]);
  return older.ok && older.text === "";
}

/** Touches neither index nor tree: both already match the commit that the branch comes to. */
async function follow(mending: Mending, heads: Heads): Promise<MendResult> {
  const { branch } = mending.order;
  const ref = branchRef(mending);
  if (heads.commit !== undefined && heads.commit !== heads.tip) {
    const moved = await moveBranch(mending, heads.commit, heads.tip);
    if (moved !== undefined) return failed(moved);
  }
  const attached = await mendGit(mending, ["symbolic-ref", "-m", LOG_MESSAGE, "HEAD", ref]);
  if (!attached.ok) return failed(`${cannotSwitch(mending, attached.error)}: git switch ${branch}`);
  const along = heads.commit === heads.tip ? "" : ", and moved forward to the work done there";
  // What HEAD left on the way is kept once the branch holds the rest.
  const now = await readHeads(mending);
  const kept = now === undefined ? NOTHING_DONE : await keepCommits(mending, now);
  const said = `The agent had left ${placeOf(heads)} checked out; ${branch} is checked out again${along}.`;
  return { did: [said, ...kept.did], problem: kept.problem };
}

async function goBack(mending: Mending, heads: Heads): Promise<MendResult> {
  const { branch, head } = mending.order;
  if (head === undefined) return failed(unbornProblem(mending, heads));
  if (!heads.isHeadAlive) {
    const find = `git fetch <a clone that has it> ${head} && git branch ralph-found ${head}`;
    return failed(`commit ${head}, where ${branch} stood, is gone from the repository: ${find}`);
  }
  const other = await readOtherTree(mending);
  if (other !== undefined) {
    const remedy = `let it go there and take it back: git -C '${other}' switch --detach && git switch ${branch}`;
    return failed(`branch ${branch} is checked out in ${other}; ${remedy}`);
  }
  if (heads.isOnBranch && heads.tip !== undefined) {
    const detached = await mendGit(mending, ["switch", ...CAREFUL, "--detach", head]);
    if (!detached.ok) return failed(cannotReset(mending, head, detached.error));
  }
  const did: string[] = [];
  if (!heads.hasHead) {
    const moved = await moveBranch(mending, head, heads.tip);
    if (moved !== undefined) return failed(moved);
    did.push(describeReturn(mending, heads, head));
  }
  if (heads.isOnBranch && heads.tip === undefined) return { did, problem: undefined };
  const switched = await switchToBranch(mending, heads);
  return { did: [...did, ...switched.did], problem: switched.problem };
}

function describeReturn({ order }: Mending, { tip }: Heads, head: string): string {
  const { branch } = order;
  const short = head.slice(0, 10);
  if (tip === undefined)
    return `The agent had deleted branch ${branch}; it is there again at ${short}.`;
  return `The agent had taken commits out of branch ${branch}; it is back at ${short}.`;
}

async function switchToBranch(mending: Mending, heads: Heads): Promise<MendResult> {
  const { branch } = mending.order;
  const answer = await mendGit(mending, ["switch", ...CAREFUL, "--no-guess", branch]);
  if (answer.ok) {
    const said = `The agent had left ${placeOf(heads)} checked out; ${branch} is checked out again.`;
    return { did: heads.isOnBranch ? [] : [said], problem: undefined };
  }
  if (heads.commit === undefined) {
    // HEAD has a commit then, so that this happens once.
    if (await undoOrphan(mending)) return await mendBranch(mending, "mend");
  }
  const remedy = carrying(answer.error, `git switch ${branch}`);
  return failed(
    `${cannotSwitch(mending, answer.error)}; what is in the way goes along with: ${remedy}`,
  );
}

/**
 * On a branch without a commit every file counts as new, so git refuses to leave it with one that has changed. Back on
 * the commit that HEAD came from, the same files are the same changes as before.
 */
async function undoOrphan(mending: Mending): Promise<boolean> {
  const came = readHeadLog(mending.host, mending.repository)[0]?.to;
  if (came === undefined) return false;
  const args = ["update-ref", "--no-deref", "-m", LOG_MESSAGE, "HEAD", came];
  return (await mendGit(mending, args)).ok;
}

/** Only from where it was seen: a branch that somebody else moves meanwhile is left alone. */
async function moveBranch(
  mending: Mending,
  to: string,
  from: string | undefined,
): Promise<string | undefined> {
  const ref = branchRef(mending);
  const args = ["update-ref", "-m", LOG_MESSAGE, ref, to, from ?? ""];
  const answer = await mendGit(mending, args);
  if (answer.ok) return undefined;
  const { branch } = mending.order;
  return `git could not put branch ${branch} back (${answer.error}): git update-ref ${ref} ${to}`;
}

function cannotSwitch({ order }: Mending, error: string): string {
  return `git could not go back to branch ${order.branch} (${error})`;
}

function cannotReset({ order }: Mending, head: string, error: string): string {
  const commands = carrying(error, `git reset --keep ${head}`);
  return `the agent took commits out of branch ${order.branch}, and git could not put it back (${error}); the old tip is kept as refs/ralph/kept/${order.keep}; what is in the way goes along with: ${commands}`;
}

/** Takes along what is in the way of a command. Git stashes nothing while a file has conflicts. */
function carrying(error: string, command: string): string {
  const settle = error.includes("resolve your current index") ? "git add -u && " : "";
  return `${settle}git stash push --include-untracked && ${command} && git stash pop`;
}

function unbornProblem({ order }: Mending, heads: Heads): string {
  const { branch } = order;
  const remedy = heads.tip === undefined ? `git switch -c ${branch}` : `git switch ${branch}`;
  return `the agent left ${placeOf(heads)} checked out instead of ${branch}, which had no commit yet; nothing was changed; to go back: ${remedy}`;
}

function failed(problem: string): MendResult {
  return { did: [], problem };
}
