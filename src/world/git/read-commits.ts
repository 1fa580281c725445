// What happened in the history between two commits, asked only when the commit changed.

import type { Host } from "../host/host.ts";
import type { CommandAnswer } from "../host/short-command.ts";
import { runGit } from "./run-git.ts";

/** How many commits there are, what they touched, and how many went away. */
export interface CommitRange {
  readonly count: number;
  readonly files: readonly string[];
  /** Commits that the history had before and has no more. */
  readonly dropped: number;
}

const FILES_MAX = 200;
const COUNT_MAX = 200;
/** Both sides of a range together; the newest come first, so a longer new side may hide the other one. */
const READ_MAX = 500;

/** Commits reachable from `to` and not from `from`, the files they touched, and how many of `from` were dropped. */
export async function readCommits(
  host: Host,
  tree: string,
  from: string | undefined,
  to: string,
): Promise<CommitRange> {
  const range = from === undefined ? to : `${from}...${to}`;
  const answer = await readLog(host, tree, range);
  if (answer.code === 0) {
    const { rows, ...found } = parseLog(answer.stdout.toString("utf8"));
    if (from === undefined || rows < READ_MAX) return found;
    return { ...found, dropped: await countMissing(host, tree, { from, to }) };
  }
  if (from === undefined || answer.timedOut) return { count: 0, files: [], dropped: 0 };
  // The old commit may be gone from the repository altogether; what is there now can still be told.
  const rest = await readLog(host, tree, to);
  if (rest.code !== 0) return { count: 0, files: [], dropped: 0 };
  const { count, files } = parseLog(rest.stdout.toString("utf8"));
  return { count, files, dropped: 1 };
}

function readLog(host: Host, tree: string, range: string): Promise<CommandAnswer> {
  const args = ["log", `--max-count=${READ_MAX}`, "--left-right", "--format=%x01%m"];
  return runGit(host, { tree, args: [...args, "--name-only", "-z", range, "--"] });
}

/** Each commit begins with the mark of its side: `<` for the old one, anything else for the new one. */
function parseLog(text: string): CommitRange & { readonly rows: number } {
  const commits = text.split("\u0001").slice(1);
  const added = commits.filter((commit) => !commit.startsWith("<"));
  const files = new Set(
    added.slice(0, COUNT_MAX).flatMap((commit) => commit.slice(1).split(/[\0\n]/u)),
  );
  files.delete("");
  return {
    count: Math.min(added.length, COUNT_MAX),
    files: [...files].slice(0, FILES_MAX),
    dropped: Math.min(commits.length - added.length, COUNT_MAX),
    rows: commits.length,
  };
}

async function countMissing(
  host: Host,
  tree: string,
  { from, to }: { from: string; to: string },
): Promise<number> {
  const args = ["rev-list", "--count", `--max-count=${COUNT_MAX}`, `${to}..${from}`, "--"];
  const answer = await runGit(host, { tree, args });
  return answer.code === 0 ? Number(answer.stdout.toString("utf8")) : 0;
}

/** The newest commit subjects, newest first. */
export async function readSubjects(host: Host, tree: string, max: number): Promise<string[]> {
  const answer = await runGit(host, {
    tree,
    args: ["log", `--max-count=${max}`, "--format=%h %s", "--"],
  });
  return answer.code === 0
    ? answer.stdout
        .toString("utf8")
        .split("\n")
        .filter((line) => line !== "")
    : [];
}
