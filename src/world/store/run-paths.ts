// Where the record of a run lies. The record is ours alone: people and agents read other files.

import { join } from "node:path";
import type { RunId } from "../../core/schema/ids.ts";

/** Folders 0700 and files 0600: the record may hold what an agent printed. */
export const FOLDER_MODE = 0o700;
export const FILE_MODE = 0o600;

/** The files of one run. */
export interface RunPaths {
  readonly folder: string;
  readonly events: string;
  readonly snapshot: string;
  readonly inbox: string;
  /** Folder of the task lists as they were before an agent, each named after its content. */
  readonly lists: string;
  /** The list as it was when a process last let go of the run. */
  readonly tasks: string;
  /** Folder of the person's other files as they were before an agent, named likewise. */
  readonly guarded: string;
  /** Paths git did not know when the run began; never committed by us. */
  readonly untracked: string;
  /** Paths git did not know when a process last let go of the run: the agent's, until the run goes on. */
  readonly leftovers: string;
  /** A mebibyte kept aside, so that the end can be written on a full disk. */
  readonly reserve: string;
  readonly iterations: string;
}

/** The files of one iteration. */
export interface IterationPaths {
  readonly folder: string;
  readonly prompt: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly notes: string;
  readonly gates: string;
  readonly brokenTasks: string;
  /** The list that was put back in its place, to tell what the agent had removed from what came later. */
  readonly tasksBefore: string;
  /** Where a file of this name lies once it was put aside. */
  readonly aside: (name: string) => string;
}

export function runPaths(root: string, run: RunId): RunPaths {
  const folder = join(root, "runs", run);
  return {
    folder,
    events: join(folder, "events.ndjson"),
    snapshot: join(folder, "state.json"),
    inbox: join(folder, "inbox"),
    lists: join(folder, "lists"),
    tasks: join(folder, "tasks.json"),
    guarded: join(folder, "guarded"),
    untracked: join(folder, "untracked.json"),
    leftovers: join(folder, "leftovers.json"),
    reserve: join(folder, "reserve"),
    iterations: join(folder, "iterations"),
  };
}

/** `attempt` counts the tries at the task, so that a folder's name tells both. */
export function iterationPaths(run: RunPaths, n: number, attempt: number): IterationPaths {
  const folder = join(run.iterations, `${n}-${attempt}`);
  return {
    folder,
    prompt: join(folder, "prompt"),
    stdout: join(folder, "stdout.raw"),
    stderr: join(folder, "stderr.raw"),
    notes: join(folder, "notes.ndjson"),
    gates: join(folder, "gates"),
    brokenTasks: join(folder, "tasks.broken"),
    tasksBefore: join(folder, "tasks.before"),
    aside: (name) => join(folder, `${name}.aside`),
  };
}
