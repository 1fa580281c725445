// What is known about a run at one moment: the fold of its log. JSON, bounded, and changed by reduce.ts alone.

import type { Config } from "../schema/config.ts";
import type { LimitAnswer, StopControl } from "../schema/control.ts";
import type { Effect, GuardedFile, Rejection, SignalKind } from "../schema/effect.ts";
import type {
  AgentExit,
  GateResult,
  IterationEnd,
  Parked,
  ProjectChange,
  ProjectReading,
  Verification,
} from "../schema/event.ts";
import type { Finding } from "../schema/finding.ts";
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
  /** The branch that was asked for when the run began. */
  readonly branch: string | undefined;
  readonly config: Config;
  /** True where nobody can be asked. */
  readonly unattended: boolean;
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
  readonly stop: StopControl | undefined;
  readonly waiting: { readonly until: number; readonly reason: string } | undefined;
  /** No agent starts before this time. */
  readonly notBefore:
    | {
        readonly at: number;
        readonly reason: string;
        /** Set at a usage limit: since when a person can say what to do, and what they said. */
        readonly limit:
          | { readonly since: number; readonly answer: LimitAnswer | undefined }
          | undefined;
      }
    | undefined;
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
  /** How many it has accepted itself since all was last complete; `accepted` also has what earlier runs have verified. */
  readonly acceptances: number;
  /** What an end that could not be committed has left: it is not written again. */
  readonly finish: { readonly closed: boolean; readonly archived: boolean };
  /** Why the newest unverified task is not verified. */
  readonly doubt: string | undefined;
  /** How often an agent was started for a task. */
  readonly attempts: Readonly<Record<string, number>>;
  /** Tasks that are laid aside. */
  readonly parked: Readonly<Record<string, Parked>>;
  /** What went wrong with tasks that are not done yet. */
  readonly struggles: Readonly<Record<string, Struggle>>;
  readonly breaker: Breaker;
  /** What is known of each gate: one that was green once must stay so. */
  readonly gates: Readonly<Record<string, GateColour>>;
  readonly trust: Trust;
  /** When agents were started in this tree within the last hour; as many as the limit counts. */
  readonly calls: readonly number[];
  /** New commits of all iterations, the agents' and ours. */
  readonly commits: number;
  /** Undefined as long as no agent has told what it costs. */
  readonly costUsd: number | undefined;
  readonly tokens: number | undefined;
  /** What earlier runs of the feature have used. */
  readonly spent: { readonly costUsd: number | undefined; readonly tokens: number | undefined };
  /** The newest edits of an agent that were put aside, for a person to accept. */
  readonly aside: Aside;
  readonly end: RunEnd | undefined;
}

/** `was-green`: green in the run before, not looked at yet. `broken`: green then, and red before this run's first agent. */
export type GateColour = "green" | "red" | "was-green" | "broken";

/** How a task has fared since it was last accepted, taken up by a person, or laid aside. */
export interface Struggle {
  /** Iterations without acceptance. */
  readonly tries: number;
  /** True when one of them has changed something. */
  readonly worked: boolean;
  /** The following are counted in a row. */
  readonly rejected: number;
  readonly testOnly: number;
  readonly idle: number;
  readonly error: string | undefined;
  readonly errors: number;
}

/** Stops a run that gets nowhere. Half open: one iteration decides. */
export interface Breaker {
  readonly state: "closed" | "open" | "half-open";
  /** Iterations in a row without any change. */
  readonly idle: number;
  /** The last error, and iterations in a row that had it. */
  readonly error: string | undefined;
  readonly errors: number;
  /** Why it is open or half open. */
  readonly why: string | undefined;
}

/** What tests and gates are compared with, and what was found. */
export interface Trust {
  /** The newest commit that was accepted, or that a person made. */
  readonly commit: string | undefined;
  /** The newest commit seen; another one before the next agent is a person's. */
  readonly head: string | undefined;
  /** Test files changed since the trusted commit. */
  readonly touched: readonly string[];
  readonly findings: readonly Finding[];
  /** Names of the texts as they were last seen or written, to notice a person's edits. */
  readonly list: string | undefined;
  readonly settings: string | undefined;
  readonly prompt: string | undefined;
  readonly template: string | undefined;
}

/** Where edits of an agent lie that were put aside; paths in the record. */
export interface Aside {
  readonly tasks: string | undefined;
  readonly settings: string | undefined;
  readonly prompt: string | undefined;
  readonly template: string | undefined;
}

/** An effect that was announced and has no fact yet. */
export interface PendingEffect {
  readonly k: number;
  readonly effect: Effect;
  /** True after a stop or a fault cut it short in this process. */
  readonly cut: boolean;
}

/** What was done about the state in which an agent left the repository. */
interface Mended {
  readonly did: readonly string[];
  readonly problem: string | undefined;
  /** True when history had been lost or left behind, and was put back. */
  readonly lostHistory: boolean;
}

/** What is known of the iteration under way. */
export interface IterationState {
  readonly n: number;
  readonly startedAt: number;
  /** The run's own time when it began. */
  readonly activeBefore: number;
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
  readonly mended: Mended | undefined;
  readonly restored: boolean;
  /** Files of the person's that were put back. */
  readonly restoredFiles: readonly GuardedFile[];
  /** The agent's stop file, once it is out of the way. */
  readonly signal: { readonly kind: SignalKind; readonly text: string } | undefined;
  /** What the gates said after the agent; one that was red is there twice. */
  readonly gates: readonly GateResult[];
  /** True when a gate is green that never was before. */
  readonly gateImproved: boolean;
  /** Marks that were taken back. */
  readonly unmarked: readonly string[];
  /** Why a mark could not be taken back. */
  readonly markProblem: string | undefined;
  readonly remembered: boolean;
  /** True once the closing entry is there. */
  readonly closed: boolean;
  readonly archived:
    | { readonly path: string | undefined; readonly problem: string | undefined }
    | undefined;
  readonly commit:
    | { readonly sha: string | undefined; readonly problem: string | undefined }
    | undefined;
}
