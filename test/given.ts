// The language of core tests: given these facts, the core decides that. No world, no clock, no files.

import { expect } from "vitest";
import { decideIteration } from "../src/core/loop/decide-iteration.ts";
import { decideRun } from "../src/core/loop/decide-run.ts";
import { reduce } from "../src/core/loop/reduce.ts";
import type { RunState } from "../src/core/loop/state.ts";
import type { Config } from "../src/core/schema/config.ts";
import type { Effect } from "../src/core/schema/effect.ts";
import type {
  AgentExit,
  Event,
  Fact,
  IterationEnd,
  ProjectChange,
  ProjectReading,
} from "../src/core/schema/event.ts";
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
  pauseMs: 0,
  keepIterations: 100,
  promptTokensMax: 12_000,
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
    git: { head: "c0", branch: "main", dirty: 0 },
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
export function marked(ids: string[], open: string[]): ProjectChange {
  const claimed = ids.map(task);
  const changes = {
    finishedCount: ids.length,
    finished: claimed,
    reopened: [],
    added: [],
    removed: [],
  };
  return change({ tasks: tasks(...open), changes, treeChanged: true, digest: "d1" });
}

export function exit(more: Partial<AgentExit> = {}): AgentExit {
  const nothing = { code: 0, signal: null, lost: false, durationMs: 5_000, outputBytes: 10 };
  return { ...nothing, denials: [], stderr: "", survivors: 0, ...more };
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

  /** The agent that the core orders is let go. */
  started(): Given {
    return this.answered({ type: "agent-started", pid: 4711, startTime: "1" });
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

export function given(more: Partial<Config> = {}): Given {
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
  };
  return new Given(reduce(undefined, event));
}

/** An iteration whose agent has ended this way and left this behind. */
export function afterAgent(how: AgentExit, left: ProjectChange, from: Given = given()): Given {
  return from
    .and({ type: "iteration-started", reason: "test" })
    .answered({ type: "project-read", reading: reading() })
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
      return {
        type: "gate-ran",
        result: {
          name: effect.gate.name,
          passed: true,
          code: 0,
          timedOut: false,
          durationMs: 1,
          lines: [],
        },
      };
    case "mark-task":
      return { type: "task-marked", task: effect.task, status: effect.status };
    case "write-memory":
      return { type: "memory-written", by: "ralph" };
    case "commit":
      return { type: "committed", commit: "c1" };
    case "restore-tasks":
      return { type: "tasks-restored", keptAside: "aside" };
    default:
      throw new Error(`no answer to ${effect.type}`);
  }
}

/** A gate that fails, with the line it fails with. */
export function red(name: string, line = "1 failing"): Fact {
  return {
    type: "gate-ran",
    result: { name, passed: false, code: 1, timedOut: false, durationMs: 1, lines: [line] },
  };
}
