// What is known about a run at one moment: the fold of its log. JSON, bounded, and changed by reduce.ts alone.

import type { Config } from "../schema/config.ts";
import type { Control } from "../schema/control.ts";
import type { Effect, Rejection } from "../schema/effect.ts";
import type {
  AgentExit,
  GateResult,
  IterationEnd,
  ProjectChange,
  ProjectReading,
  Verification,
} from "../schema/event.ts";
import type { RunId } from "../schema/ids.ts";
import type { EndReason } from "../schema/outcome.ts";
import type { TaskRef, TaskSummary } from "../schema/task.ts";

/** Why a run ended or is about to end. */
export interface RunEnd {
  readonly reason: EndReason;
  readonly exitCode: number;
  readonly detail: string;
}

/** The whole of a run. */
export interface RunState {
  readonly run: RunId;
  readonly program: string;
  readonly feature: string;
  readonly layout: string;
  readonly tree: string;
  readonly config: Config;
  readonly startedAt: number;
  /** Sequence number and time of the newest event. */
  readonly seq: number;
  readonly now: number;
  /** Time spent working, over all restarts, waits left out. */
  readonly activeMs: number;
  /** Number of the newest iteration. */
  readonly iteration: number;
  /** Iterations that count against the cap. */
  readonly charged: number;
  readonly stop: Control | undefined;
  readonly waiting: { readonly until: number; readonly reason: string } | undefined;
  /** No agent starts before this time. */
  readonly notBefore: { readonly at: number; readonly reason: string } | undefined;
  /** Rate limits in a row, for the backoff. */
  readonly rateLimits: number;
  readonly current: IterationState | undefined;
  readonly last: { readonly iteration: number; readonly end: IterationEnd } | undefined;
  /** Set when the last iteration, or a failed effect, makes an end of the run due. */
  readonly ending: { readonly reason: EndReason; readonly detail: string } | undefined;
  readonly rejection: Rejection | undefined;
  readonly tasks: TaskSummary | undefined;
  /** Tasks this run has accepted. */
  readonly accepted: Readonly<Record<string, Verification>>;
  /** How often an agent was started for a task. */
  readonly attempts: Readonly<Record<string, number>>;
  readonly costUsd: number | undefined;
  readonly end: RunEnd | undefined;
}

/** An effect that was announced and has no fact yet. */
export interface PendingEffect {
  readonly k: number;
  readonly effect: Effect;
  /** True after a stop or a fault cut it short in this process. */
  readonly cut: boolean;
}

/** What is known of the iteration under way. */
export interface IterationState {
  readonly n: number;
  readonly startedAt: number;
  /** How many effects were announced. */
  readonly effects: number;
  readonly pending: PendingEffect | undefined;
  readonly before: ProjectReading | undefined;
  readonly task: TaskRef | undefined;
  readonly attempt: number;
  readonly promptWritten: boolean;
  readonly agent: { readonly pid: number; readonly startTime: string } | undefined;
  readonly exit: AgentExit | undefined;
  readonly after: ProjectChange | undefined;
  readonly restored: boolean;
  readonly gates: readonly GateResult[];
  /** Marks that were taken back. */
  readonly unmarked: readonly string[];
  readonly remembered: boolean;
  readonly commit:
    | { readonly sha: string | undefined; readonly problem: string | undefined }
    | undefined;
}
