// The real world behind the driver: one case per effect, each a short way from order to fact.

import { join } from "node:path";
import { clocksWithin } from "../../core/loop/clocks-within.ts";
import type { RunState } from "../../core/loop/state.ts";
import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import type { Effect } from "../../core/schema/effect.ts";
import type { IterationFact } from "../../core/schema/event.ts";
import { renderIterationId } from "../../core/schema/ids.ts";
import { assert, unreachable } from "../../std/assert.ts";
import { clip } from "../../std/text.ts";
import { childEnvironment, runVariable } from "../../world/agents/environment.ts";
import { adapters } from "../../world/agents/registry.ts";
import { lostAgent, runAgent } from "../../world/agents/run-agent.ts";
import { commitWork, findCommit } from "../../world/git/commit.ts";
import type { DirtyPath } from "../../world/git/read-status.ts";
import { isDiskError } from "../../world/host/files.ts";
import type { Host } from "../../world/host/host.ts";
import { ProcessTree } from "../../world/host/process-tree.ts";
import { appendEntry, hasOwnEntry } from "../../world/memory/progress-txt.ts";
import { CallLog } from "../../world/store/calls.ts";
import {
  FILE_MODE,
  FOLDER_MODE,
  iterationPaths,
  type IterationPaths,
  type RunPaths,
} from "../../world/store/run-paths.ts";
import { runGate } from "../../world/verify/run-gate.ts";
import { treeOf, type Project } from "../project/open-project.ts";
import { archiveFinished, findFinished } from "./archive-finished.ts";
import { commitPaths, isOwnFile } from "./commit-paths.ts";
import type { Performing, World } from "./ports.ts";
import { ProjectReader } from "./project-reader.ts";
import { PromptWriter, type PromptSource } from "./prompt-writer.ts";
import { Restorer } from "./restorer.ts";
import type { Note } from "../../core/schema/note.ts";

/** A template can become wrong only in a person's or an agent's hand, while the run works. */
const TEMPLATE_BROKEN = { type: "effect-failed", reason: "needs-human" } as const;

/** What the world of one run consists of. */
export interface WorldInput {
  readonly host: Host;
  readonly project: Project;
  readonly paths: RunPaths;
  /** Where the first part of the prompts comes from. */
  readonly prompt: PromptSource;
  /** How this program is started. */
  readonly self: readonly string[];
  readonly onNote: (note: Note) => void;
}

/** Real files, real processes, real git. */
export class RealWorld implements World {
  readonly #in: WorldInput;
  readonly #reader: ProjectReader;
  readonly #restorer: Restorer;
  readonly #prompts: PromptWriter;
  readonly #calls: CallLog;

