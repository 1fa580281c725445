// The real world behind the driver: one case per effect, each a short way from order to fact.

import { join, relative } from "node:path";
import { clocksWithin } from "../../core/loop/clocks-within.ts";
import { compareTasks, summarizeTasks } from "../../core/loop/next-task.ts";
import type { RunState } from "../../core/loop/state.ts";
import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import type { Effect } from "../../core/schema/effect.ts";
import type { GitReading, IterationFact, ProjectReading } from "../../core/schema/event.ts";
import { renderIterationId } from "../../core/schema/ids.ts";
import type { Task } from "../../core/schema/task.ts";
import { assert, unreachable } from "../../std/assert.ts";
import type { Result } from "../../std/result.ts";
import { clip } from "../../std/text.ts";
import { childEnvironment, runVariable } from "../../world/agents/environment.ts";
import { adapters } from "../../world/agents/registry.ts";
import { lostAgent, runAgent } from "../../world/agents/run-agent.ts";
import { commitWork, findCommit } from "../../world/git/commit.ts";
import { readCommits } from "../../world/git/read-commits.ts";
import { digestOf, readStatus, type GitStatus } from "../../world/git/read-status.ts";
import { isDiskError } from "../../world/host/files.ts";
import type { Host } from "../../world/host/host.ts";
import { ProcessTree } from "../../world/host/process-tree.ts";
import {
  appendEntry,
  hasNewEntry,
  hasOwnEntry,
  progressSize,
} from "../../world/memory/progress-txt.ts";
import { KeptLists } from "../../world/store/kept-lists.ts";
import {
  FILE_MODE,
  FOLDER_MODE,
  iterationPaths,
  type IterationPaths,
  type RunPaths,
} from "../../world/store/run-paths.ts";
import { PrdFile, type TaskReading } from "../../world/tasks/prd-file.ts";
import { readStories } from "../../world/tasks/stories.ts";
import { runGate } from "../../world/verify/run-gate.ts";
import type { Project } from "../project/open-project.ts";
import { commitPaths, isOwnFile } from "./commit-paths.ts";
import type { Performing, World } from "./ports.ts";
import { PromptWriter } from "./prompt-writer.ts";
import type { Note } from "../../core/schema/note.ts";

/** What the world of one run consists of. */
export interface WorldInput {
  readonly host: Host;
  readonly project: Project;
  readonly paths: RunPaths;
  /** Folder with the shipped templates. */
  readonly templates: string;
  /** How this program is started. */
  readonly self: readonly string[];
  readonly onNote: (note: Note) => void;
}

const FILES_NAMED_MAX = 20;
const FILE_NAME_MAX = 150;

/** Real files, real processes, real git. */
export class RealWorld implements World {
  readonly #in: WorldInput;
  readonly #tasks: PrdFile;
  readonly #prompts: PromptWriter;
  readonly #lists: KeptLists;

  constructor(input: WorldInput) {
    const { host, project } = input;
    this.#in = input;
    this.#tasks = new PrdFile(host, project.feature.tasks.path, project.feature.tasks.name);
    this.#lists = new KeptLists(host, input.paths);
    this.#prompts = new PromptWriter(host, project, input.templates);
  }

  async perform(effect: Effect, by: Performing): Promise<IterationFact | "cut"> {
    try {
      return await this.#perform(effect, by);
    } catch (error) {
      if (!isDiskError(error) || !(error instanceof Error)) throw error;
      return { type: "effect-failed", reason: "disk", detail: clip(error.message, 500) };
    }
  }

