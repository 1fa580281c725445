// Which paths a commit of ours may hold: the agent's work and our own layout files, never what the user had lying about.

import { join, relative } from "node:path";
import * as z from "zod/mini";
import type { DirtyPath } from "../../world/git/read-status.ts";
import type { Host } from "../../world/host/host.ts";
import { FILE_MODE, type RunPaths } from "../../world/store/run-paths.ts";
import { treeOf, type Project } from "../project/open-project.ts";

/**
 * Remembers what git does not know when the run begins: it is the user's, but for what the agents of the run before,
 * whose record is `last`, have left unfinished.
 */
export function writeUntracked(
  host: Host,
  paths: RunPaths,
  dirty: readonly DirtyPath[],
  last?: RunPaths,
): void {
  const left = new Set(last === undefined ? [] : (readNames(host, last.leftovers) ?? []));
  const users = new Set(last === undefined ? [] : (readNames(host, last.untracked) ?? []));
  const isAgents = (name: string): boolean => left.has(name) && !users.has(name);
  writeNames(
    host,
    paths.untracked,
    untrackedOf(dirty).filter((name) => !isAgents(name)),
  );
}

/** Remembers what git does not know when a process lets go of the run: rejected or unfinished work of the agent's. */
export function writeLeftovers(host: Host, paths: RunPaths, dirty: readonly DirtyPath[]): void {
  writeNames(host, paths.leftovers, untrackedOf(dirty));
}

/** What has appeared since a process let go of the run is the user's, too; after a crash nobody can tell. */
export function addUntracked(host: Host, paths: RunPaths, dirty: readonly DirtyPath[]): void {
  const leftovers = readNames(host, paths.leftovers);
  if (leftovers === undefined) return;
  const users = readNames(host, paths.untracked) ?? [];
  const known = new Set([...leftovers, ...users]);
  const fresh = untrackedOf(dirty).filter((name) => !known.has(name));
  if (fresh.length > 0) writeNames(host, paths.untracked, [...users, ...fresh]);
  host.files.remove(paths.leftovers);
}

function untrackedOf(dirty: readonly DirtyPath[]): string[] {
  return dirty.filter(({ kind }) => kind === "untracked").map(({ path }) => path);
}

function writeNames(host: Host, path: string, names: readonly string[]): void {
  host.files.replace(path, JSON.stringify(names), { mode: FILE_MODE, durability: "synced" });
}

export function commitPaths(
  host: Host,
  project: Project,
  paths: RunPaths,
  dirty: readonly DirtyPath[],
): string[] {
  const users = new Set(readNames(host, paths.untracked));
  // Even file by file, a repository inside this one is told as a folder.
  const folders = [...users].filter((path) => path.endsWith("/"));
  const own = ownFiles(project);
  // A folder git knows nothing of is one entry; of ours only the files themselves go in, if they exist.
  const ours = own.filter(
    (file) => dirty.some(({ path }) => covers(path, file)) && exists(host, project, file),
  );
  const work = dirty
    .filter(({ path, kind }) => kind !== "conflict" && !own.some((file) => covers(path, file)))
    .filter(({ path }) => !users.has(path) && !folders.some((folder) => path.startsWith(folder)))
    .map(({ path }) => path);
  return [...ours, ...work];
}

/**
 * True for the task list, the memory file, a folder that holds them, and all in the archive: their changes are told in
 * other ways.
 */
export function isOwnFile(project: Project, path: string): boolean {
  const archive = relative(treeOf(project), project.feature.archive.path);
  return path.startsWith(`${archive}/`) || ownFiles(project).some((file) => covers(path, file));
}

function ownFiles(project: Project): string[] {
  const tree = treeOf(project);
  return [project.feature.tasks.path, project.feature.memory.path].map((path) =>
    relative(tree, path),
  );
}

/** True when `path` is the file or, ending in a slash, a folder above it. */
function covers(path: string, file: string): boolean {
  return path === file || (path.endsWith("/") && file.startsWith(path));
}

function exists(host: Host, project: Project, file: string): boolean {
  const tree = treeOf(project);
  return host.files.kind(join(tree, file)) !== undefined;
}

function readNames(host: Host, path: string): string[] | undefined {
  const text = host.files.readText(path);
  if (text === undefined) return undefined;
  try {
    return z.array(z.string()).parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
