// The loop itself: decide, announce, perform, append, reduce, until the core has ordered the end. It decides nothing.

import { CRASH_RULES } from "../../core/loop/crash-rules.ts";
import { decideIteration } from "../../core/loop/decide-iteration.ts";
import { decideRun, type Order } from "../../core/loop/decide-run.ts";
import { reduce } from "../../core/loop/reduce.ts";
import type { PendingEffect, RunState } from "../../core/loop/state.ts";
import type { Control } from "../../core/schema/control.ts";
import type { Effect, EffectType } from "../../core/schema/effect.ts";
import type { Fact, IterationFact } from "../../core/schema/event.ts";
import { renderEffectId } from "../../core/schema/ids.ts";
import { assert, unreachable } from "../../std/assert.ts";
import type { FactPlace, Performing, Ports } from "./ports.ts";

/** Drives a run from `opened` to its end; what it throws is a fault of the disk or of ours. */
export async function drive(ports: Ports, opened: RunState): Promise<RunState> {
  const driver = new Driver(ports, opened);
  const stopListening = ports.listen((id, control) => driver.takeControl(id, control));
  try {
    return await driver.run();
  } finally {
    stopListening();
  }
}

/** Effects after which nobody could tell any more why they were needed. */
const ERASES_TRACES: ReadonlySet<EffectType> = new Set([
  "mend-git",
  "restore-tasks",
  "restore-file",
  "set-aside",
]);

class Driver {
  readonly #ports: Ports;
  #state: RunState;
  /** Cuts short what is being performed or waited for. */
  #cut: AbortController | undefined;
  /** A fault while a control was recorded; thrown by the loop. */
  #fault: { error: unknown } | undefined;
  /** The effect an earlier process announced and left without a fact. */
  readonly #inherited: PendingEffect | undefined;
  /** The iteration it belongs to; of this one an announcement may also have been lost with the power. */
  readonly #inheritedN: number | undefined;

  constructor(ports: Ports, opened: RunState) {
    this.#ports = ports;
    this.#state = opened;
    this.#inherited = opened.current?.pending;
    this.#inheritedN = opened.current?.n;
  }