  async #perform(effect: Effect, by: Performing): Promise<IterationFact | "cut"> {
    switch (effect.type) {
      case "read-project":
        return await this.#readProject(by);
      case "write-prompt":
        return await this.#writePrompt(effect, by);
      case "run-agent":
        return await this.#runAgent(effect, by);
      case "inspect-project":
        return await this.#inspectProject(by);
      case "restore-tasks":
        return this.#restoreTasks(by);
      case "run-gate":
        return await this.#runGate(effect, by);
      case "mark-task":
        return this.#markTask(effect);
      case "write-memory":
        return this.#writeMemory(effect, by);
      case "commit":
        return await this.#commit(effect, by);
      default:
        return unreachable(effect);
    }
  }

  async probe(effect: Effect, by: Performing): Promise<IterationFact | undefined> {
    const id = iterationId(by.state);
    if (effect.type === "write-memory") {
      const isThere = hasOwnEntry(this.#in.host, this.#in.project.feature.memory.path, id);
      return isThere ? { type: "memory-written", by: "ralph" } : undefined;
    }
    if (effect.type === "commit" && this.#in.project.repository !== undefined) {
      const commit = await findCommit(this.#in.host, this.#in.project.repository.tree, id);
      return commit === undefined ? undefined : { type: "committed", commit };
    }
    return undefined;
  }

  lost(effect: Effect): IterationFact {
    assert(effect.type === "run-agent", `${effect.type} can be done again`);
    return { type: "agent-exited", exit: lostAgent() };
  }

  async endOrphans(state: RunState): Promise<void> {
    const { host } = this.#in;
    const agent = state.current?.agent;
    const isSame =
      agent !== undefined && host.processes.find(agent.pid)?.startTime === agent.startTime;
    const pid = isSame ? agent.pid : undefined;
    await new ProcessTree(host, { pid, since: undefined, variable: runVariable(state.run) }).end();
  }

  async waitUntil(at: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#in.host;
    // In pieces: a machine that slept must not sleep on, and the clock may be set.
    while (!signal.aborted && clock.now() < at)
      await clock.sleep(Math.min(60_000, at - clock.now()), signal);
  }

  async #readProject(by: Performing): Promise<IterationFact> {
    // Git works while the files are read.
    const status = this.#status();
    const reading = this.#tasks.read();
    const list = reading.ok ? { list: this.#lists.keep(reading.value.text) } : {};
    this.#pruneIterations(by.state);
    return { type: "project-read", reading: { ...this.#reading(reading, await status), ...list } };
  }

  async #inspectProject(by: Performing): Promise<IterationFact> {
    const before = by.state.current?.before;
    assert(before !== undefined, "what changed is told from the reading before");
    const status = this.#status();
    const read = this.#tasks.read();
    const now = this.#reading(read, await status);
    const tasksBefore = this.#tasksBefore(by.state);
    const head = now.git?.head;
    const moved = head !== undefined && head !== before.git?.head;
    const tree = this.#in.project.repository?.tree ?? this.#in.project.root;
    const commits = moved
      ? await readCommits(this.#in.host, tree, before.git?.head, head)
      : { count: 0, files: [] };
    const memory = this.#in.project.feature.memory.path;
    return {
      type: "project-inspected",
      change: {
        ...now,
        changes: compareTasks(tasksBefore, read.ok ? read.value.tasks : tasksBefore),
        commits: commits.count,
        treeChanged: now.digest !== before.digest,
        files: this.#changedFiles(commits.files),
        entryWritten: hasNewEntry(this.#in.host, memory, before.memoryBytes),
      },
    };
  }

  #reading(
    read: Result<TaskReading, readonly Diagnostic[]>,
    status: GitStatus | undefined,
  ): ProjectReading {
    const { host, project } = this.#in;
    const isOwn = (path: string): boolean => isOwnFile(project, path);
    const tree = project.repository?.tree ?? project.root;
    return {
      tasks: summarizeTasks(read.ok ? read.value.tasks : []),
      ...(read.ok ? {} : { problem: firstProblem(read.error) }),
      ...(status === undefined ? {} : { git: gitReading(status) }),
      digest: status === undefined ? "no repository" : digestOf(host, tree, status, isOwn),
      memoryBytes: progressSize(host, project.feature.memory.path),
    };
  }

  #lastStatus: GitStatus | undefined;

  /** A repository that git cannot read is treated as the last one seen: work goes on, and nothing is committed. */
  async #status(): Promise<GitStatus | undefined> {
    const { host, project } = this.#in;
    if (project.repository === undefined) return undefined;
    const status = await readStatus(host, project.repository.tree, "files");
    if (status.ok) this.#lastStatus = status.value;
    return this.#lastStatus;
  }

  #changedFiles(committed: readonly string[]): string[] {
    const dirty = (this.#lastStatus?.dirty ?? []).map(({ path }) => path);
    const files = [...new Set([...committed, ...dirty])].filter(
      (path) => !isOwnFile(this.#in.project, path),
    );
    return files.slice(0, FILES_NAMED_MAX).map((path) => clip(path, FILE_NAME_MAX));
  }

  async #writePrompt(
    effect: Effect & { type: "write-prompt" },
    by: Performing,
  ): Promise<IterationFact> {
    const folder = this.#iteration(by.state, effect.attempt);
    this.#in.host.files.makeFolder(folder.folder, FOLDER_MODE);
    const task = this.#tasksBefore(by.state).find(({ id }) => id === effect.task.id);
    assert(task !== undefined, "the chosen task is in the list");
    const { rejection, attempt } = effect;
    const head = by.state.current?.before?.git?.head;
    const prompt = await this.#prompts.render({ task, attempt, rejection, state: by.state, head });
    const bytes = Buffer.from(prompt.text);
    this.#in.host.files.replace(folder.prompt, bytes, { mode: FILE_MODE, durability: "cached" });
    return {
      type: "prompt-written",
      bytes: bytes.length,
      tokens: prompt.tokens,
      cut: [...prompt.cut],
    };
  }

  async #runAgent(effect: Effect & { type: "run-agent" }, by: Performing): Promise<IterationFact> {
    const { host, project, self } = this.#in;
    const { config } = by.state;
    const adapter = adapters[config.agent.name];
    const files = this.#iteration(by.state, effect.attempt);
    const exit = await runAgent(host, {
      argv: adapter.argv({
        agent: config.agent,
        permissions: config.permissions,
        allowedTools: config.allowedTools,
        self,
        featureFolder: project.feature.folder,
      }),
      install: adapter.install,
      output: config.agent.output ?? adapter.output,
      cwd: project.root,
      env: this.#environment(by.state, adapter.env),
      variable: runVariable(by.state.run),
      limits: clocksWithin(by.state),
      files,
      signal: by.signal,
      onStarted: by.onStarted,
      onNote: this.#in.onNote,
    });
    return { type: "agent-exited", exit };
  }

  #restoreTasks(by: Performing): IterationFact {
    const { host, project, paths } = this.#in;
    const { brokenTasks, folder } = this.#iteration(by.state, by.state.current?.attempt ?? 0);
    const broken = host.files.readText(project.feature.tasks.path);
    host.files.makeFolder(folder, FOLDER_MODE);
    // After a crash in between the list is whole again and what was broken is already aside.
    const before = this.#lists.read(by.state.current?.before?.list);
    assert(before !== undefined, "the list an iteration began with is kept");
    if (broken !== undefined && broken !== before) {
      host.files.replace(brokenTasks, broken, { mode: FILE_MODE, durability: "synced" });
    }
    this.#tasks.write(before);
    return {
      type: "tasks-restored",
      keptAside: relative(join(paths.folder, "..", "..", ".."), brokenTasks),
    };
  }

  async #runGate(
    effect: Effect & { type: "run-gate" },
    by: Performing,
  ): Promise<IterationFact | "cut"> {
    const { host, project } = this.#in;
    const result = await runGate(host, {
      gate: effect.gate,
      tree: project.root,
      env: this.#environment(by.state, {}),
      variable: runVariable(by.state.run),
      logs: this.#iteration(by.state, by.state.current?.attempt ?? 0).gates,
      signal: by.signal,
    });
    return result === undefined ? "cut" : { type: "gate-ran", result };
  }

  #markTask(effect: Effect & { type: "mark-task" }): IterationFact {
    const marked = this.#tasks.mark(effect.task, effect.status);
    const problem = marked.ok ? {} : { problem: marked.error };
    return { type: "task-marked", task: effect.task, status: effect.status, ...problem };
  }

  #writeMemory(effect: Effect & { type: "write-memory" }, by: Performing): IterationFact {
    const { host, project } = this.#in;
    appendEntry(host, project.feature.memory.path, effect.entry, {
      feature: project.feature.feature,
      iteration: by.state.iteration,
      iterationId: iterationId(by.state),
      at: host.clock.now(),
    });
    return { type: "memory-written", by: "ralph" };
  }

  async #commit(
    effect: Effect & { type: "commit" },
    by: Performing,
  ): Promise<IterationFact | "cut"> {
    const { host, project, paths } = this.#in;
    const tree = project.repository?.tree;
    assert(tree !== undefined, "a commit is ordered only in a repository");
    const committed = await commitWork(host, {
      tree,
      subject: effect.subject,
      iterationId: iterationId(by.state),
      choose: (dirty) => commitPaths(host, project, paths, dirty),
      signal: by.signal,
      env: { RALPH_RUN_ID: by.state.run },
    });
    if (by.signal.aborted) return "cut";
    if (!committed.ok) return { type: "committed", problem: clip(committed.error, 500) };
    return {
      type: "committed",
      ...(committed.value === undefined ? {} : { commit: committed.value }),
    };
  }

  #environment(state: RunState, further: Readonly<Record<string, string>>): Record<string, string> {
    const ids = {
      run: state.run,
      iteration: state.iteration,
      feature: state.feature,
      task: state.current?.task?.id,
      attempt: state.current?.attempt ?? 0,
      tasksFile: this.#in.project.feature.tasks.path,
    };
    return childEnvironment(this.#in.host, ids, further);
  }

  #parsedBefore: { text: string; tasks: readonly Task[] } | undefined;

  /** The tasks as they were before the agent started, also after a restart. */
  #tasksBefore(state: RunState): readonly Task[] {
    const text = this.#lists.read(state.current?.before?.list) ?? "";
    if (this.#parsedBefore?.text === text) return this.#parsedBefore.tasks;
    const tasks = readStories(text);
    this.#parsedBefore = { text, tasks };
    return tasks;
  }

  #iteration(state: RunState, attempt: number): IterationPaths {
    return iterationPaths(this.#in.paths, state.iteration, attempt);
  }

  #pruneIterations(state: RunState): void {
    const { host, paths } = this.#in;
    const oldest = state.iteration - state.config.keepIterations;
    if (oldest < 1) return;
    for (const name of host.files.list(paths.iterations)) {
      if (Number.parseInt(name, 10) <= oldest) host.files.remove(join(paths.iterations, name));
    }
  }
}

function iterationId(state: RunState): string {
  return renderIterationId(state.run, state.iteration);
}

function gitReading(status: GitStatus): GitReading {
  return {
    ...(status.head === undefined ? {} : { head: status.head }),
    ...(status.branch === undefined ? {} : { branch: clip(status.branch, 200) }),
    dirty: status.dirty.length,
  };
}

function firstProblem(diagnostics: readonly Diagnostic[]): string {
  const [first] = diagnostics;
  if (first === undefined) return "the task list cannot be read";
  return clip(
    `${first.file}${first.line === undefined ? "" : `:${first.line}`}: ${first.problem}`,
    500,
  );
}
