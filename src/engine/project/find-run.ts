// Finds a run and what is known of it, for everything that looks at a run without being one.

import type { RunState } from "../../core/loop/state.ts";
import { isRunId, type RunId } from "../../core/schema/ids.ts";
import type { Task } from "../../core/schema/task.ts";
import type { Host } from "../../world/host/host.ts";
import { lockPath, readLatestRun } from "../../world/store/latest-run.ts";
import { readHolder, type LockOwner } from "../../world/store/lock.ts";
import { readTip } from "../../world/store/read-log.ts";
import { runPaths, type RunPaths } from "../../world/store/run-paths.ts";
import { readStories } from "../../world/tasks/stories.ts";
import { treeOf, type Place, type Project } from "./open-project.ts";

/** A run as it stands on the disk, with the process that works on it. */
export interface FoundRun {
  readonly run: RunId;
  readonly paths: RunPaths;
  readonly state: RunState | undefined;
  /** Why the state is not known, where it is not. */
  readonly problem: string | undefined;
  readonly holder: LockOwner | undefined;
}

/** The newest run of a feature. */
export function findRun(host: Host, project: Project): FoundRun | undefined {
  const run = readLatestRun(host, project.record, treeOf(project), project.feature.feature);
  return run === undefined ? undefined : readRun(host, project, run);
}

/** The run that works in the tree right now, whatever its feature. */
export function findLiveRun(host: Host, place: Place): FoundRun | undefined {
  const holder = readHolder(host, lockPath(place.record, treeOf(place)));
  return holder !== undefined && isRunId(holder.run) ? readRun(host, place, holder.run) : undefined;
}

/** The tasks as the file has them now; none where it cannot be read. */
export function readTasks(host: Host, project: Project): readonly Task[] {
  return readStories(host.files.readText(project.feature.tasks.path) ?? "");
}

function readRun(host: Host, place: Place, run: RunId): FoundRun {
  const paths = runPaths(place.record, run);
  const tip = readTip(host, paths);
  const holder = readHolder(host, lockPath(place.record, treeOf(place)));
  return {
    run,
    paths,
    state: tip.ok ? tip.value.state : undefined,
    problem: tip.ok ? undefined : tip.error,
    holder: holder?.run === run ? holder : undefined,
  };
}
