// Which run is the newest of a feature in a working tree. A pointer, so that nobody has to search the runs.

import { join } from "node:path";
import { isRunId, type RunId } from "../../core/schema/ids.ts";
import { checksum } from "../../std/checksum.ts";
import type { Host } from "../host/host.ts";
import { FILE_MODE, FOLDER_MODE } from "./run-paths.ts";

/** A short name of a working tree that is safe in a file name. */
export function treeKey(tree: string): string {
  return checksum(tree).slice(0, 12);
}

export function lockPath(root: string, tree: string): string {
  return join(root, "locks", `${treeKey(tree)}.lock`);
}

export function readLatestRun(
  host: Host,
  root: string,
  tree: string,
  feature: string,
): RunId | undefined {
  const text = host.files.readText(pointer(root, tree, feature))?.trim();
  return text !== undefined && isRunId(text) ? text : undefined;
}

export function writeLatestRun(
  host: Host,
  root: string,
  of: { tree: string; feature: string; run: RunId },
): void {
  const path = pointer(root, of.tree, of.feature);
  host.files.makeFolder(join(root, "latest"), FOLDER_MODE);
  host.files.replace(path, `${of.run}\n`, { mode: FILE_MODE, durability: "synced" });
}

/** Features that have a run in this tree, whether their files are still there or not. */
export function listFeaturesWithRuns(host: Host, root: string, tree: string): string[] {
  const prefix = `${treeKey(tree)}-`;
  return host.files
    .list(join(root, "latest"))
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length));
}

/** A feature that is gone has no newest run: one of the same name begins anew. */
export function forgetLatestRun(host: Host, root: string, tree: string, feature: string): void {
  host.files.remove(pointer(root, tree, feature));
}

function pointer(root: string, tree: string, feature: string): string {
  return join(root, "latest", `${treeKey(tree)}-${feature}`);
}
