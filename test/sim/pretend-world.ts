// The world behind the driver, in memory: one case per effect as in the real one, with pauses in which persons act, the
// clock moves and the runner may die.

import { compareTasks, summarizeTasks } from "../../src/core/loop/next-task.ts";
import { startWatch, watch, nextDeadline, WATCH_STEP_MS } from "../../src/core/loop/watch.ts";
import type { RunState } from "../../src/core/loop/state.ts";
import type { Control } from "../../src/core/schema/control.ts";
import type { Effect } from "../../src/core/schema/effect.ts";
import type { AgentExit, IterationFact, ProjectReading } from "../../src/core/schema/event.ts";
import { renderIterationId } from "../../src/core/schema/ids.ts";
import type { Performing, World } from "../../src/engine/run/ports.ts";
import { assert, unreachable } from "../../src/std/assert.ts";
import { lostAgent } from "../../src/world/agents/run-agent.ts";
import { isDiskError } from "../../src/world/host/files.ts";
import { KeptLists } from "../../src/world/store/kept-lists.ts";
import { AgentWatch } from "./agent-watch.ts";
import { writeScript } from "./pretend-agent.ts";
import { noSpace } from "./pretend-disk.ts";
import { toTask, type Story } from "./pretend-project.ts";
import type { LiveAgent, Stage } from "./stage.ts";

/** One process of the runner looks at the stage through this. */
export class PretendWorld implements World {
  readonly stage: Stage;
  readonly #lists: KeptLists;
  #onControl: ((id: string, control: Control) => void) | undefined;
  #controls = 0;

  constructor(stage: Stage) {
    this.stage = stage;
    this.#lists = new KeptLists(stage.disk.host(), stage.paths);
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
    if (effect.type === "write-memory") {
      return project.markers.includes(id) ? { type: "memory-written", by: "ralph" } : undefined;
    }
    if (effect.type !== "commit") return undefined;
    return project.trailers.includes(id) ? { type: "committed", commit: project.head } : undefined;
  }

  lost(effect: Effect): IterationFact {
    assert(effect.type === "run-agent", `${effect.type} can be done again`);
    return { type: "agent-exited", exit: lostAgent() };
  }

  async endOrphans(): Promise<void> {
    const { stage } = this;
    await this.#pause(100);
    stage.live = undefined;
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
      if (!signal.aborted && this.#mayEdit()) this.stage.editList();
    }
  }

  #perform(effect: Effect, by: Performing): Promise<IterationFact | "cut"> {
    switch (effect.type) {
      case "read-project":
        return this.#readProject();
      case "write-prompt":
        return this.#writePrompt(effect, by);
      case "run-agent":
        return this.#runAgent(effect, by);
      case "inspect-project":
        return this.#inspectProject(by);
      case "restore-tasks":
        return this.#restoreTasks(by);
      case "run-gate":
        return this.#runGate(effect, by);
      case "mark-task":
        return this.#markTask(effect);
      case "write-memory":
        return this.#writeMemory(by);
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

  #giveControl(): void {
    const { machine, persons, inbox } = this.stage;
    for (let again = persons.pick([1, 1, 1, 2, 3, 10]); again > 0 && !machine.isDead; again--) {
      const when = persons.pick(["after-iteration", "now"] as const);
      const signal = persons.pick(["SIGINT", "SIGTERM", "SIGHUP"] as const);
      const control: Control = { type: "stop", when, signal, from: "a person" };
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

  #deliver(control: Control): void {
    this.stage.machine.tell({ type: "control-given", control });
    this.#controls += 1;
    this.#onControl?.(`control-${this.stage.machine.life}-${this.#controls}`, control);
  }

  #mayEdit(): boolean {
    const { isCalm, persons, plan } = this.stage;
    return !isCalm && persons.chance(plan.editShare);
  }

