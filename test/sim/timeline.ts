// What really happened in a simulated run, in order: the deeds of the world and the lines of the log side by side.
// Checkers read this and nothing of the program's own state.

import type { Control } from "../../src/core/schema/control.ts";
import type { Effect, EffectType } from "../../src/core/schema/effect.ts";
import type { Event } from "../../src/core/schema/event.ts";
import type { Clock } from "../../src/core/schema/outcome.ts";

/** Who changed a file. */
export type Hand = "agent" | "person" | "ralph" | "before";

/** How far the clocks of an agent had really run when it was gone, in time the machine was awake. */
export interface AgentTimes {
  readonly sinceStart: number;
  /** Undefined when it never said anything. */
  readonly sinceHeard: number | undefined;
  readonly sinceResult: number | undefined;
  readonly toolsInFlight: number;
  readonly sleeps: number;
}

/** One thing that happened. */
export type Happening = { readonly at: number; readonly life: number } & (
  | { readonly type: "opened" }
  | {
      readonly type: "logged";
      readonly event: Event;
      /** Who left the task list unreadable at this moment, if it was. */
      readonly damagedBy: Hand | undefined;
      /** Gates that would be red now, and tasks that are open. */
      readonly red: readonly string[];
      readonly open: number;
    }
  /** A power loss took the log's end: events from this number on are gone. */
  | { readonly type: "log-cut"; readonly fromSeq: number }
  | { readonly type: "killed"; readonly how: "kill" | "power"; readonly point: string }
  | { readonly type: "disk-full" }
  | {
      readonly type: "effect-began";
      readonly effect: Effect;
      readonly iteration: number;
    }
  | { readonly type: "probed"; readonly effect: EffectType }
  | { readonly type: "orphans-ended"; readonly alive: number }
  | {
      readonly type: "agent-let-go";
      readonly pid: number;
      readonly iteration: number;
      readonly task: string;
      readonly behaviour: string;
      /** True when the durable part of the log names this very process. */
      readonly isRecorded: boolean;
      readonly othersAlive: number;
      readonly isListReadable: boolean;
      /** Marks of agents that are in the list at this moment. */
      readonly agentMarks: readonly string[];
    }
  | {
      readonly type: "agent-gone";
      readonly pid: number;
      readonly iteration: number;
      readonly cause: "own" | "stop" | "killed" | Clock;
      readonly times: AgentTimes;
      readonly limit: { kind: "usage" | "rate"; resetsAt: number | undefined } | undefined;
      readonly isResultGood: boolean;
    }
  | { readonly type: "gate-began"; readonly name: string; readonly iteration: number }
  | { readonly type: "gate-said"; readonly name: string; readonly isRed: boolean }
  | {
      readonly type: "prompt";
      readonly iteration: number;
      readonly task: string;
      readonly attempt: number;
      readonly rejection: string | undefined;
    }
  | { readonly type: "control-given"; readonly control: Control }
  | { readonly type: "marked"; readonly id: string; readonly isDone: boolean; readonly by: Hand }
  | { readonly type: "list-damaged"; readonly by: Hand }
  | {
      readonly type: "person-edited";
      readonly edit: "added" | "titled" | "marked" | "reopened";
      readonly id: string;
      readonly title: string;
    }
  | { readonly type: "committed"; readonly trailer: string | undefined }
  | { readonly type: "remembered"; readonly marker: string | undefined }
  | { readonly type: "slept"; readonly ms: number }
  /** The state in memory, where it can be compared with the fold of the log. */
  | {
      readonly type: "state";
      readonly seq: number;
      readonly json: string;
      readonly of: "live" | "reopened";
    }
  | { readonly type: "ended"; readonly reason: string; readonly processesAlive: number }
  | { readonly type: "fault-ended"; readonly isTouched: boolean; readonly isWritten: boolean }
  | { readonly type: "stuck"; readonly why: string }
);

/** A happening without its time and place. */
export type Deed = Happening extends infer H
  ? H extends Happening
    ? Omit<H, "at" | "life">
    : never
  : never;
