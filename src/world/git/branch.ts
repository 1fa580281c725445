// Brings a working tree onto the branch its work belongs to: stays, switches or creates it. Git itself refuses what would
// cost anybody something, and its words are handed on.

import { printableLine } from "../../std/printable.ts";
import { err, ok, type Result } from "../../std/result.ts";
import type { Host } from "../host/host.ts";
import type { CommandAnswer } from "../host/short-command.ts";
import type { Repository } from "./find-repository.ts";
import { runGit } from "./run-git.ts";

/** A branch to be on. */
export interface BranchOrder {
  readonly name: string;
  /** What happens where there is no such branch. */
  readonly missing: "create" | "refuse";
}

/** What was done; `before` is the branch that was left, and undefined where none was. */
export interface BranchTaken {
  readonly did: "nothing" | "switched" | "created";
  readonly before: string | undefined;
}

/** Why it could not be done, for a person. */
export interface BranchRefusal {
  readonly problem: string;
  readonly remedy: string;
}

/** A large tree takes its time, and a git that is ended half way leaves a half changed one. */
const SWITCH_TIMEOUT_MS = 5 * 60_000;
const NAME_MAX = 200;
const WORDS_MAX = 600;

export async function takeBranch(
  host: Host,
  repository: Repository,
  order: BranchOrder,
): Promise<Result<BranchTaken, BranchRefusal>> {
  const { tree } = repository;
  const { name } = order;
  if (!(await isBranchName(host, tree, name))) return err(badName(name));
  const before = await readCurrent(host, tree);
  if (before === name) return ok({ did: "nothing", before });
  const found = await readBranch(host, tree, name);
  const elsewhere = found?.tree;
  if (elsewhere !== undefined && (host.files.real(elsewhere) ?? elsewhere) !== tree)
    return err(checkedOutElsewhere(name, elsewhere));
  if (found !== undefined)
    return await run(host, tree, ["--no-guess", name], { did: "switched", before });
  if (await isOnRemote(host, tree, name))
    return await run(host, tree, ["--guess", name], { did: "switched", before });
  if (order.missing === "refuse") return err(missing(name));
  return await run(host, tree, ["--no-track", "-c", name], { did: "created", before });
}

/** Back to the branch that was left, because nothing came of it. */
export async function leaveBranch(host: Host, repository: Repository, name: string): Promise<void> {
  await runSwitch(host, repository.tree, ["--no-guess", name]);
}

/** Asked of git by its full name, so that nothing like `@{-1}` stands for another one. */
async function isBranchName(host: Host, tree: string, name: string): Promise<boolean> {
  const isPlain = name !== "" && name.length <= NAME_MAX && !/[\p{Cc}]/u.test(name);
  if (!isPlain || name.startsWith("-") || name === "HEAD") return false;
  return (
    (await runGit(host, { tree, args: ["check-ref-format", `refs/heads/${name}`] })).code === 0
  );
}

async function readCurrent(host: Host, tree: string): Promise<string | undefined> {
  const answer = await runGit(host, { tree, args: ["symbolic-ref", "--quiet", "HEAD"] });
  const ref = answer.stdout.toString("utf8").trim();
  return ref.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : undefined;
}

/** Undefined where there is no such branch; `tree` is the working tree that has it checked out. */
async function readBranch(
  host: Host,
  tree: string,
  name: string,
): Promise<{ readonly tree: string | undefined } | undefined> {
  const ref = `refs/heads/${name}`;
  const args = ["for-each-ref", "--format=%(refname)%00%(worktreepath)", ref];
  const lines = (await runGit(host, { tree, args })).stdout.toString("utf8").split("\n");
  const found = lines.map((line) => line.split("\0")).find(([one]) => one === ref);
  if (found === undefined) return undefined;
  return { tree: found[1] === "" ? undefined : found[1] };
}

/** In a fresh clone the branch is known from the remote only: the work goes on from there. */
async function isOnRemote(host: Host, tree: string, name: string): Promise<boolean> {
  const args = ["for-each-ref", "--count=1", "--format=%(refname)", `refs/remotes/*/${name}`];
  return (await runGit(host, { tree, args })).stdout.toString("utf8").trim() !== "";
}

async function run(
  host: Host,
  tree: string,
  args: readonly string[],
  taken: BranchTaken,
): Promise<Result<BranchTaken, BranchRefusal>> {
  const answer = await runSwitch(host, tree, args);
  return answer.code === 0 ? ok(taken) : err(refusedByGit(args.at(-1) ?? "", answer));
}

async function runSwitch(
  host: Host,
  tree: string,
  args: readonly string[],
): Promise<CommandAnswer> {
  return await runGit(host, {
    tree,
    args: ["switch", "--quiet", ...args],
    timeoutMs: SWITCH_TIMEOUT_MS,
  });
}

function refusedByGit(name: string, answer: CommandAnswer): BranchRefusal {
  const words = answer.timedOut ? "it took too long and was ended" : answer.stderr;
  const isDirty = /would be overwritten|local changes/iu.test(words);
  return {
    problem: `git cannot go to the branch "${name}": ${printableLine(words, WORDS_MAX)}`,
    remedy: isDirty
      ? "commit your changes first, or put them away: git stash"
      : `make this work first: git switch ${name}`,
  };
}

function badName(name: string): BranchRefusal {
  return {
    problem: `"${printableLine(name, NAME_MAX)}" cannot be the name of a branch`,
    remedy: "choose another name, such as feature/checkout",
  };
}

function checkedOutElsewhere(name: string, tree: string): BranchRefusal {
  return {
    problem: `the branch "${name}" is checked out in another working tree: ${tree}`,
    remedy: `run there, or take that working tree away: git worktree remove ${tree}`,
  };
}

function missing(name: string): BranchRefusal {
  return {
    problem: `there is no branch "${name}", and branch.auto_create is false`,
    remedy: `create it: git branch ${name}; or let the run do it: auto_create: true`,
  };
}
