// The language of core tests: given these facts, the core decides that. No world, no clock, no files.

import { expect } from "vitest";
import { decideIteration } from "../src/core/loop/decide-iteration.ts";
import { decideRun } from "../src/core/loop/decide-run.ts";
import { reduce } from "../src/core/loop/reduce.ts";
import type { RunState } from "../src/core/loop/state.ts";
import type { Config } from "../src/core/schema/config.ts";
import type { Effect, GatePhase } from "../src/core/schema/effect.ts";
import type {
  AgentExit,
  Event,
  Fact,
  GitReading,
  IterationEnd,
  ProjectChange,
  ProjectReading,
} from "../src/core/schema/event.ts";
import type { Finding } from "../src/core/schema/finding.ts";
import { RunId, TaskId } from "../src/core/schema/ids.ts";
import type { TaskRef, TaskSummary } from "../src/core/schema/task.ts";

const RUN = RunId.parse("20261115T073200Z-k3f9");
const STARTED_AT = 1_000_000;

export const config: Config = {
  agent: { name: "scripted", arguments: [] },
  iterationMax: 20,
  clocks: { graceMs: 10_000, wallMs: 900_000 },
  gates: [],
  promise: "<promise>COMPLETE</promise>",
  permissions: "listed",
  allowedTools: "Bash",
  limitWaitMs: 3_600_000,
  limitMarginMs: 30_000,
  pauseMs: 0,
  keepIterations: 100,
  promptTokensMax: 12_000,
  gateTimeoutMs: 900_000,
  callsPerHourMax: 100,
  breaker: { idleMax: 3, sameErrorMax: 5 },
  parking: { rejectedMax: 2, testOnlyMax: 3, warnAfter: 3, deferAfter: 6 },
  budget: {},
  onLimit: "wait",
  promptTemplate: "default",
};

export const gate = (name: string) => ({ name, command: `run ${name}`, timeoutMs: 60_000 });

export function task(id: string): TaskRef {
  return { id: TaskId.parse(id), title: `Title of ${id}` };
}

/** A list of which the named tasks are open. */
export function tasks(...open: string[]): TaskSummary {
  return { total: 3, done: 3 - open.length, open: open.length, next: open.map(task), blocked: [] };
}

export function reading(more: Partial<ProjectReading> = {}): ProjectReading {
  return {
    tasks: tasks("A", "B"),
    git: git(),
    digest: "d0",
    memoryBytes: 0,
    ...more,
  };
}

/** What is found after an agent that did nothing. */
export function change(more: Partial<ProjectChange> = {}): ProjectChange {
  const changes = { finishedCount: 0, finished: [], reopened: [], added: [], removed: [] };
  return {
    ...reading(),
    changes,
    commits: 0,
    treeChanged: false,
    files: [],
    entryWritten: false,
    ...more,
  };
}

/** The agent has marked these tasks; `open` are left. */
export function marked(
  ids: string[],
  open: string[],
  more: Partial<ProjectChange> = {},
): ProjectChange {
  const claimed = ids.map(task);
  const changes = {
    finishedCount: ids.length,
    finished: claimed,
    reopened: [],
    added: [],
    removed: [],
  };
  return change({ tasks: tasks(...open), changes, treeChanged: true, digest: "d1", ...more });
}

/** What is found after an agent that worked and claimed nothing. */
export function worked(more: Partial<ProjectChange> = {}): ProjectChange {
  return change({ treeChanged: true, digest: "d1", ...more });
}

/** The list says something else than a person wrote, and perhaps has marks beside it. */
export function edited(ids: string[], open: string[]): ProjectChange {
  const left = marked(ids, open);
  const edits = [{ id: task("A").id, what: 'title: "Pay" → "Pay later"' }];
  return { ...left, changes: { ...left.changes, edited: edits } };
}

/** A test file that was made weaker. */
export function finding(path = "test/pay.test.ts"): Finding {
  return { kind: "tests", path, what: "2 tests removed", lines: ["-test(one)", "-test(two)"] };
}

/** The repository as every reading finds it, with something else about it. */
export function git(more: Partial<GitReading> = {}): GitReading {
  return { head: "c0", branch: "main", dirty: 0, ...more };
}

/** Done tasks with checks of their own, by name and key. */
export function checks(keys: Readonly<Record<string, string>>): { task: TaskId; key: string }[] {
  return Object.entries(keys).map(([id, key]) => ({ task: TaskId.parse(id), key }));
}

export function exit(more: Partial<AgentExit> = {}): AgentExit {
  const nothing = { code: 0, signal: null, lost: false, durationMs: 5_000, outputBytes: 10 };
  return { ...nothing, denials: [], stderr: "", survivors: 0, ...more };
}

/** An agent that ended well with these last words. */
export function said(text: string): AgentExit {
  return exit({ result: { good: true, text } });
}

/** A story told in facts, and questions to the core about it. */
export class Given {
  readonly #state: RunState;

  constructor(state: RunState) {
    this.#state = state;
  }

  get state(): RunState {
    return this.#state;
  }

