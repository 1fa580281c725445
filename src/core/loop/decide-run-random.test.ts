// Whatever facts come back, the cores never throw, always end, and never call done what is not. A wild world in memory
// answers every effect; what must hold is checked from the facts alone.

import fc from "fast-check";
import { expect, test } from "vitest";
import { exit, finding, gate, given, type Given } from "../../../test/given.ts";
import { Random } from "../../../test/sim/random.ts";
import type { Effect } from "../schema/effect.ts";
import type { AgentExit, Fact, IterationEnd, ProjectReading } from "../schema/event.ts";
import { EVENT_BYTES_MAX } from "../schema/event.ts";
import { TaskId } from "../schema/ids.ts";
import type { Config } from "../schema/config.ts";
import { isResumable } from "../schema/outcome.ts";
import type { Task, TaskList } from "../schema/task.ts";
import { decideIteration } from "./decide-iteration.ts";
import { decideRun } from "./decide-run.ts";
import { compareTasks, summarizeTasks } from "./next-task.ts";
import { outOfTurn } from "./parking.ts";

const ITERATIONS_MAX = 200;
/** After this many iterations no provider refuses work any more, so that the guards alone end the run. */
const LIMITED_MAX = 60;
const STEPS_MAX = 20_000;
const MAIN = "main";
/** What was found must not be forgotten when a process dies while it puts it right. */
const MENDING: ReadonlySet<string> = new Set(["mend-git", "restore-tasks", "restore-file"]);

type GateRun = Fact & { type: "gate-ran" };

/** What an agent, a person and a gate can do to a project. */
class WildProject {
  tasks: Task[];
  isBroken = false;
  settings = "s0";
  head = 0;
  branch = MAIN;
  dropped = 0;
  stash: string[] = [];
  isLocked = false;
  operation: string | undefined;
  stopFile: "complete" | "waiting" | undefined;
  isWeak = false;
  commits = 0;
  isTreeChanged = false;
  before: { list: TaskList; settings: string } | undefined;
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
    this.tasks = Array.from({ length: random.between(1, 5) }, (_, i) => this.#task(`T${i}`));
  }

  get list(): TaskList {
    return { tasks: this.isBroken ? [] : this.tasks, frame: "" };
  }

