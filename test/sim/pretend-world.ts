// The world behind the driver, in memory: one case per effect as in the real one, with pauses in which persons act, the
// clock moves and the runner may die.

import type { RunState } from "../../src/core/loop/state.ts";
import type { Control, StopControl } from "../../src/core/schema/control.ts";
import type { Effect } from "../../src/core/schema/effect.ts";
import type { IterationFact } from "../../src/core/schema/event.ts";
import { renderIterationId } from "../../src/core/schema/ids.ts";
import type { Performing, World } from "../../src/engine/run/ports.ts";
import { assert, unreachable } from "../../src/std/assert.ts";
import { lostAgent } from "../../src/world/agents/run-agent.ts";
import { isDiskError } from "../../src/world/host/files.ts";
import { editProject } from "./persons.ts";
import { noSpace } from "./pretend-disk.ts";
import { PretendReader } from "./pretend-reader.ts";
import { PretendSupervisor } from "./pretend-supervisor.ts";
import type { Stage } from "./stage.ts";
import { mergeStories } from "./story.ts";

/** One process of the runner looks at the stage through this. */
export class PretendWorld implements World {
  readonly stage: Stage;
  readonly #reader: PretendReader;
  readonly #supervisor: PretendSupervisor;
  #onControl: ((id: string, control: Control) => void) | undefined;
  #controls = 0;

  constructor(stage: Stage) {
    this.stage = stage;
    this.#reader = new PretendReader(stage);
    this.#supervisor = new PretendSupervisor(stage, (ms) => this.#pause(ms));
  }

  readonly listen = (onControl: (id: string, control: Control) => void): (() => void) => {
    this.#onControl = onControl;
    this.#takeInbox();
    return () => {
      this.#onControl = undefined;
    };
  };

  async perform(effect: Effect, by: Performing): Promise<IterationFact | "cut"> {
    const { machine } = this.stage;
    machine.tell({ type: "effect-began", effect, iteration: by.state.iteration });
    try {
      const fact = await this.#perform(effect, by);
      machine.danger(`after ${effect.type}, before its fact`);
      return fact;
    } catch (error) {
      if (!isDiskError(error) || !(error instanceof Error)) throw error;
      return { type: "effect-failed", reason: "disk", detail: error.message };
    }
  }

  async probe(effect: Effect, by: Performing): Promise<IterationFact | undefined> {
    const { project, machine } = this.stage;
    const id = iterationId(by.state);
    await this.#pause(50);
    machine.tell({ type: "probed", effect: effect.type });
    if (effect.type === "archive") return project.archives.includes(id) ? archived(id) : undefined;
    if (effect.type === "write-memory") {
      return project.markers.includes(entryId(effect, id))
        ? { type: "memory-written", by: "ralph" }
        : undefined;
    }
    if (effect.type !== "commit") return undefined;
    const isThere = project.trailers.includes(id);
    return isThere ? { type: "committed", commit: project.repository.head } : undefined;
  }

  lost(effect: Effect): IterationFact {
    assert(effect.type === "run-agent", `${effect.type} can be done again`);
    return { type: "agent-exited", exit: lostAgent() };
  }

  async endOrphans(): Promise<void> {
    const { stage } = this;
    await this.#pause(100);
    stage.live = undefined;
    stage.project.repository.noteLeft();
    stage.machine.processes.clear();
    stage.machine.tell({ type: "orphans-ended", alive: stage.machine.countAlive() });
  }

  async waitUntil(at: number, signal: AbortSignal): Promise<void> {
    const { machine } = this.stage;
    let left = 0;
    for (let piece = 0; !signal.aborted && machine.now < at; piece++) {
      // A few pieces are enough for persons to step in; the last one is as long as it must be.
      left = at - machine.now;
      await this.#pause(piece < 4 ? Math.min(left, Math.ceil(left / 3)) : left);
      if (!signal.aborted && this.#mayEdit()) editProject(this.stage);
      if (!signal.aborted && this.stage.isAsking) this.#mayAnswer();
    }
  }

  #perform(effect: Effect, by: Performing): Promise<IterationFact | "cut"> {
    switch (effect.type) {
      case "read-project":
        return this.#readProject(by);
      case "write-prompt":
        return this.#writePrompt(effect, by);
      case "run-agent":
        return this.#supervisor.runAgent(effect, by);
      case "inspect-project":
        return this.#inspectProject(by);
      case "mend-git":
        return this.#mendGit(by);
      case "restore-tasks":
        return this.#restoreTasks(by);
      case "restore-file":
        return this.#restoreFile(effect, by);
      case "set-aside":
        return this.#setAside(effect);
      case "run-gate":
        return this.#supervisor.runGate(effect, by, this.#checkOf(effect, by));
      case "mark-task":
        return this.#markTask(effect);
      case "write-memory":
        return this.#writeMemory(effect, by);
      case "archive":
        return this.#archive(by);
      case "commit":
        return this.#commit(by);
      default:
        return unreachable(effect);
    }
  }

