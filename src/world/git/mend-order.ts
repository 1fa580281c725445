// What a mending is told and what it answers, and the one way in which its parts call git.

import type { Host } from "../host/host.ts";
import type { Repository } from "./find-repository.ts";
import type { Refs } from "./read-refs.ts";
import { runGit } from "./run-git.ts";

/** Where the run stood when the agent began. */
export interface MendOrder {
  /** The branch that was checked out, without `refs/heads/`. */
  readonly branch: string;
  /** Its tip; undefined before the first commit. */
  readonly head: string | undefined;
  /** The commits of the stash, newest first. */
  readonly stash: readonly string[];
  /** Branches and tags and what they pointed at; those that are not named are left alone. */
  readonly refs?: Refs;
  /** A name for what is kept, fit to be part of a ref, and used for no other mending. */
  readonly keep: string;
  /** When the agent started, in epoch milliseconds. */
  readonly since: number;
}

/** What was mended, and what only a person can mend. */
export interface MendResult {
  /** One sentence each, for people. */
  readonly did: readonly string[];
  /** What is wrong still and the commands that help. */
  readonly problem: string | undefined;
}

/** The parts of a mending work on the same repository for the same order. */
export interface Mending {
  readonly host: Host;
  readonly repository: Repository;
  readonly order: MendOrder;
}

/** What one git command of a mending said. */
export interface MendAnswer {
  readonly ok: boolean;
  readonly text: string;
  /** Git's own words in one line, for a person. */
  readonly error: string;
}

export const NOTHING_DONE: MendResult = { did: [], problem: undefined };

/** A large tree takes its time, and a git that is ended half way leaves a half changed one. */
const MEND_TIMEOUT_MS = 5 * 60_000;
const ERROR_LINES_MAX = 6;

/** A hook of the project's could refuse or change what is being mended, so none runs. */
export async function mendGit(
  { host, repository }: Mending,
  args: readonly string[],
  input?: string,
): Promise<MendAnswer> {
  const answer = await runGit(host, {
    tree: repository.tree,
    args: ["-c", "core.hooksPath=/dev/null", ...args],
    timeoutMs: MEND_TIMEOUT_MS,
    ...(input === undefined ? {} : { input }),
  });
  const lines = answer.stderr.split("\n").map((line) => line.trim());
  const said = lines.filter((line) => line !== "").slice(0, ERROR_LINES_MAX);
  const error = answer.timedOut ? "it took too long and was ended" : said.join(" ");
  return { ok: answer.code === 0, text: answer.stdout.toString("utf8").trim(), error };
}