  #task(id: string, status: Task["status"] = "open"): Task {
    const checks = this.#random.chance(0.3) ? [this.#random.pick(["one", "two"])] : [];
    const others = this.tasks?.map((task) => task.id) ?? [];
    const dependsOn = others.length > 0 && this.#random.chance(0.2) ? [others[0]!] : [];
    const words = { title: id, description: "", criteria: [], notes: "", frozen: id };
    return { id: TaskId.parse(id), ...words, priority: 1, status, dependsOn, checks };
  }

  set(id: string, more: Partial<Task>): void {
    this.tasks = this.tasks.map((task) => (task.id === id ? { ...task, ...more } : task));
  }

  /** An agent works, honestly or not. */
  act(): void {
    const random = this.#random;
    this.isTreeChanged = random.chance(0.6);
    const open = this.tasks.filter(({ status }) => status !== "done");
    if (open.length > 0 && random.chance(0.6)) this.set(random.pick(open).id, { status: "done" });
    if (open.length > 0 && random.chance(0.1))
      for (const { id } of open) this.set(id, { status: "done" });
    if (random.chance(0.05)) this.set(random.pick(this.tasks).id, { status: "open" });
    if (random.chance(0.05) && this.tasks.length < 9) {
      const status = random.pick(["open", "done"] as const);
      this.tasks = [...this.tasks, this.#task(`N${this.tasks.length}`, status)];
    }
    if (random.chance(0.04)) this.tasks = this.tasks.slice(1);
    if (random.chance(0.04) && this.tasks.length > 0)
      this.set(random.pick(this.tasks).id, { title: "other", frozen: "other" });
    if (random.chance(0.03)) this.isBroken = true;
    if (random.chance(0.04)) this.settings = random.pick(["s1", "s2"]);
    if (random.chance(0.06)) this.isWeak = !this.isWeak;
    if (random.chance(0.3)) this.commit();
    if (random.chance(0.04)) this.branch = random.pick(["side", "other"]);
    if (random.chance(0.04)) this.dropped = 2;
    if (random.chance(0.04)) this.stash = [...this.stash, "x"];
    if (random.chance(0.03)) this.isLocked = true;
    if (random.chance(0.02)) this.operation = "merge";
    if (random.chance(0.06)) this.stopFile = random.pick(["complete", "waiting"] as const);
  }

  commit(): void {
    this.head += 1;
    this.commits += 1;
  }

  /** A person puts right what only a person can, and perhaps takes what was done to the tests. */
  answerCall(): void {
    this.operation = undefined;
    this.stopFile = undefined;
    this.isBroken = false;
    this.branch = MAIN;
    if (this.#random.chance(0.5)) this.#takeTests();
  }

  #takeTests(): void {
    this.commit();
    this.isWeak = false;
  }

  /** A person works between two iterations. */
  meddle(): void {
    const random = this.#random;
    if (random.chance(0.05)) this.#takeTests();
    if (random.chance(0.02)) this.set(random.pick(this.tasks).id, { status: "open" });
    if (random.chance(0.02)) this.set(random.pick(this.tasks).id, { status: "done" });
  }

  reading(state: Given["state"]): ProjectReading {
    const tasks = summarizeTasks(this.list.tasks, outOfTurn(state));
    const done = this.list.tasks.filter(
      ({ status, checks }) => status === "done" && checks.length > 0,
    );
    return {
      tasks,
      ...(this.isBroken ? { problem: "prd.json:1: no" } : { list: "l" }),
      git: {
        head: `c${this.head}`,
        branch: this.branch,
        dirty: 0,
        ...(this.stash.length === 0 ? {} : { stash: this.stash }),
        ...(this.isLocked ? { locked: true } : {}),
        ...(this.operation === undefined ? {} : { operation: this.operation }),
      },
      digest: "d",
      memoryBytes: 0,
      checks: done.map(({ id, checks }) => ({ task: id, key: checks.join() })),
      guarded: { settings: this.settings },
      ...(this.stopFile === undefined ? {} : { signal: { kind: this.stopFile, text: "x" } }),
    };
  }

  /** Does what was ordered and tells it. */
  perform(effect: Effect, state: Given["state"]): Fact {
    switch (effect.type) {
      case "read-project":
        this.before = { list: this.list, settings: this.settings };
        this.commits = 0;
        this.dropped = 0;
        this.isTreeChanged = false;
        return { type: "project-read", reading: this.reading(state) };
      case "inspect-project":
        return { type: "project-inspected", change: this.#inspect(state) };
      case "write-prompt":
        return { type: "prompt-written", bytes: 1, tokens: 1, cut: [] };
      case "run-agent":
        this.act();
        return { type: "agent-exited", exit: this.#exit(state.iteration) };
      case "run-gate":
        return this.#runGate(effect);
      case "restore-tasks":
        this.tasks = [...(this.before?.list.tasks ?? [])];
        this.isBroken = false;
        return {
          type: "tasks-restored",
          keptAside: "x",
          tasks: summarizeTasks(this.tasks, outOfTurn(state)),
        };
      case "restore-file":
        this.settings = this.before?.settings ?? "";
        return { type: "file-restored", file: effect.file, keptAside: "x" };
      case "set-aside":
        this.stopFile = undefined;
        return { type: "signal-set-aside", signal: effect.signal, keptAside: "x" };
      case "mend-git":
        return this.#mend();
      case "mark-task":
        this.set(effect.task, { status: effect.status });
        return { type: "task-marked", task: effect.task, status: effect.status };
      case "write-memory":
        return { type: "memory-written", by: "ralph" };
      case "archive":
        return { type: "archived", path: "archive/x" };
      case "commit":
        this.commit();
        return { type: "committed", commit: `c${this.head}` };
    }
  }

  #inspect(state: Given["state"]) {
    const before = this.before?.list ?? this.list;
    return {
      ...this.reading(state),
      changes: compareTasks(before, this.isBroken ? before : this.list),
      commits: this.commits,
      treeChanged: this.isTreeChanged,
      dropped: this.dropped,
      files: [],
      findings: this.isWeak ? [finding()] : [],
      testOnly: this.#random.chance(0.1),
      entryWritten: false,
    };
  }

  #mend(): Fact {
    if (this.#random.chance(0.1)) return { type: "git-mended", did: [], problem: "it is gone" };
    this.branch = MAIN;
    this.dropped = 0;
    this.isLocked = false;
    return { type: "git-mended", did: ["mended"] };
  }

  #runGate({ gate: ordered, phase }: Effect & { type: "run-gate" }): GateRun {
    const passed = this.#random.chance(0.75);
    const said = { passed, code: passed ? 0 : 1, timedOut: false, durationMs: 1 };
    const result = { name: ordered.name, ...said, lines: passed ? [] : ["Error: boom"] };
    return { type: "gate-ran", result: phase === undefined ? result : { ...result, phase } };
  }

  #exit(iteration: number): AgentExit {
    const random = this.#random;
    const kind = random.weighted({
      well: 10,
      promise: 2,
      question: 1,
      asked: 0.5,
      failed: 1,
      clock: 1,
      limited: iteration < LIMITED_MAX ? 1 : 0,
      unusable: 0.05,
    });
    const text = "x".repeat(random.chance(0.1) ? 8_000 : 3);
    const exits: Record<typeof kind, Partial<AgentExit>> = {
      well: { result: { good: true, text } },
      promise: { result: { good: true, text: "<promise>COMPLETE</promise>" } },
      question: { result: { good: true, text: `${text}?` } },
      asked: { asked: text },
      failed: { code: 1, stderr: text },
      clock: { code: null, terminated: { cause: "clock", clock: "idle" } },
      limited: { code: 1, limit: { kind: "usage", text: "limit" } },
      unusable: { code: null, unusable: text },
    };
    return exit({ ...exits[kind], denials: [] });
  }
}

