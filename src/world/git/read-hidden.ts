// Files that git was told not to look at, so that neither its status nor its diff shows what becomes of them.

import { join } from "node:path";
import type { Host } from "../host/host.ts";
import type { Repository } from "./find-repository.ts";
import { runGit } from "./run-git.ts";

/** Assumed unchanged, or skipped in the working tree; a sparse checkout skips what it leaves out and is not meant. */
export async function readHidden(host: Host, repository: Repository): Promise<string[]> {
  const answer = await runGit(host, { tree: repository.tree, args: ["ls-files", "-v", "-z"] });
  if (answer.code !== 0) return [];
  const sparse = join(repository.gitFolder, "info", "sparse-checkout");
  const isSparse = host.files.kind(sparse) !== undefined;
  // A small letter means assumed unchanged, `S` skipped.
  const isHidden = (mark: string): boolean => /[a-z]/u.test(mark) || (mark === "S" && !isSparse);
  return answer.stdout
    .toString("utf8")
    .split("\0")
    .filter((line) => isHidden(line.slice(0, 1)))
    .map((line) => line.slice(2));
}

/** Changes whenever git writes its index, which is where these marks stand. */
export function indexStamp(host: Host, repository: Repository): string | undefined {
  const stamp = host.files.stamp(join(repository.gitFolder, "index"));
  return stamp === undefined ? undefined : `${stamp.ino} ${stamp.size} ${stamp.mtimeNs}`;
}

/** Code that an ignore rule hides, folders that are made by tools left out. */
export async function readIgnored(host: Host, repository: Repository): Promise<string[]> {
  const args = ["ls-files", "--others", "--ignored", "--exclude-standard", "-z"];
  const answer = await runGit(host, { tree: repository.tree, args });
  if (answer.code !== 0) return [];
  const paths = answer.stdout.toString("utf8").split("\0");
  return paths.filter((path) => CODE.test(path) && !MADE_BY_TOOLS.test(path)).slice(0, IGNORED_MAX);
}

const IGNORED_MAX = 1000;
const CODE =
  /\.(?:[cm]?[jt]sx?|py|go|rs|java|kts?|rb|php|cs|fs|swift|c|cc|cpp|h|hpp|scala|ex|exs|vue|svelte|sql|sh|bats|html|s?css)$/u;
const MADE_BY_TOOLS =
  /(?:^|\/)(?:node_modules|dist|build|out|target|coverage|vendor|venv|tmp|temp|logs?|__pycache__|\.[^/]+)(?:\/|$)/u;

/** Changes whenever the repository's own ignore rules do. */
export function excludeStamp(host: Host, repository: Repository): string | undefined {
  const stamp = host.files.stamp(join(repository.commonFolder, "info", "exclude"));
  return stamp === undefined ? undefined : `${stamp.ino} ${stamp.size} ${stamp.mtimeNs}`;
}