  /** One more fact; `afterMs` is how long after the last one it happened. */
  and(fact: Fact, afterMs = 1_000): Given {
    const { seq, now, iteration } = this.#state;
    const n = fact.type === "iteration-started" ? iteration + 1 : iteration;
    const event: Event = { v: 1, seq: seq + 1, at: now + afterMs, run: RUN, iteration: n, ...fact };
    return new Given(reduce(this.#state, event));
  }

  /** Announces what the core wants next and answers it with a fact. */
  answered(fact: Fact): Given {
    const decision = decideIteration(this.#state);
    if (decision.type !== "effect")
      throw new Error(`the core wants no effect but an end: ${JSON.stringify(decision)}`);
    return this.and({
      type: "effect-ordered",
      order: decision.effect,
      reason: decision.reason,
    }).and(fact);
  }

  /** The gate that the core orders says this. */
  gate(word: "green" | "red", line = "1 failing"): Given {
    const decision = decideIteration(this.#state);
    if (decision.type !== "effect" || decision.effect.type !== "run-gate")
      throw new Error(`the core wants no gate: ${JSON.stringify(decision)}`);
    const { gate: ordered, phase } = decision.effect;
    return this.answered(gateRan(ordered.name, { word, line, phase }));
  }

  /** The agent that the core orders is let go. */
  started(): Given {
    return this.answered({ type: "agent-started", pid: 4711, startTime: "1" });
  }

  /** The process is gone without a word, and another one goes on. */
  crashed(): Given {
    return this.and({ type: "run-resumed", program: "0.0.0", argv: [] });
  }

  /** The run ends as the core orders it, and is started again. */
  resumed(more: Partial<Fact & { type: "run-resumed" }> = {}): Given {
    const [order] = decideRun(this.#state);
    if (order?.type !== "end")
      throw new Error(`the core does not end the run: ${JSON.stringify(order)}`);
    return this.and({ type: "run-ended", ...order.end }).and({
      type: "run-resumed",
      program: "0.0.0",
      argv: [],
      ...more,
    });
  }

  /** Ends the iteration as the core decides it. */
  ended(): Given {
    return this.and({ type: "iteration-ended", end: this.iterationEnd() });
  }

  iterationEnd(): IterationEnd {
    const decision = decideIteration(this.#state);
    if (decision.type !== "end")
      throw new Error(`the core wants an effect: ${JSON.stringify(decision)}`);
    return decision.end;
  }

  /** The iteration's next effect. */
  decides(effect: Partial<Effect> & { type: Effect["type"] }): this {
    const decision = decideIteration(this.#state);
    expect(decision).toMatchObject({ type: "effect", effect });
    return this;
  }

  /** The run's next order. */
  orders(order: Record<string, unknown>): this {
    expect(decideRun(this.#state)[0]).toMatchObject(order);
    return this;
  }
}

export function given(
  more: Partial<Config> = {},
  start: Partial<Event & { type: "run-started" }> = {},
): Given {
  const event: Event = {
    v: 1,
    seq: 1,
    at: STARTED_AT,
    run: RUN,
    type: "run-started",
    program: "0.0.0",
    config: { ...config, ...more },
    argv: [],
    layout: "hybrid",
    feature: "shop",
    tree: "/tree",
    ...start,
  };
  return new Given(reduce(undefined, event));
}

/** An iteration that has read this and has run its baseline, with these gates red. */
export function baselined(
  from: Given = given(),
  before: ProjectReading = reading(),
  redGates: readonly string[] = [],
): Given {
  let now = from
    .and({ type: "iteration-started", reason: "test" })
    .answered({ type: "project-read", reading: before });
  for (let steps = 0; steps < 50; steps++) {
    const decision = decideIteration(now.state);
    if (decision.type !== "effect" || decision.effect.type !== "run-gate") return now;
    now = now.gate(redGates.includes(decision.effect.gate.name) ? "red" : "green");
  }
  throw new Error("the baseline does not end");
}

/** An iteration whose agent has ended this way and left this behind. */
export function afterAgent(
  how: AgentExit,
  left: ProjectChange,
  from: Given = given(),
  more: { before?: ProjectReading; red?: readonly string[] } = {},
): Given {
  return baselined(from, more.before, more.red)
    .answered({ type: "prompt-written", bytes: 1, tokens: 1, cut: [] })
    .started()
    .and({ type: "agent-exited", exit: how })
    .answered({ type: "project-inspected", change: left });
}

/** The same up to the end of the iteration, gates green and all else done as ordered. */
export function finished(from: Given): Given {
  let now = from;
  for (let steps = 0; steps < 50; steps++) {
    const decision = decideIteration(now.state);
    if (decision.type === "end") return now.ended();
    now = now.answered(answer(decision.effect));
  }
  throw new Error("the iteration does not end");
}

function answer(effect: Effect): Fact {
  switch (effect.type) {
    case "run-gate":
      return gateRan(effect.gate.name, { word: "green", phase: effect.phase });
    case "inspect-project":
      return { type: "project-inspected", change: change() };
    case "mend-git":
      return { type: "git-mended", did: ["The repository is back."] };
    case "restore-file":
      return { type: "file-restored", file: effect.file, keptAside: "aside" };
    case "set-aside":
      return { type: "signal-set-aside", signal: effect.signal, keptAside: "aside" };
    case "mark-task":
      return { type: "task-marked", task: effect.task, status: effect.status };
    case "write-memory":
      return { type: "memory-written", by: "ralph" };
    case "archive":
      return { type: "archived", path: ".ralph/archive/2026-11-15-shop" };
    case "commit":
      return { type: "committed", commit: "c1" };
    case "restore-tasks":
      return { type: "tasks-restored", keptAside: "aside" };
    default:
      throw new Error(`no answer to ${effect.type}`);
  }
}

/** A gate that was run in this phase, green or with the line it fails with. */
function gateRan(
  name: string,
  { word, line = "1 failing", phase }: GateWords,
): Fact & { type: "gate-ran" } {
  const isGreen = word === "green";
  const words = { passed: isGreen, code: isGreen ? 0 : 1, lines: isGreen ? [] : [line] };
  const result = { name, timedOut: false, durationMs: 1, ...words };
  return { type: "gate-ran", result: phase === undefined ? result : { ...result, phase } };
}

interface GateWords {
  readonly word: "green" | "red";
  readonly line?: string;
  readonly phase?: GatePhase | undefined;
}
