// Commits accepted work under a trailer that tells which iteration it belongs to, so that a crash never makes it twice.

import { err, ok, type Result } from "../../std/result.ts";
import type { Host } from "../host/host.ts";
import { readStatus, type DirtyPath } from "./read-status.ts";
import { runGit } from "./run-git.ts";

const TRAILER = "Ralph-Iteration";
/** A hook or a signing prompt may hang; nothing waits longer than this for it. */
const COMMIT_TIMEOUT_MS = 5 * 60_000;
const SEARCHED_COMMITS = 50;

/** What to commit, and in whose name. */
export interface CommitOrder {
  readonly tree: string;
  readonly subject: string;
  readonly iterationId: string;
  /** Which of the paths that are not clean are to be committed. */
  readonly choose: (dirty: readonly DirtyPath[]) => readonly string[];
  readonly signal: AbortSignal;
}

/** The new commit, or undefined where nothing was left to commit. */
export async function commitWork(
  host: Host,
  order: CommitOrder,
): Promise<Result<string | undefined, string>> {
  const status = await readStatus(host, order.tree);
  if (!status.ok) return status;
  const paths = order.choose(status.value.dirty);
  if (paths.length === 0) return ok(undefined);
  const common = { tree: order.tree, signal: order.signal, timeoutMs: COMMIT_TIMEOUT_MS };
  const fromInput = ["--pathspec-from-file=-", "--pathspec-file-nul"];
  const input = paths.join("\0");
  const added = await runGit(host, { ...common, args: ["add", "--all", ...fromInput], input });
  if (added.code !== 0) return err(`git add: ${added.timedOut ? "timed out" : added.stderr}`);
  const message = `${order.subject}\n\n${TRAILER}: ${order.iterationId}`;
  // --only leaves alone what a person has staged besides.
  const committed = await runGit(host, {
    ...common,
    args: ["commit", "--quiet", "--only", "-m", message, ...fromInput],
    input,
  });
  if (committed.code !== 0) {
    const why = committed.timedOut
      ? "it hung (a hook or a signing prompt?) and was ended"
      : committed.stderr;
    return err(`git commit: ${why}`);
  }
  return ok(await findCommit(host, order.tree, order.iterationId));
}

/** The commit that carries an iteration's trailer, looked for among the newest. */
export async function findCommit(
  host: Host,
  tree: string,
  iterationId: string,
): Promise<string | undefined> {
  const format = `%H%x00%(trailers:key=${TRAILER},valueonly,separator=%x2C)`;
  const answer = await runGit(host, {
    tree,
    args: ["log", `--max-count=${SEARCHED_COMMITS}`, `--format=${format}`, "--"],
  });
  if (answer.code !== 0) return undefined;
  const lines = answer.stdout.toString("utf8").split("\n");
  return lines.find((line) => line.split("\0")[1]?.trim() === iterationId)?.split("\0")[0];
}
