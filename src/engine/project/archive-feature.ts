// `ralph archive`: lays a feature by, by a person's word. Only while no run works in the tree.

import { join, relative } from "node:path";
import type { RunState } from "../../core/loop/state.ts";
import { err, ok, type Result } from "../../std/result.ts";
import { commitWork } from "../../world/git/commit.ts";
import type { Host } from "../../world/host/host.ts";
import type { FeaturePaths } from "../../world/layouts/hybrid.ts";
import {
  moveToArchive,
  writeArchive,
  type ArchivedRun,
  type ArchivePart,
} from "../../world/store/archive.ts";
import { forgetLatestRun, lockPath } from "../../world/store/latest-run.ts";
import { renderRefusal, takeLock } from "../../world/store/lock.ts";
import { findRun, readTasks } from "./find-run.ts";
import { treeOf, type Project } from "./open-project.ts";

/** What became of the feature. */
export interface Archived {
  /** From the project's folder. */
  readonly path: string;
  readonly tasks: ArchivedRun["tasks"];
  readonly commit: string | undefined;
  /** Why it was not committed; undefined outside a repository, too. */
  readonly problem: string | undefined;
}

/** The archive, or who works in the tree. */
export async function archiveFeature(
  host: Host,
  project: Project,
  how: "move" | "copy",
): Promise<Result<Archived, string>> {
  const path = lockPath(project.record, treeOf(project));
  const lock = takeLock(host, { path, run: "archive", otherHost: "refuse" });
  if (!lock.ok) return err(renderRefusal(lock.error, host.clock.now()));
  try {
    return ok(await archiveLocked(host, project, how));
  } finally {
    lock.value.release();
  }
}

async function archiveLocked(
  host: Host,
  project: Project,
  how: "move" | "copy",
): Promise<Archived> {
  const { feature, folder, archive } = project.feature;
  const state = findRun(host, project)?.state;
  const about = describeRun(host, project, state);
  const name =
    how === "copy"
      ? writeArchive(host, archive.path, about, featureParts(project.feature))
      : moveToArchive(host, archive.path, about, folder);
  if (how === "move") forgetLatestRun(host, project.record, treeOf(project), feature);
  const committed = await commitArchive(host, project, {
    subject: `chore: archive ${feature}`,
    paths: [join(archive.path, name), ...(how === "move" ? [folder] : [])],
  });
  return {
    path: `${archive.name}/${name}`,
    tasks: about.tasks,
    commit: committed.ok ? committed.value : undefined,
    problem: committed.ok ? undefined : committed.error,
  };
}

/** Commits these files and folders, given in full, and nothing else; nothing happens outside a repository. */
export async function commitArchive(
  host: Host,
  project: Project,
  what: { readonly subject: string; readonly paths: readonly string[] },
): Promise<Result<string | undefined, string>> {
  const { repository } = project;
  if (repository === undefined) return ok(undefined);
  const own = what.paths.map((path) => relative(repository.tree, path));
  return await commitWork(host, {
    tree: repository.tree,
    subject: what.subject,
    iterationId: undefined,
    choose: (dirty) =>
      dirty
        .map(({ path }) => path)
        .filter((path) => own.some((one) => path === one || path.startsWith(`${one}/`))),
    env: {},
  });
}

/** What an archive tells about the run it is of, at this moment. */
export function describeRun(
  host: Host,
  project: Project,
  state: RunState | undefined,
): ArchivedRun {
  const tasks = readTasks(host, project);
  return {
    v: 1,
    ...(state === undefined ? {} : { run: state.run, iterations: state.iteration }),
    feature: project.feature.feature,
    archivedAt: new Date(host.clock.now()).toISOString(),
    ...(state?.end === undefined ? {} : { end: state.end.reason }),
    tasks: { total: tasks.length, done: tasks.filter(({ status }) => status === "done").length },
    ...(state?.costUsd === undefined ? {} : { costUsd: state.costUsd }),
    ...(state?.tokens === undefined ? {} : { tokens: state.tokens }),
    ...(state?.branch === undefined ? {} : { branch: state.branch }),
  };
}

/** What an archive keeps of a feature. */
export function featureParts(feature: FeaturePaths): ArchivePart[] {
  return [
    { name: "prd.json", from: feature.tasks.path },
    { name: "progress.txt", from: feature.memory.path },
    { name: "specs", from: feature.specs.path },
  ];
}