  async #readProject(): Promise<IterationFact> {
    const { stage } = this;
    if (this.#mayEdit()) stage.editList();
    if (!stage.isCalm && stage.persons.chance(stage.plan.editShare / 10)) {
      stage.project.setList({ kind: "broken", by: "person" }, "person");
    }
    await this.#pause(40);
    const { project } = stage;
    const list =
      project.list.kind === "list"
        ? { list: this.#lists.keep(JSON.stringify(project.list.stories)) }
        : {};
    return { type: "project-read", reading: { ...this.#reading(), ...list } };
  }

  async #inspectProject(by: Performing): Promise<IterationFact> {
    await this.#pause(60);
    const { project } = this.stage;
    const before = by.state.current?.before;
    assert(before !== undefined, "what changed is told from the reading before");
    const now = this.#reading();
    const good = this.#storiesBefore(by).map(toTask);
    const commits = project.commits - Number(before.git?.head?.slice(1) ?? 0);
    return {
      type: "project-inspected",
      change: {
        ...now,
        changes: compareTasks(good, project.tasks() ?? good),
        commits,
        treeChanged: now.digest !== before.digest,
        files: [...project.dirty],
        entryWritten: project.memoryBytes > before.memoryBytes,
      },
    };
  }

  #reading(): ProjectReading {
    const { project } = this.stage;
    const tasks = project.tasks();
    return {
      tasks: summarizeTasks(tasks ?? []),
      ...(tasks === undefined ? { problem: `prd.json is ${project.list.kind}` } : {}),
      git: { head: project.head, branch: "main", dirty: project.dirty.size },
      digest: `tree ${project.treeVersion}`,
      memoryBytes: project.memoryBytes,
    };
  }

  async #writePrompt(
    effect: Effect & { type: "write-prompt" },
    by: Performing,
  ): Promise<IterationFact> {
    await this.#pause(30);
    this.#needRoom();
    const task = this.#storiesBefore(by).find(({ id }) => id === effect.task.id);
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

  async #runAgent(effect: Effect & { type: "run-agent" }, by: Performing): Promise<IterationFact> {
    const { stage } = this;
    const { machine, project, plan, agents } = stage;
    const behaviour = stage.isHonest ? "honest" : agents.weighted(plan.behaviours);
    if (behaviour === "missing") stage.isAgentInstalled = false;
    machine.danger("before the agent is spawned");
    if (!stage.isAgentInstalled) {
      return {
        type: "agent-exited",
        exit: { ...plainExit(), unusable: "the program was not found" },
      };
    }
    const child = machine.spawn("agent");
    machine.danger("while the agent waits at its gate");
    try {
      by.onStarted({ pid: child.pid, startTime: `t${child.pid}` });
    } catch (error) {
      machine.processes.delete(child.pid);
      throw error;
    }
    machine.danger("before the line that lets the agent go");
    child.waiting = false;
    stage.agentsStarted += 1;
    stage.isIterationOpen = true;
    const script = writeScript(behaviour, {
      random: agents,
      project,
      task: effect.task.id,
      now: machine.now,
      promise: by.state.config.promise,
    });
    for (let i = 0; i < script.children; i++) machine.spawn("child");
    machine.tell({
      type: "agent-let-go",
      pid: child.pid,
      iteration: by.state.iteration,
      task: effect.task.id,
      behaviour,
      isRecorded: stage.disk.isDurable(`"type":"agent-started","pid":${child.pid},`),
      othersAlive: machine.countAlive("agent") - 1,
      isListReadable: project.list.kind === "list",
      agentMarks: project.stories.filter((s) => s.done && s.by === "agent").map((s) => s.id),
    });
    const live: LiveAgent = {
      pid: child.pid,
      iteration: by.state.iteration,
      script,
      next: -1,
      dueAt: 0,
    };
    stage.live = live;
    machine.danger("after the agent was let go");
    const exit = await this.#superviseAgent(live, by);
    stage.live = undefined;
    return { type: "agent-exited", exit };
  }