  /** Time passes; meanwhile a person may say something, and the runner may die. */
  async #pause(ms: number): Promise<void> {
    const { stage } = this;
    const { machine, persons, plan } = stage;
    await Promise.resolve();
    if (machine.isDead) machine.danger("dead");
    machine.advance(ms);
    if (!stage.isCalm && persons.chance(plan.controlShare)) this.#giveControl();
    machine.danger("while an effect is under way");
  }

  /** At each look: not yet, wait, or exit. */
  #mayAnswer(): void {
    const { machine, persons } = this.stage;
    const answer = persons.pick([undefined, undefined, "wait", "wait", "exit"] as const);
    if (answer === undefined || machine.isDead) return;
    machine.tell({ type: "answered", answer });
    this.#hear({ type: "answer", answer, from: "a person" });
  }

  #giveControl(): void {
    const { machine, persons, inbox } = this.stage;
    for (let again = persons.pick([1, 1, 1, 2, 3, 10]); again > 0 && !machine.isDead; again--) {
      const when = persons.pick(["after-iteration", "now"] as const);
      const signal = persons.pick(["SIGINT", "SIGTERM", "SIGHUP"] as const);
      const control: StopControl = { type: "stop", when, signal, from: "a person" };
      if (persons.chance(0.5)) {
        inbox.push(control);
        this.#takeInbox();
      } else this.#deliver(control);
    }
  }

  /** A file goes once its control was taken; after a death in between it is taken again. */
  #takeInbox(): void {
    const { machine, inbox } = this.stage;
    while (inbox[0] !== undefined && !machine.isDead) {
      this.#deliver(inbox[0]);
      if (!machine.isDead) inbox.shift();
    }
  }

  #deliver(control: StopControl): void {
    this.stage.machine.tell({ type: "control-given", control });
    this.#hear(control);
  }

  #hear(control: Control): void {
    this.#controls += 1;
    this.#onControl?.(`control-${this.stage.machine.life}-${this.#controls}`, control);
  }

  #mayEdit(): boolean {
    const { isCalm, persons, plan } = this.stage;
    return !isCalm && persons.chance(plan.editShare);
  }

  async #readProject(by: Performing): Promise<IterationFact> {
    const { stage } = this;
    if (this.#mayEdit()) editProject(stage);
    if (!stage.isCalm && stage.persons.chance(stage.plan.editShare / 10)) {
      stage.project.setList({ kind: "broken", by: "person" }, "person");
    }
    await this.#pause(40);
    return { type: "project-read", reading: this.#reader.read(by.state) };
  }

  async #inspectProject(by: Performing): Promise<IterationFact> {
    await this.#pause(60);
    return { type: "project-inspected", change: this.#reader.inspect(by.state) };
  }

  async #writePrompt(
    effect: Effect & { type: "write-prompt" },
    by: Performing,
  ): Promise<IterationFact> {
    await this.#pause(30);
    this.#needRoom();
    const { stories } = this.#reader.listBefore(by.state);
    const task = stories.find(({ id }) => id === effect.task.id);
    assert(task !== undefined, "the chosen task is in the list");
    const { attempt, rejection } = effect;
    const { iteration } = by.state;
    this.stage.machine.tell({
      type: "prompt",
      iteration,
      task: task.id,
      attempt,
      rejection: rejection?.reason,
    });
    return { type: "prompt-written", bytes: 1000, tokens: 250, cut: [] };
  }

  async #mendGit(by: Performing): Promise<IterationFact> {
    await this.#pause(30);
    const git = by.state.current?.before?.git;
    assert(git?.branch !== undefined && git.head !== undefined, "there is a branch to go back to");
    const order = { branch: git.branch, head: git.head, stash: git.stash ?? [] };
    const { did, problem } = this.stage.project.repository.mend(order);
    return { type: "git-mended", did, ...(problem === undefined ? {} : { problem }) };
  }

  async #restoreTasks(by: Performing): Promise<IterationFact> {
    await this.#pause(30);
    this.#needRoom();
    const { project } = this.stage;
    const left = project.list.kind === "list" ? project.list : undefined;
    const merged = mergeStories(this.#reader.listBefore(by.state), left);
    project.setList({ kind: "list", ...merged }, "ralph");
    const list = this.#reader.see();
    return {
      type: "tasks-restored",
      keptAside: "tasks.broken",
      tasks: this.#reader.summary(by.state),
      ...(list === undefined ? {} : { list }),
    };
  }

  async #restoreFile(
    { file }: Effect & { type: "restore-file" },
    by: Performing,
  ): Promise<IterationFact> {
    await this.#pause(20);
    this.#needRoom();
    // A kept text is its own name here.
    this.stage.project.files[file] = by.state.current?.before?.guarded?.[file];
    return { type: "file-restored", file, keptAside: `${file}.aside` };
  }

  async #setAside({ signal }: Effect & { type: "set-aside" }): Promise<IterationFact> {
    await this.#pause(20);
    this.#needRoom();
    this.stage.project.stopFiles.delete(signal);
    return { type: "signal-set-aside", signal, keptAside: `${signal}.aside` };
  }

  /** The command of a task's own check, as the person wrote it. */
  #checkOf({ gate }: Effect & { type: "run-gate" }, by: Performing): string {
    const { task } = gate;
    if (task === undefined) return gate.name;
    const { stories } = this.#reader.listBefore(by.state);
    const story = stories.find(({ id }) => id === task) ?? this.stage.project.story(task);
    assert(story?.check !== undefined, "a task with a check of its own has a command");
    return story.check;
  }

  async #markTask(effect: Effect & { type: "mark-task" }): Promise<IterationFact> {
    await this.#pause(20);
    this.#needRoom();
    const { task, status } = effect;
    const isMarked = this.stage.project.mark(task, status === "done", "ralph");
    const list = this.#reader.see();
    return {
      type: "task-marked",
      task,
      status,
      ...(isMarked ? {} : { problem: "no such story" }),
      ...(list === undefined ? {} : { list }),
    };
  }

  async #writeMemory(
    effect: Effect & { type: "write-memory" },
    by: Performing,
  ): Promise<IterationFact> {
    await this.#pause(20);
    this.#needRoom();
    this.stage.project.remember(entryId(effect, iterationId(by.state)));
    return { type: "memory-written", by: "ralph" };
  }

  async #archive({ state }: Performing): Promise<IterationFact> {
    await this.#pause(30);
    this.#needRoom();
    this.stage.project.archive(iterationId(state));
    return archived(iterationId(state));
  }

  async #commit(by: Performing): Promise<IterationFact | "cut"> {
    const { project, faults, plan, isCalm } = this.stage;
    await this.#pause(200);
    this.#needRoom();
    // A stop may find git before or after the deed.
    if (by.signal.aborted && faults.chance(0.5)) return "cut";
    const isRefused = project.repository.isLocked || (!isCalm && faults.chance(plan.hookShare));
    if (isRefused) {
      return by.signal.aborted ? "cut" : { type: "committed", problem: "a hook said no" };
    }
    const commit = project.commit(iterationId(by.state), "ralph");
    if (by.signal.aborted) return "cut";
    return { type: "committed", ...(commit === undefined ? {} : { commit }) };
  }

  #needRoom(): void {
    if (this.stage.machine.isFull) throw noSpace();
  }
}

function archived(id: string): IterationFact {
  return { type: "archived", path: `archive/${id}` };
}

/** The closing entry of an iteration has a marker of its own. */
function entryId({ entry }: Effect & { type: "write-memory" }, id: string): string {
  return entry.output === undefined ? id : `${id}/closing`;
}

function iterationId(state: RunState): string {
  return renderIterationId(state.run, state.iteration);
}
