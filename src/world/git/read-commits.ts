// What happened in the history between two commits, asked only when the commit changed.

import type { Host } from "../host/host.ts";
import { runGit } from "./run-git.ts";

/** How many commits there are, and what they touched. */
export interface CommitRange {
  readonly count: number;
  readonly files: readonly string[];
}

const FILES_MAX = 200;

/** Commits reachable from `to` and not from `from`, and the files they touched. */
export async function readCommits(
  host: Host,
  tree: string,
  from: string | undefined,
  to: string,
): Promise<CommitRange> {
  const range = from === undefined ? to : `${from}..${to}`;
  const answer = await runGit(host, {
    tree,
    args: ["log", "--max-count=200", "--format=%x01", "--name-only", "-z", range, "--"],
  });
  if (answer.code !== 0) return { count: 0, files: [] };
  const text = answer.stdout.toString("utf8");
  const files = new Set(text.split(/[\0\u0001\n]/u).filter((path) => path !== ""));
  return { count: text.split("\u0001").length - 1, files: [...files].slice(0, FILES_MAX) };
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
