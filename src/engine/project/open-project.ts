// Finds the project around a folder: its root, its repository, its record and the feature that is meant.

import { dirname, join, relative, sep } from "node:path";
import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import { checksum } from "../../std/checksum.ts";
import { ok, type Result } from "../../std/result.ts";
import { findRepository, type Repository } from "../../world/git/find-repository.ts";
import type { Host } from "../../world/host/host.ts";
import { findFeature, listFeatures, type FeaturePaths } from "../../world/layouts/hybrid.ts";

/** A folder with work in it. */
export interface Project {
  /** The folder that holds `.ralph/`; agents and gates run here. */
  readonly root: string;
  readonly repository: Repository | undefined;
  /** Where our own record lies: in the common git directory, or in the user's state folder. */
  readonly record: string;
  readonly feature: FeaturePaths;
}

/** The same before a feature was chosen. */
export type Place = Omit<Project, "feature">;

const DEPTH_MAX = 100;

export function openProject(
  host: Host,
  cwd: string,
  wanted: string | undefined,
): Result<Project, Diagnostic[]> {
  const place = findPlace(host, cwd);
  const feature = findFeature(host, {
    tree: place.root,
    wanted,
    branch: branchOf(host, place.repository),
    folder: folderOf(host, cwd, place),
  });
  return feature.ok ? ok({ ...place, feature: feature.value }) : feature;
}

export function findPlace(host: Host, cwd: string): Place {
  const repository = findRepository(host, cwd);
  const root = findRoot(host, cwd) ?? repository?.tree ?? host.files.real(cwd) ?? cwd;
  const record =
    repository === undefined ? stateFolder(host, root) : join(repository.commonFolder, "ralph");
  return { root, repository, record };
}

/** Names of the features around a folder. */
export function listFeaturesAt(host: Host, cwd: string): string[] {
  return listFeatures(host, findPlace(host, cwd).root);
}

/** The working tree a lock and a run belong to. */
export function treeOf(place: Place): string {
  return place.repository?.tree ?? place.root;
}

function findRoot(host: Host, cwd: string): string | undefined {
  let folder = host.files.real(cwd) ?? cwd;
  const home = homeOf(host);
  for (let depth = 0; depth < DEPTH_MAX; depth++) {
    // A home folder has a `.ralph` of its own, which is no project.
    const isHome = folder === home;
    if (!isHome && host.files.kind(join(folder, ".ralph")) === "folder") return folder;
    const parent = dirname(folder);
    if (parent === folder || host.files.kind(join(folder, ".git")) !== undefined) return undefined;
    folder = parent;
  }
  return undefined;
}

/** With links followed, as every folder on the way is: a home may be a link to where it really lies. */
function homeOf(host: Host): string | undefined {
  const home = host.env["HOME"] ?? "";
  return home === "" ? undefined : (host.files.real(home) ?? home);
}

/** In `.ralph/shop/specs` a person means the feature `shop`. */
function folderOf(host: Host, cwd: string, { root }: Place): string | undefined {
  const [first, second] = relative(root, host.files.real(cwd) ?? cwd).split(sep);
  return first === ".ralph" ? second : undefined;
}

/** Read from HEAD itself: cheaper than asking git, and enough for a name. */
function branchOf(host: Host, repository: Repository | undefined): string | undefined {
  if (repository === undefined) return undefined;
  const head = host.files.readText(join(repository.gitFolder, "HEAD"))?.trim() ?? "";
  return head.startsWith("ref: refs/heads/") ? head.slice("ref: refs/heads/".length) : undefined;
}

function stateFolder(host: Host, root: string): string {
  const base = host.env["XDG_STATE_HOME"] ?? join(host.env["HOME"] ?? "/tmp", ".local", "state");
  return join(base, "ralph", checksum(root));
}
