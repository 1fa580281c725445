// What really happened in a simulated run, in order: the deeds of the world and the lines of the log side by side.
// Checkers read this and nothing of the program's own state.

import type { LimitAnswer, StopControl } from "../../src/core/schema/control.ts";
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

/** What an agent really said and did not say, as far as anybody heard it. */
export interface AgentSaid {
  /** Its final message says that all is done. */
  readonly promised: boolean;
  readonly asked: string | undefined;
  readonly costUsd: number | undefined;
  readonly tokens: number | undefined;
  /** Which mistake it met: the same name for the same mistake, whatever its words are. */
  readonly error: string | undefined;
}

/** As much of the project as tells whether anything has moved. */
export interface Glance {
  readonly digest: string;
  readonly open: number;
}

/** How the project really is at one moment. */
export interface Truth {
  /** Who left the task list unreadable, if it is. */
  readonly damagedBy: Hand | undefined;
  readonly open: number;
  /** Gates and own checks that would be red with the tests a person knows. */
  readonly red: readonly string[];
  /** Stories whose tests are weaker than a person knows. */
  readonly weak: readonly string[];
  /** Tasks of a person's that are not in the list. */
  readonly missing: readonly string[];
  /** Tasks that say something else, or are gone, since the last agent was let go. */
  readonly edited: readonly string[];
  /** Files of the person's that are not what they were when the last agent was let go. */
  readonly files: readonly string[];
  /** Tasks and notes that an agent has added and that are gone. */
  readonly lostAdditions: readonly string[];
  /** Done stories with an own check, and the command of it. */
  readonly checks: readonly (readonly [id: string, command: string])[];
  /** Open stories of which all that they depend on is done. */
  readonly ready: readonly string[];
  readonly agentsStopFile: boolean;
}

/** What somebody has to have put right before an agent starts. */
export interface RepositoryTruth {
  readonly branch: string | undefined;
  /** Commits that were on the branch and are not, or that nothing holds any more. */
  readonly lost: readonly string[];
  readonly stashLost: readonly string[];
  readonly isLocked: boolean;
}

/** What a person changes. */
export type PersonsEdit =
  | "added"
  | "titled"
  | "criteria"
  | "marked"
  | "reopened"
  | "settings"
  | "prompt"
  | "committed"
  | "tests"
  | "stop-file"
  | "accepted";

/** One thing that happened. */
export type Happening = { readonly at: number; readonly life: number } & (
  | {
      readonly type: "opening";
      readonly run: string;
      /** Whether a person closes the breaker. */
      readonly circuit: "kept" | "reset";
    }
  | { readonly type: "opened" }
  | {
      readonly type: "logged";
      readonly event: Event;
      /** Only with ends, of an iteration or of the run. */
      readonly truth: Truth | undefined;
      /** Only with readings: the tree, and how many tasks are open. */
      readonly glance: Glance | undefined;
    }
  /** A power loss took the end of a run's log: events from this number on are gone. */
  | { readonly type: "log-cut"; readonly run: string; readonly fromSeq: number }
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
      readonly ready: readonly string[];
      readonly repository: RepositoryTruth;
      readonly agentsStopFile: boolean;
      /** Gates and own checks that somebody has to have looked at. */
      readonly gates: readonly string[];
    }
  | {
      readonly type: "agent-gone";
      readonly pid: number;
      readonly iteration: number;
      readonly cause: "own" | "stop" | "killed" | Clock;
      readonly times: AgentTimes;
      readonly limit: { kind: "usage" | "rate"; resetsAt: number | undefined } | undefined;
      readonly isResultGood: boolean;
      readonly said: AgentSaid;
    }
  | { readonly type: "gate-began"; readonly key: string; readonly iteration: number }
  | {
      readonly type: "gate-said";
      /** The name of a gate of the settings, or the command of an own check. */
      readonly key: string;
      readonly iteration: number;
      readonly isRed: boolean;
    }
  | {
      readonly type: "prompt";
      readonly iteration: number;
      readonly task: string;
      readonly attempt: number;
      readonly rejection: string | undefined;
    }
  | { readonly type: "control-given"; readonly control: StopControl }
  /** A person who was asked whether to wait for a limit has said so. */
  | { readonly type: "answered"; readonly answer: LimitAnswer }
  | { readonly type: "marked"; readonly id: string; readonly isDone: boolean; readonly by: Hand }
  | { readonly type: "list-damaged"; readonly by: Hand }
  /** An agent did what it may not do. */
  | { readonly type: "tampered"; readonly what: Tampering }
  /** An agent did to the list what it may do, beside marking. */
  | { readonly type: "added"; readonly by: Hand }
  | {
      readonly type: "person-edited";
      readonly edit: PersonsEdit;
      readonly id: string;
      readonly title: string;
    }
  | { readonly type: "committed"; readonly trailer: string | undefined; readonly by: Hand }
  | { readonly type: "remembered"; readonly marker: string | undefined }
  | { readonly type: "archived"; readonly by: string; readonly open: number }
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

/** What an agent may not do. */
export type Tampering =
  | "list"
  | "settings"
  | "template"
  | "prompt"
  | "tests"
  | "branch"
  | "history"
  | "stash"
  | "lock"
  | "merge"
  | "stop-file";

/** A happening without its time and place. */
export type Deed = Happening extends infer H
  ? H extends Happening
    ? Omit<H, "at" | "life">
    : never
  : never;