  async run(): Promise<RunState> {
    await this.#ports.world.endOrphans(this.#state);
    for (;;) {
      if (this.#fault !== undefined) throw this.#fault.error;
      const [order] = decideRun(this.#state);
      if (order === undefined) return this.#state;
      await this.#follow(order);
    }
  }

  takeControl(id: string, control: Control): void {
    try {
      this.#record({ type: "control-received", id, control });
      const cancel = decideRun(this.#state).find((order) => order.type === "cancel");
      if (cancel !== undefined) this.#record({ type: "cancel-ordered", reason: cancel.reason });
      // A wait is over as soon as a control asks for something else.
      if (cancel !== undefined || this.#state.waiting !== undefined) this.#cut?.abort();
    } catch (error) {
      this.#fault = { error };
      this.#cut?.abort();
    }
  }

  async #follow(order: Order): Promise<void> {
    switch (order.type) {
      case "run-iteration":
        return await this.#stepIteration(order.n, order.reason);
      case "cancel":
        // Only an inherited effect can be pending here: it has not been taken up again, so it is cut already.
        return this.#recordInIteration({ type: "effect-cut" });
      case "wait-until":
        return await this.#wait(order);
      case "end":
        this.#record({ type: "run-ended", ...order.end });
        return this.#barrier();
      default:
        return unreachable(order);
    }
  }

  async #stepIteration(n: number, reason: string): Promise<void> {
    if (this.#state.current === undefined) {
      this.#record({ type: "iteration-started", reason }, { iteration: n });
      return;
    }
    const pending = this.#state.current.pending;
    if (pending !== undefined) return await this.#takeUp(pending);
    const decision = decideIteration(this.#state);
    if (decision.type === "end") {
      this.#record({ type: "iteration-ended", end: decision.end }, { iteration: n });
      // Synced with the start of the next agent, with the next wait or with the end: one of them follows at once.
      return this.#ports.log.snapshot(this.#state);
    }
    const { effect, reason: why } = decision;
    const k = this.#state.current.effects + 1;
    this.#record({ type: "effect-ordered", order: effect, reason: why }, this.#place(k));
    if (this.#mustBeOnDisk(effect)) this.#ports.log.sync();
    const announced = { k, effect, cut: false };
    if (n === this.#inheritedN) return await this.#performUnlessDone(announced);
    await this.#perform(announced);
  }

  #mustBeOnDisk({ type }: Effect): boolean {
    // What was found is gone once it is put right; the disk must know of it before.
    if (ERASES_TRACES.has(type)) return true;
    // Without an agent nothing was synced yet, and what an iteration did is looked for only when it is known of.
    return CRASH_RULES[type] === "probe" && this.#state.current?.agent === undefined;
  }

  /** An effect that an earlier process announced: done again, looked for, or given up, by the crash rule. */
  async #takeUp(pending: PendingEffect): Promise<void> {
    assert(
      pending.k === this.#inherited?.k,
      "only an inherited effect is pending between two steps",
    );
    const isLost = CRASH_RULES[pending.effect.type] === "skip";
    if (isLost) return this.#recordInIteration(this.#ports.world.lost(pending.effect));
    await this.#performUnlessDone(pending);
  }

  /** Where doing it twice would show, looks first whether it was done. */
  async #performUnlessDone(pending: PendingEffect): Promise<void> {
    if (CRASH_RULES[pending.effect.type] === "probe") {
      const cut = new AbortController();
      this.#cut = cut;
      const fact = await this.#ports.world.probe(pending.effect, this.#performing(cut));
      this.#cut = undefined;
      if (fact !== undefined) return this.#recordInIteration(fact);
      if (cut.signal.aborted) return this.#recordInIteration({ type: "effect-cut" });
    }
    await this.#perform(pending);
  }

  async #perform(pending: PendingEffect): Promise<void> {
    const cut = new AbortController();
    this.#cut = cut;
    try {
      const fact = await this.#ports.world.perform(pending.effect, this.#performing(cut));
      this.#recordInIteration(fact === "cut" ? { type: "effect-cut" } : fact);
    } finally {
      this.#cut = undefined;
    }
  }

  async #wait({ until, reason, question }: Order & { type: "wait-until" }): Promise<void> {
    const asking = question === undefined ? {} : { question };
    this.#record({ type: "wait-started", until, reason, ...asking });
    this.#barrier();
    const cut = new AbortController();
    this.#cut = cut;
    await this.#ports.world.waitUntil(until, cut.signal);
    this.#cut = undefined;
    this.#record({ type: "wait-ended" });
  }

  #performing(cut: AbortController): Performing {
    return {
      state: this.#state,
      signal: cut.signal,
      onStarted: ({ pid, startTime }) => {
        this.#recordInIteration({ type: "agent-started", pid, startTime });
        this.#ports.log.sync();
      },
    };
  }

  #recordInIteration(fact: IterationFact): void {
    const current = this.#state.current;
    assert(current !== undefined, `${fact.type} belongs to an iteration`);
    this.#record(fact, this.#place(current.pending?.k ?? current.effects));
  }

  #record(fact: Fact, place: FactPlace = {}): void {
    const event = this.#ports.log.append(fact, place);
    this.#state = reduce(this.#state, event);
    this.#ports.onEvent(event, this.#state);
  }

  /** After this the disk holds all that was said so far. */
  #barrier(): void {
    this.#ports.log.sync();
    this.#ports.log.snapshot(this.#state);
  }

  #place(k: number): FactPlace {
    const { run, iteration } = this.#state;
    return { iteration, effect: renderEffectId(run, iteration, k) };
  }
}
