// One `git status` gives all that an iteration needs to know of the repository: commit, branch, and what is not clean.

import { createHash } from "node:crypto";
import { join } from "node:path";
import { err, ok, type Result } from "../../std/result.ts";
import type { Host } from "../host/host.ts";
import { runGit } from "./run-git.ts";

/** A path that differs from the last commit. */
export interface DirtyPath {
  readonly path: string;
  readonly kind: "changed" | "untracked" | "conflict";
}

/** The repository at one moment. */
export interface GitStatus {
  /** Undefined before the first commit. */
  readonly head: string | undefined;
  /** Undefined when HEAD is detached. */
  readonly branch: string | undefined;
  readonly dirty: readonly DirtyPath[];
}

const ARGS = ["status", "--porcelain=v2", "--branch", "-z", "--ignore-submodules=none"];
/** Files whose stamps go into a digest; more than this many dirty files are told apart by name only. */
const STAMPED_MAX = 5000;

/** With `folders` a folder git knows nothing of is one path that ends in a slash; `files` names each file in it. */
export async function readStatus(
  host: Host,
  tree: string,
  untracked: "folders" | "files" = "folders",
): Promise<Result<GitStatus, string>> {
  const depth = untracked === "files" ? "all" : "normal";
  const answer = await runGit(host, { tree, args: [...ARGS, `--untracked-files=${depth}`] });
  if (answer.timedOut) return err("git status did not end within a minute");
  if (answer.code !== 0) return err(answer.stderr === "" ? "git status failed" : answer.stderr);
  return ok(parseStatus(answer.stdout.toString("utf8")));
}

/** What tells one content of a dirty path from another, by path. */
export type DirtyStamps = ReadonlyMap<string, string>;

export function stampDirty(host: Host, tree: string, status: GitStatus): DirtyStamps {
  const stamps = status.dirty.map(({ path, kind }, index) => {
    const stamp = index < STAMPED_MAX ? host.files.stamp(join(tree, path)) : undefined;
    return [path, `${kind} ${stamp?.size ?? ""} ${stamp?.mtimeNs ?? ""}`] as const;
  });
  return new Map(stamps);
}

/** Changes with the commit and with every dirty file's content stamp; `skip` names files that do not count. */
export function digestOf(
  status: GitStatus,
  stamps: DirtyStamps,
  skip: (path: string) => boolean,
): string {
  const hash = createHash("sha256").update(`${status.head ?? "none"}\0`);
  for (const [path, stamp] of stamps) if (!skip(path)) hash.update(`${path}\0${stamp}\0`);
  return hash.digest("hex").slice(0, 32);
}

export function parseStatus(text: string): GitStatus {
  let head: string | undefined;
  let branch: string | undefined;
  const dirty: DirtyPath[] = [];
  const fields = text.split("\0");
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i] ?? "";
    if (field.startsWith("# branch.oid ")) head = known(field.slice(13), "(initial)");
    else if (field.startsWith("# branch.head ")) branch = known(field.slice(14), "(detached)");
    else if (field.startsWith("? ")) dirty.push({ path: field.slice(2), kind: "untracked" });
    else if (field.startsWith("u ")) dirty.push({ path: afterSpaces(field, 10), kind: "conflict" });
    else if (field.startsWith("1 ")) dirty.push({ path: afterSpaces(field, 8), kind: "changed" });
    else if (field.startsWith("2 ")) {
      dirty.push({ path: afterSpaces(field, 9), kind: "changed" });
      // A rename is followed by the path it had before.
      i += 1;
      dirty.push({ path: fields[i] ?? "", kind: "changed" });
    }
  }
  return { head, branch, dirty };
}

function known(text: string, none: string): string | undefined {
  return text === none ? undefined : text;
}

/** The rest of a line after its first `count` spaces; a path may hold spaces itself. */
function afterSpaces(line: string, count: number): string {
  let at = -1;
  for (let i = 0; i < count; i++) at = line.indexOf(" ", at + 1);
  return line.slice(at + 1);
}