  constructor(input: WorldInput) {
    const { host, project } = input;
    this.#in = input;
    this.#reader = new ProjectReader(host, project, input.paths);
    this.#restorer = new Restorer(host, project, input.paths, this.#reader);
    this.#calls = new CallLog(host, project.record, treeOf(project));
    this.#prompts = new PromptWriter(host, project, input.prompt);
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
        return { type: "project-inspected", change: await this.#reader.inspect(by.state) };
      case "mend-git":
        return await this.#restorer.mendGit(by.state);
      case "restore-tasks":
        return this.#restorer.restoreTasks(by.state);
      case "restore-file":
        return this.#restorer.restoreFile(by.state, effect.file);
      case "set-aside":
        return this.#restorer.setAside(by.state, effect.signal);
      case "run-gate":
        return await this.#runGate(effect, by);
      case "mark-task":
        return this.#markTask(effect, by);
      case "write-memory":
        return this.#writeMemory(effect, by);
      case "archive":
        return archiveFinished(this.#in.host, this.#in.project, by.state);
      case "commit":
        return await this.#commit(effect, by);
      default:
        return unreachable(effect);
    }
  }

  async probe(effect: Effect, by: Performing): Promise<IterationFact | undefined> {
    const id = iterationId(by.state);
    if (effect.type === "write-memory") {
      const path = this.#in.project.feature.memory.path;
      const isThere = hasOwnEntry(this.#in.host, path, entryId(effect, by.state));
      return isThere ? { type: "memory-written", by: "ralph" } : undefined;
    }
    if (effect.type === "archive") return findFinished(this.#in.host, this.#in.project, by.state);
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
    this.#pruneIterations(by.state);
    return { type: "project-read", reading: await this.#reader.read(by.state) };
  }

  async #writePrompt(
    effect: Effect & { type: "write-prompt" },
    by: Performing,
  ): Promise<IterationFact> {
    const folder = this.#iteration(by.state, effect.attempt);
    this.#in.host.files.makeFolder(folder.folder, FOLDER_MODE);
    const { state } = by;
    const task = this.#reader.listBefore(state).tasks.find(({ id }) => id === effect.task.id);
    assert(task !== undefined, "the chosen task is in the list");
    const { rejection, warning, attempt } = effect;
    const head = state.current?.before?.git?.head;
    const rendered = await this.#prompts.render({ task, attempt, rejection, warning, state, head });
    if (!rendered.ok) return { ...TEMPLATE_BROKEN, detail: clip(renderPlain(rendered.error), 500) };
    const prompt = rendered.value;
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
      onStarted: (started) => {
        // First: a start that is counted and never happens does less harm than one that is not counted.
        this.#calls.add();
        by.onStarted(started);
      },
      onNote: this.#in.onNote,
    });
    return { type: "agent-exited", exit };
  }

  async #runGate(
    effect: Effect & { type: "run-gate" },
    by: Performing,
  ): Promise<IterationFact | "cut"> {
    const { host, project } = this.#in;
    const { gate, phase = "check" } = effect;
    const own = gate.task === undefined ? [] : this.#reader.checksOf(by.state, gate.task);
    const result = await runGate(host, {
      gate: gate.task === undefined ? gate : { ...gate, command: ["set -e", ...own].join("\n") },
      phase,
      tree: project.root,
      env: this.#environment(by.state, {}),
      variable: runVariable(by.state.run),
      logs: this.#iteration(by.state, by.state.current?.attempt ?? 0).gates,
      signal: by.signal,
    });
    return result === undefined ? "cut" : { type: "gate-ran", result };
  }

  #markTask(effect: Effect & { type: "mark-task" }, by: Performing): IterationFact {
    const { task, status } = effect;
    const marked = this.#reader.tasks.mark(task, status);
    const { list } = this.#reader.see(by.state);
    return {
      type: "task-marked",
      task,
      status,
      ...(marked.ok ? {} : { problem: marked.error }),
      ...(list === undefined ? {} : { list }),
    };
  }

  #writeMemory(effect: Effect & { type: "write-memory" }, by: Performing): IterationFact {
    const { host, project } = this.#in;
    appendEntry(host, project.feature.memory.path, effect.entry, {
      feature: project.feature.feature,
      iteration: by.state.iteration,
      iterationId: entryId(effect, by.state),
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
      choose: (dirty) =>
        commitPaths(host, project, paths, dirty).filter((path) => this.#isWork(dirty, path)),
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

  /** A file that git does not know and that came after the agent's end is of a gate's making. */
  #isWork(dirty: readonly DirtyPath[], path: string): boolean {
    const isUntracked = dirty.some((entry) => entry.path === path && entry.kind === "untracked");
    return !isUntracked || isOwnFile(this.#in.project, path) || this.#reader.wasThere(path);
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

function renderPlain([first]: readonly Diagnostic[]): string {
  if (first === undefined) return "the prompt template is broken";
  return `${first.file}:${first.line ?? 1}:${first.column ?? 1}: ${first.problem}`;
}

function iterationId(state: RunState): string {
  return renderIterationId(state.run, state.iteration);
}

/** The closing entry has a name of its own: it may follow the entry of the same iteration. */
function entryId({ entry }: Effect & { type: "write-memory" }, state: RunState): string {
  return entry.output === undefined ? iterationId(state) : `${iterationId(state)}/closing`;
}
