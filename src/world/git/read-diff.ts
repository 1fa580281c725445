// What the working tree changed since a commit, as the text of one `git diff`, bounded. It reads no meaning into it.

import { join } from "node:path";
import type { Host } from "../host/host.ts";
import { runGit } from "./run-git.ts";

/** A file of the working tree with the beginning of its text. */
export interface FileText {
  readonly path: string;
  readonly text: string;
}

const PATHS_MAX = 500;
/** The arguments of a program share a limit, and a start beyond it throws. */
const PATH_CHARS_MAX = 96 * 1024;
const DIFF_CHARS_MAX = 4 * 1024 * 1024;
const FILE_CHARS_MAX = 1024 * 1024;
/** Whatever the user's configuration says, the text has the one form that our parser reads. */
const ARGS = [
  "-c",
  "core.quotePath=false",
  "diff",
  "-U0",
  "--inter-hunk-context=0",
  "-M",
  // An attribute must not hide a file from us; what is binary in truth is left out below.
  "--text",
  "--no-color",
  "--no-ext-diff",
  "--no-textconv",
  "--submodule=short",
  "--src-prefix=a/",
  "--dst-prefix=b/",
];
const SECTION = "diff --git ";

/**
 * The working tree against commit `base`, only `paths`; empty when git fails. A rename is seen as one only when both of its
 * paths are given, and a file that git does not track is never seen: `readTexts` brings those.
 */
export async function readDiff(
  host: Host,
  tree: string,
  base: string,
  paths: readonly string[],
): Promise<string> {
  const bounded = boundPaths(paths);
  // Without a path git would compare the whole tree.
  if (bounded.length === 0) return "";
  const answer = await runGit(host, { tree, args: [...ARGS, base, "--", ...bounded] });
  return answer.code === 0 ? boundDiff(answer.stdout.toString("utf8")) : "";
}

/** The texts of files git does not track; what is no regular file or is gone again is left out. */
export function readTexts(host: Host, tree: string, paths: readonly string[]): FileText[] {
  const texts: FileText[] = [];
  for (const path of paths.slice(0, PATHS_MAX)) {
    const full = join(tree, path);
    if (host.files.kind(full) !== "file") continue;
    const text = host.files.readRange(full, 0, FILE_CHARS_MAX)?.toString("utf8");
    if (text !== undefined && !text.includes("\0")) texts.push({ path, text });
  }
  return texts;
}

function boundPaths(paths: readonly string[]): string[] {
  const bounded: string[] = [];
  let left = PATH_CHARS_MAX;
  for (const path of paths.slice(0, PATHS_MAX)) {
    left -= path.length;
    if (left < 0) break;
    bounded.push(path);
  }
  return bounded;
}

/** A file too large, binary or beyond the cap keeps its head, so that its deletion or rename is still known. */
function boundDiff(text: string): string {
  let left = DIFF_CHARS_MAX;
  const bounded = text.split(`\n${SECTION}`).map((part, index) => {
    const section = index === 0 ? part : SECTION + part;
    const whole = section.length <= Math.min(FILE_CHARS_MAX, left) && !section.includes("\0");
    const kept = whole ? section : headOf(section);
    left -= kept.length;
    return kept;
  });
  return bounded.join("\n");
}

function headOf(section: string): string {
  const hunk = section.indexOf("\n@@ ");
  return hunk === -1 ? section.slice(0, FILE_CHARS_MAX) : section.slice(0, hunk);
}