/** Drives a run over a wild project, with crashes, and checks every step from the facts. */
class Story {
  now: Given;
  steps = 0;
  /** Facts of the iteration under way. */
  #facts: Fact[] = [];
  #doneBefore: ReadonlySet<string> = new Set();
  readonly #green = new Set<string>();
  readonly #random: Random;
  readonly #project: WildProject;
  #resumes = 3;

  constructor(seed: number) {
    this.#random = new Random(seed);
    this.#project = new WildProject(this.#random.fork());
    this.now = given(wildConfig(this.#random));
  }

  run(): void {
    for (; this.steps < STEPS_MAX; this.steps++) {
      if (this.now.state.end === undefined && this.#random.chance(0.004)) this.#stop();
      const [order] = decideRun(this.now.state);
      if (order === undefined) return;
      if (order.type === "wait-until") this.#wait(order.until);
      else if (order.type === "cancel") this.#tell({ type: "effect-cut" });
      else if (order.type === "run-iteration") this.#step();
      else if (!this.#endRun(order.end)) return;
    }
  }

  /** A person stops the run; what it wants next is asked anew. */
  #stop(): void {
    const when = this.#random.pick(["now", "after-iteration"] as const);
    const control = { type: "stop", when, signal: "SIGINT", from: "test" } as const;
    this.#tell({ type: "control-received", id: "1", control });
  }

  #wait(until: number): void {
    expect(until).toBeGreaterThan(this.now.state.now);
    this.#tell({ type: "wait-started", until, reason: "test" });
    this.now = this.now.and({ type: "wait-ended" }, until - this.now.state.now);
  }

  /** True when the run is started again. */
  #endRun(end: { reason: Parameters<typeof isResumable>[0]; exitCode: number; detail: string }) {
    const isDue = this.now.state.ending?.reason === "complete";
    expect(end.reason === "complete").toBe(isDue && this.now.state.stop?.when !== "now");
    this.#tell({ type: "run-ended", ...end });
    if (!isResumable(end.reason) || this.#resumes === 0) return false;
    this.#resumes -= 1;
    // In the middle of an iteration a person's doings cannot be told from the agent's.
    if (this.now.state.current === undefined) this.#project.answerCall();
    this.#resume();
    return true;
  }

  #resume(): void {
    const { charged, iteration, attempts } = this.now.state;
    this.#tell({ type: "run-resumed", program: "0", argv: [] });
    expect(this.now.state).toMatchObject({ charged, iteration, attempts });
  }

  #step(): void {
    const { current } = this.now.state;
    if (current === undefined) return this.#begin();
    if (current.pending !== undefined) return this.#takeUp(current.pending.effect);
    const decision = decideIteration(this.now.state);
    if (decision.type === "end") return this.#endIteration(decision.end);
    const { effect, reason } = decision;
    this.#tell({ type: "effect-ordered", order: effect, reason });
    if (this.#random.chance(MENDING.has(effect.type) ? 0.3 : 0.03)) return this.#crash(effect);
    if (effect.type === "run-agent") this.#startAgent();
    if (effect.type === "run-agent" && this.#random.chance(0.03)) return this.#crash(effect);
    this.#tell(this.#project.perform(effect, this.now.state));
  }

  #begin(): void {
    if (this.#random.chance(0.3)) this.#project.meddle();
    this.#facts = [];
    this.#tell({ type: "iteration-started", reason: "test" });
  }

  #startAgent(): void {
    const { state } = this.now;
    expect(state.charged).toBeLessThan(state.config.iterationMax);
    expect(state.breaker.state).not.toBe("open");
    expect(Object.keys(state.gates)).toEqual(
      expect.arrayContaining(state.config.gates.map(({ name }) => name)),
    );
    this.#tell({ type: "agent-started", pid: 1, startTime: "1" });
  }

  /** The process dies, before or after the effect was done. */
  #crash(effect: Effect): void {
    const isDone = effect.type === "run-agent" || this.#random.chance(0.5);
    if (effect.type === "run-agent") {
      if (this.now.state.current?.agent !== undefined) this.#project.act();
    } else if (isDone && effect.type !== "read-project" && effect.type !== "commit") {
      this.#project.perform(effect, this.now.state);
    }
    this.#resume();
  }

