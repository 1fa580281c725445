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
  /** Undefined for a commit that belongs to no iteration. */
  readonly iterationId: string | undefined;
  /** Which of the paths that are not clean are to be committed. */
  readonly choose: (dirty: readonly DirtyPath[]) => readonly string[];
  readonly signal?: AbortSignal;
  /** Marks git and its hooks as processes of the run, so that they are found again after a crash. */
  readonly env: Readonly<Record<string, string>>;
}

/** The new commit, or undefined where nothing was left to commit. */
export async function commitWork(
  host: Host,
  order: CommitOrder,
): Promise<Result<string | undefined, string>> {
  // File by file: a folder may hold files of the user's beside the agent's.
  const status = await readStatus(host, order.tree, "files");
  if (!status.ok) return status;
  const { dirty } = status.value;
  const paths = order.choose(dirty);
  if (paths.length === 0) return ok(undefined);
  const { tree, signal, env } = order;
  const cut = signal === undefined ? {} : { signal };
  const common = { tree, ...cut, env, timeoutMs: COMMIT_TIMEOUT_MS };
  const fromInput = ["--pathspec-from-file=-", "--pathspec-file-nul"];
  // Only what git does not know yet: it refuses to add a file that is already gone from tree and index.
  const known = new Set(dirty.filter(({ kind }) => kind === "changed").map(({ path }) => path));
  const unknown = paths.filter((path) => !known.has(path));
  if (unknown.length > 0) {
    const args = ["add", ...fromInput];
    const added = await runGit(host, { ...common, args, input: join(unknown) });
    if (added.code !== 0) return err(`git add: ${added.timedOut ? "timed out" : added.stderr}`);
  }
  const { iterationId } = order;
  const message =
    iterationId === undefined ? order.subject : `${order.subject}\n\n${TRAILER}: ${iterationId}`;
  // --only leaves alone what a person has staged besides.
  const committed = await runGit(host, {
    ...common,
    args: ["commit", "--quiet", "--only", "-m", message, ...fromInput],
    input: join(paths),
  });
  if (committed.code !== 0) {
    const why = committed.timedOut
      ? "it hung (a hook or a signing prompt?) and was ended"
      : committed.stderr;
    const said =
      why.trim() === "" ? `exit code ${committed.code ?? "unknown"}, a hook perhaps` : why;
    return err(`git commit: ${said}`);
  }
  const missing = await findMissing(host, order.tree, paths);
  if (missing !== undefined) return err(`git commit: ${missing} is not in it, a hook perhaps`);
  if (iterationId !== undefined) return ok(await findCommit(host, order.tree, iterationId));
  const head = await runGit(host, { tree, args: ["rev-parse", "HEAD"] });
  return ok(head.stdout.toString("utf8").trim());
}

/** A hook may take out of a commit what was to be in it; then it is still dirty. */
async function findMissing(
  host: Host,
  tree: string,
  paths: readonly string[],
): Promise<string | undefined> {
  const status = await readStatus(host, tree, "files");
  const dirty = new Set(status.ok ? status.value.dirty.map(({ path }) => path) : []);
  return paths.find((path) => dirty.has(path));
}

function join(paths: readonly string[]): string {
  return paths.join("\0");
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