  /** Steps the real clocks as the supervisor does, until the agent ends or is ended. */
  async #superviseAgent(live: LiveAgent, by: Performing): Promise<AgentExit> {
    const { stage } = this;
    const { machine } = stage;
    const truth = new AgentWatch(machine, live);
    let clocks = startWatch(by.state.config.clocks, machine.now);
    for (;;) {
      if (by.signal.aborted) return truth.end("stop");
      const untilStep = live.dueAt - machine.awake;
      const untilTick = Math.max(0, Math.min(WATCH_STEP_MS, nextDeadline(clocks) - machine.now));
      await this.#pause(Math.max(0, Math.min(untilStep, untilTick)));
      if (!stage.isCalm && stage.faults.chance(stage.plan.sleepShare)) {
        machine.sleep(stage.faults.between(20_000, 8 * 3_600_000));
      }
      if (by.signal.aborted) return truth.end("stop");
      if (machine.awake >= live.dueAt) {
        const step = live.script.steps[live.next];
        if (step === undefined) return truth.end("own");
        step.act?.();
        truth.hear(step.note);
        if (step.note !== undefined) clocks = watch(clocks, machine.now, step.note).state;
        truth.next();
        machine.danger("while the agent works");
        continue;
      }
      const { state, terminate } = watch(clocks, machine.now);
      clocks = state;
      if (terminate !== undefined) return truth.end(terminate);
    }
  }

  async #restoreTasks(by: Performing): Promise<IterationFact> {
    await this.#pause(30);
    this.#needRoom();
    this.stage.project.setList({ kind: "list", stories: this.#storiesBefore(by) }, "ralph");
    return { type: "tasks-restored", keptAside: "tasks.broken" };
  }

  async #runGate(
    effect: Effect & { type: "run-gate" },
    by: Performing,
  ): Promise<IterationFact | "cut"> {
    const { machine, project } = this.stage;
    const { name } = effect.gate;
    const child = machine.spawn("gate");
    machine.tell({ type: "gate-began", name, iteration: by.state.iteration });
    const durationMs = this.stage.agents.between(100, 3000);
    for (let piece = 0; piece < 3; piece++) {
      await this.#pause(Math.ceil(durationMs / 3));
      if (by.signal.aborted) {
        machine.processes.delete(child.pid);
        return "cut";
      }
    }
    machine.processes.delete(child.pid);
    const isRed = project.isRed(name);
    machine.tell({ type: "gate-said", name, isRed });
    const lines = isRed ? [`${name} failed`] : [];
    const result = {
      name,
      passed: !isRed,
      code: isRed ? 1 : 0,
      timedOut: false,
      durationMs,
      lines,
    };
    return { type: "gate-ran", result };
  }

  async #markTask(effect: Effect & { type: "mark-task" }): Promise<IterationFact> {
    await this.#pause(20);
    this.#needRoom();
    const { task, status } = effect;
    const isMarked = this.stage.project.mark(task, status === "done", "ralph");
    return { type: "task-marked", task, status, ...(isMarked ? {} : { problem: "no such story" }) };
  }

  async #writeMemory(by: Performing): Promise<IterationFact> {
    await this.#pause(20);
    this.#needRoom();
    this.stage.project.remember(iterationId(by.state));
    return { type: "memory-written", by: "ralph" };
  }

  async #commit(by: Performing): Promise<IterationFact | "cut"> {
    const { project, faults, plan, isCalm } = this.stage;
    await this.#pause(200);
    this.#needRoom();
    // A stop may find git before or after the deed.
    if (by.signal.aborted && faults.chance(0.5)) return "cut";
    if (!isCalm && faults.chance(plan.hookShare)) {
      return by.signal.aborted ? "cut" : { type: "committed", problem: "a hook said no" };
    }
    const commit = project.commit(iterationId(by.state));
    if (by.signal.aborted) return "cut";
    return { type: "committed", ...(commit === undefined ? {} : { commit }) };
  }

  #needRoom(): void {
    if (this.stage.machine.isFull) throw noSpace();
  }

  /** The list as the iteration found it, by the name that the log has for it. */
  #storiesBefore(by: Performing): readonly Story[] {
    const text = this.#lists.read(by.state.current?.before?.list);
    assert(text !== undefined, "the list an iteration began with is kept");
    return JSON.parse(text) as Story[];
  }
}

export function plainExit(): AgentExit {
  return {
    code: null,
    signal: null,
    lost: false,
    durationMs: 0,
    outputBytes: 0,
    denials: [],
    stderr: "",
    survivors: 0,
  };
}

function iterationId(state: RunState): string {
  return renderIterationId(state.run, state.iteration);
}
