// What the driver needs of the world. The real one is world.ts; the simulation brings another and drives the same code.

import type { RunState } from "../../core/loop/state.ts";
import type { Control } from "../../core/schema/control.ts";
import type { Effect } from "../../core/schema/effect.ts";
import type { Event, Fact, IterationFact } from "../../core/schema/event.ts";
import type { EffectId } from "../../core/schema/ids.ts";

/** Which iteration and effect a fact belongs to. */
export interface FactPlace {
  readonly iteration?: number;
  readonly effect?: EffectId;
}

/** The log of the run; one appender. */
export interface RunLog {
  /** Throws when the disk or somebody else's hand makes it impossible; the run then ends. */
  append(fact: Fact, place: FactPlace): Event;
  /** Everything appended is on the disk when it returns. */
  sync(): void;
  snapshot(state: RunState): void;
}

/** What an effect may use while it is performed. */
export interface Performing {
  readonly state: RunState;
  /** Fires when the effect is to be cut short. */
  readonly signal: AbortSignal;
  /** Records that the agent is about to start; it may start once this returns. */
  readonly onStarted: (started: { pid: number; startTime: string }) => void;
}

/** Everything outside our memory. */
export interface World {
  /** Must not throw: what goes wrong is a fact. `cut` means that it was stopped and has to be taken up again. */
  perform(effect: Effect, by: Performing): Promise<IterationFact | "cut">;
  /** The fact of an effect that was done before a crash; undefined where it was not. */
  probe(effect: Effect, by: Performing): Promise<IterationFact | undefined>;
  /** Ends whatever an earlier process of the run left running. */
  endOrphans(state: RunState): Promise<void>;
  /** The fact of an effect that must not be done twice. */
  lost(effect: Effect): IterationFact;
  waitUntil(at: number, signal: AbortSignal): Promise<void>;
}

/** All that the driver is connected to. */
export interface Ports {
  readonly log: RunLog;
  readonly world: World;
  /** Calls back with every control that comes in, until the returned function is called. */
  readonly listen: (onControl: (id: string, control: Control) => void) => () => void;
  /** Sees every event after it was recorded; must not throw. */
  readonly onEvent: (event: Event, state: RunState) => void;
}