  #takeUp(effect: Effect): void {
    if (effect.type !== "run-agent")
      return this.#tell(this.#project.perform(effect, this.now.state));
    this.#tell({ type: "agent-exited", exit: exit({ code: null, lost: true }) });
  }

  #tell(fact: Fact): void {
    expect(JSON.stringify(fact).length + 300).toBeLessThan(EVENT_BYTES_MAX);
    this.#facts.push(fact);
    if (fact.type === "gate-ran" && fact.result.passed) this.#green.add(fact.result.name);
    if (fact.type === "project-read") this.#doneBefore = this.#done();
    this.now = this.now.and(fact);
  }

  #done(): ReadonlySet<string> {
    const done = this.#project.tasks.filter(({ status }) => status === "done");
    return new Set(done.map(({ id }) => id));
  }

  #endIteration(end: IterationEnd): void {
    const ids = end.accepted.map(({ id }) => id);
    if (ids.length > 0) this.#checkAccepted(ids);
    if (end.complete) this.#checkComplete();
    // A task is open, was done before, or is accepted: nothing is done on an agent's word alone.
    const fresh = [...this.#done()].filter((id) => !this.#doneBefore.has(id));
    if (!this.#project.isBroken) expect(ids).toEqual(expect.arrayContaining(fresh));
    this.#tell({ type: "iteration-ended", end });
    const { state } = this.now;
    for (const id of ids) expect(state.parked).not.toHaveProperty([id]);
    expect(state.iteration).toBeLessThanOrEqual(ITERATIONS_MAX);
    this.#checkNobodyLost();
  }

  #lastWords(): ReadonlyMap<string, boolean> {
    const ran = this.#facts.filter((fact) => fact.type === "gate-ran");
    const checked = ran.filter(({ result }) => result.phase !== "baseline");
    return new Map(checked.map(({ result }) => [result.name, result.passed]));
  }

  #checkAccepted(ids: readonly string[]): void {
    const told = new Set(this.#facts.map(({ type }) => type));
    expect(told.has("tasks-restored") || told.has("file-restored")).toBe(false);
    expect(this.#project.isWeak).toBe(false);
    const inspections = this.#facts.filter((fact) => fact.type === "project-inspected");
    const settings = this.#project.before?.settings;
    for (const { change } of inspections) {
      expect(change).not.toHaveProperty("problem");
      expect(change).toMatchObject({ dropped: 0, guarded: { settings } });
      expect(change.changes).toMatchObject({ removed: [], edited: [], listEdits: [] });
    }
    expect(this.#project.branch).toBe(MAIN);
    const words = this.#lastWords();
    const { config } = this.now.state;
    for (const { name } of config.gates) expect(words.has(name)).toBe(true);
    // A gate that was ever green is green now.
    for (const [name, passed] of words) expect(passed || !this.#green.has(name)).toBe(true);
    for (const id of ids) expect(words.get(`checks of ${id}`) ?? true).toBe(true);
    expect([...this.#done()]).toEqual(expect.arrayContaining([...ids]));
  }

  #checkComplete(): void {
    expect(this.#project.isBroken).toBe(false);
    expect(this.#project.tasks.length).toBeGreaterThan(0);
    expect(this.#project.tasks.every(({ status }) => status === "done")).toBe(true);
    const words = this.#lastWords();
    for (const { name } of this.now.state.config.gates) expect(words.get(name)).toBe(true);
    expect([...words.values()].every(Boolean)).toBe(true);
    expect(this.now.state.trust.findings).toEqual([]);
  }

  /** Every open task can still be reached, or is laid aside with a reason. */
  #checkNobodyLost(): void {
    const { state } = this.now;
    const { next, blocked } = summarizeTasks(this.#project.list.tasks, outOfTurn(state));
    const reached = new Set<string>([...next, ...blocked].map(({ id }) => id));
    for (const { id, status } of this.#project.list.tasks)
      if (status !== "done") expect(reached.has(id) || Object.hasOwn(state.parked, id)).toBe(true);
  }
}

function wildConfig(random: Random): Partial<Config> {
  return {
    gates: random.pick([[], [gate("tests")], [gate("lint"), gate("tests")]]),
    iterationMax: random.between(1, 40),
    callsPerHourMax: random.pick([3, 100]),
    breaker: { idleMax: random.between(1, 4), sameErrorMax: random.between(1, 5) },
    parking: {
      rejectedMax: random.between(1, 3),
      testOnlyMax: random.between(1, 3),
      warnAfter: 2,
      deferAfter: random.between(1, 6),
    },
    limitWaitMs: 60_000,
    pauseMs: random.pick([0, 1_000]),
  };
}

test("whatever facts come back, the run ends, and complete and accepted are true", () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const story = new Story(seed);
      story.run();
      expect(story.steps).toBeLessThan(STEPS_MAX);
    }),
    { numRuns: 300 },
  );
});
