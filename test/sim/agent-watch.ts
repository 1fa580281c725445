// Keeps the true times of one pretend agent, apart from the clocks under test, and makes its exit when it is gone.

import type { AgentExit, AgentResult } from "../../src/core/schema/event.ts";
import type { Note } from "../../src/core/schema/note.ts";
import type { Clock } from "../../src/core/schema/outcome.ts";
import type { Machine } from "./machine.ts";
import type { LiveAgent } from "./stage.ts";
import type { AgentSaid } from "./timeline.ts";

/** What is known of an agent by somebody who never sleeps. */
export class AgentWatch {
  readonly #machine: Machine;
  readonly #live: LiveAgent;
  readonly #startedAt: number;
  readonly #sleepsBefore: number;
  #heardAt: number | undefined;
  #resultAt: number | undefined;
  #tools = 0;
  #result: AgentResult | undefined;
  #asked: string | undefined;
  /** True once the message was heard that the script means to be the last. */
  #isLastHeard = false;
  #limit: AgentExit["limit"];

  constructor(machine: Machine, live: LiveAgent) {
    this.#machine = machine;
    this.#live = live;
    this.#startedAt = machine.awake;
    this.#sleepsBefore = machine.sleeps;
    this.next();
  }

  hear(note: Note | undefined): void {
    if (note === undefined) return;
    const { awake } = this.#machine;
    this.#heardAt = awake;
    if (note.type === "tool-started") this.#tools += 1;
    if (note.type === "tool-ended") this.#tools -= 1;
    if (note.type === "limit") {
      const { type: _, ...limit } = note;
      this.#limit = limit;
    }
    if (note.type === "asked") this.#asked = note.question;
    if (note.type !== "result") return;
    this.#isLastHeard = note === this.#live.script.words?.note;
    const { type: _, ...result } = note;
    this.#result = result;
    this.#resultAt ??= awake;
  }

  next(): void {
    const live = this.#live;
    live.next += 1;
    const step = live.script.steps[live.next];
    const isOver = step === undefined && live.script.end === undefined;
    live.dueAt = isOver ? Number.POSITIVE_INFINITY : this.#machine.awake + (step?.afterMs ?? 50);
  }

  end(cause: "own" | "stop" | Clock): AgentExit {
    const machine = this.#machine;
    const { pid, iteration, script } = this.#live;
    const children = [...machine.processes.values()].filter(({ kind }) => kind === "child").length;
    machine.processes.clear();
    const { awake } = machine;
    const since = (at: number | undefined): number | undefined =>
      at === undefined ? undefined : awake - at;
    machine.tell({
      type: "agent-gone",
      pid,
      iteration,
      cause,
      times: {
        sinceStart: awake - this.#startedAt,
        sinceHeard: since(this.#heardAt),
        sinceResult: since(this.#resultAt),
        toolsInFlight: this.#tools,
        sleeps: machine.sleeps - this.#sleepsBefore,
      },
      limit:
        this.#limit === undefined
          ? undefined
          : { kind: this.#limit.kind, resetsAt: this.#limit.resetsAt },
      isResultGood: this.#result?.good === true,
      said: this.#said(),
    });
    return {
      ...(cause === "own" && script.end !== undefined
        ? script.end
        : { code: null, signal: "SIGTERM" }),
      ...(cause === "own"
        ? {}
        : { terminated: cause === "stop" ? { cause } : { cause: "clock", clock: cause } }),
      lost: false,
      durationMs: awake - this.#startedAt,
      outputBytes: 100,
      ...(this.#result === undefined ? {} : { result: this.#result }),
      ...(this.#limit === undefined ? {} : { limit: this.#limit }),
      ...(this.#asked === undefined ? {} : { asked: this.#asked }),
      denials: [],
      stderr: "",
      survivors: cause === "own" ? children : 0,
    };
  }

  /** What it meant, as far as anybody heard it. */
  #said(): AgentSaid {
    const result = this.#result;
    const words = this.#isLastHeard ? this.#live.script.words : undefined;
    const { input, output } = result?.tokens ?? {};
    return {
      // A message that was not meant to be the last is, where no other followed.
      promised: words?.promises ?? result?.text.startsWith("<promise>COMPLETE") === true,
      asked: words?.asks ?? this.#asked,
      costUsd: result?.costUsd,
      tokens:
        input === undefined && output === undefined ? undefined : (input ?? 0) + (output ?? 0),
      error: words?.error,
    };
  }
}
