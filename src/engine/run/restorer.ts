// Puts right what an agent may not have changed: the repository, the task list, the person's files, stop files. What it
// left is always kept aside.

import { join, relative } from "node:path";
import type { RunState } from "../../core/loop/state.ts";
import type { GuardedFile, SignalKind } from "../../core/schema/effect.ts";
import type { IterationFact } from "../../core/schema/event.ts";
import { assert } from "../../std/assert.ts";
import { clip } from "../../std/text.ts";
import { mendRepository } from "../../world/git/mend-repository.ts";
import type { Host } from "../../world/host/host.ts";
import {
  FILE_MODE,
  FOLDER_MODE,
  iterationPaths,
  type IterationPaths,
  type RunPaths,
} from "../../world/store/run-paths.ts";
import { mergeLists } from "../../world/tasks/merge-lists.ts";
import type { Project } from "../project/open-project.ts";
import type { ProjectReader } from "./project-reader.ts";

const WORDS_MAX = 1_000;
const SENTENCES_MAX = 10;
const PERSONS_FILE_MODE = 0o644;

/** The mending hand of one run. Everything it does can be done again after a crash. */
export class Restorer {
  readonly #host: Host;
  readonly #project: Project;
  readonly #paths: RunPaths;
  readonly #reader: ProjectReader;

  constructor(host: Host, project: Project, paths: RunPaths, reader: ProjectReader) {
    this.#host = host;
    this.#project = project;
    this.#paths = paths;
    this.#reader = reader;
  }

  async mendGit(state: RunState): Promise<IterationFact> {
    const { repository } = this.#project;
    const { before, startedAt, n } = state.current ?? {};
    const git = before?.git;
    assert(
      repository !== undefined && git?.branch !== undefined,
      "there is a branch to go back to",
    );
    const refs = this.#reader.refsBefore(state);
    const { did, problem } = await mendRepository(this.#host, repository, {
      branch: git.branch,
      head: git.head,
      stash: git.stash ?? [],
      ...(refs === undefined ? {} : { refs }),
      keep: `${state.run}-${n ?? 0}`,
      since: startedAt ?? 0,
    });
    return {
      type: "git-mended",
      did: did.slice(0, SENTENCES_MAX).map((words) => clip(words, WORDS_MAX)),
      ...(problem === undefined ? {} : { problem: clip(problem, WORDS_MAX) }),
    };
  }

  restoreTasks(state: RunState): IterationFact {
    const { tasks } = this.#project.feature;
    const { brokenTasks, tasksBefore } = this.#iteration(state);
    const left = this.#host.files.readText(tasks.path);
    const before = this.#reader.textBefore(state);
    if (before === undefined) return this.#withoutList(state);
    const merged = mergeLists(before, left ?? "", "drop");
    const restored = merged.ok ? merged.value : before;
    // After a crash in between the list is whole again and what was broken is already aside.
    if (left !== undefined && left !== restored) {
      this.#keep(tasksBefore, before);
      this.#keep(brokenTasks, left);
    }
    this.#reader.tasks.write(restored);
    return {
      type: "tasks-restored",
      keptAside: left === undefined ? "" : this.#named(brokenTasks),
      ...this.#reader.see(state),
    };
  }

  /** Somebody has taken the kept list out of the record: a person puts the list right, and it is taken as it is then. */
  #withoutList(state: RunState): IterationFact {
    const { tasks } = this.#project.feature;
    if (this.#reader.tasks.read().ok)
      return { type: "tasks-restored", keptAside: tasks.name, ...this.#reader.see(state) };
    const detail = `${tasks.name} is broken and the copy in the record is gone: put it right, for example with git restore ${tasks.name}`;
    return { type: "effect-failed", reason: "needs-human", detail };
  }

  restoreFile(state: RunState, file: GuardedFile): IterationFact {
    const { path } = this.#project.feature.guarded[file];
    const aside = this.#iteration(state).aside(file);
    const name = state.current?.before?.guarded?.[file];
    const before = this.#reader.guarded.read(name);
    const left = this.#host.files.readText(path);
    if (left !== undefined && left !== before) this.#keep(aside, left);
    if (name === undefined) this.#host.files.remove(path);
    else if (before !== undefined && left !== before) {
      const how = { mode: PERSONS_FILE_MODE, durability: "synced" } as const;
      this.#host.files.makeFolder(join(path, ".."), 0o755);
      this.#host.files.replace(path, before, how);
    }
    return { type: "file-restored", file, keptAside: left === undefined ? "" : this.#named(aside) };
  }

  setAside(state: RunState, signal: SignalKind): IterationFact {
    const path = this.#project.feature.stopFiles[signal];
    const aside = this.#iteration(state).aside(signal);
    const left = this.#host.files.readText(path);
    if (left !== undefined) this.#keep(aside, left);
    this.#host.files.remove(path);
    return { type: "signal-set-aside", signal, keptAside: this.#named(aside) };
  }

  #keep(path: string, text: string): void {
    this.#host.files.makeFolder(join(path, ".."), FOLDER_MODE);
    this.#host.files.replace(path, text, { mode: FILE_MODE, durability: "synced" });
  }

  #iteration(state: RunState): IterationPaths {
    return iterationPaths(this.#paths, state.iteration, state.current?.attempt ?? 0);
  }

  /** A path that a person finds from the repository's git folder. */
  #named(path: string): string {
    return relative(join(this.#paths.folder, "..", "..", ".."), path);
  }
}
