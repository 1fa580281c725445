// The archive of a run whose feature goes on upon another branch: its own last list, and the progress it has left.

import { join } from "node:path";
import type { RunState } from "../../core/loop/state.ts";
import { readStatus } from "../../world/git/read-status.ts";
import type { Host } from "../../world/host/host.ts";
import { findArchive, writeArchive } from "../../world/store/archive.ts";
import { KeptTexts } from "../../world/store/kept-texts.ts";
import { runPaths } from "../../world/store/run-paths.ts";
import { readStories } from "../../world/tasks/stories.ts";
import { commitArchive, describeRun } from "../project/archive-feature.ts";
import { treeOf, type Project } from "../project/open-project.ts";

/** A commit of ours between two runs, by what HEAD was before and after it. */
export interface OwnCommit {
  readonly before: string | undefined;
  readonly after: string;
}

/** What is laid by. */
export interface PreviousRun {
  readonly project: Project;
  readonly last: RunState;
  /** The memory as that run has left it. */
  readonly progress: string;
  readonly onNotice: (text: string) => void;
}

const FILE_MODE = 0o644;

/** Afterwards the memory is empty; the commit is undefined where none was made. */
export async function archivePrevious(
  host: Host,
  previous: PreviousRun,
): Promise<OwnCommit | undefined> {
  const { project, last, progress, onNotice } = previous;
  const { archive, memory } = project.feature;
  const name = isArchived(host, previous) ? undefined : copy(host, previous);
  // A branch that has a memory of its own keeps it.
  const isItsOwn = progress !== "" && host.files.readText(memory.path) === progress;
  if (isItsOwn) host.files.replace(memory.path, "", { mode: FILE_MODE, durability: "synced" });
  if (name !== undefined)
    onNotice(`the run before worked on ${last.branch ?? ""}: archived in ${archive.name}/${name}`);
  const status = await readStatus(host, treeOf(project));
  const committed = await commitArchive(host, project, {
    subject: `chore: archive ${project.feature.feature} of ${last.branch ?? ""}`,
    paths: [
      ...(name === undefined ? [] : [join(archive.path, name)]),
      ...(isItsOwn ? [memory.path] : []),
    ],
  });
  if (!committed.ok) onNotice(`the archive is not committed: ${committed.error}`);
  if (!committed.ok || committed.value === undefined) return undefined;
  return { before: status.ok ? status.value.head : undefined, after: committed.value };
}

/** One that was archived when it was complete, and has written nothing since. */
function isArchived(host: Host, { project, last, progress }: PreviousRun): boolean {
  const { feature, archive } = project.feature;
  const name = findArchive(host, archive.path, feature, ({ run }) => run === last.run);
  if (name === undefined) return false;
  return (host.files.readText(join(archive.path, name, "progress.txt")) ?? "") === progress;
}

function copy(host: Host, { project, last, progress }: PreviousRun): string {
  const paths = runPaths(project.record, last.run);
  const list =
    host.files.readText(paths.tasks) ?? new KeptTexts(host, paths.lists).read(last.trust.list);
  const stories = readStories(list ?? "");
  const done = stories.filter(({ status }) => status === "done").length;
  const about = { ...describeRun(host, project, last), tasks: { total: stories.length, done } };
  return writeArchive(host, project.feature.archive.path, about, [
    ...(list === undefined ? [] : [{ name: "prd.json", text: list }]),
    { name: "progress.txt", text: progress },
    { name: "specs", from: project.feature.specs.path },
  ]);
}
