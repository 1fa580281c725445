// The two closed sets a loop ends in: how an iteration came out, and why a run ended.

/** The four clocks of an agent. */
export const CLOCKS = ["start", "idle", "grace", "wall"] as const;
/** Which of the four clocks ran out. `grace` is the time after a final message. */
export type Clock = (typeof CLOCKS)[number];

export const OUTCOMES = [
  "accepted",
  "progressed",
  "no-op",
  "rejected",
  "needs-human",
  "agent-failed",
  "timed-out",
  "rate-limited",
  "usage-limited",
  "fatal",
  "interrupted",
] as const;
/** How an iteration came out. */
export type Outcome = (typeof OUTCOMES)[number];

/** Why a task is laid aside. The last three only let others go first: the task comes back when no other is left. */
export const PARK_REASONS = [
  "asked",
  "rejected-claims",
  "test-only",
  "no-change",
  "same-error",
  "stuck",
] as const;
/** One of them. */
export type ParkReason = (typeof PARK_REASONS)[number];

export const END_REASONS = [
  "complete",
  "iterations-used-up",
  "circuit-open",
  "needs-human",
  "usage-limit",
  "budget-used-up",
  "agent-unusable",
  "bad-input",
  "locked",
  "disk",
  "stopped",
] as const;
/** Why a run ended. */
export type EndReason = (typeof END_REASONS)[number];

/** Signals that end a run, each with the exit code a shell expects. */
export const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** One of them. */
export type StopSignal = (typeof STOP_SIGNALS)[number];

/** The exit code of a run, one for each reason; a stopped run tells the signal. */
export function exitCodeOf(reason: EndReason, signal: StopSignal): number {
  return reason === "stopped" ? SIGNAL_EXIT_CODES[signal] : EXIT_CODES[reason];
}

/** What a shell calls success; also the code of every command that only answers a question. */
export const EXIT_CODES: Readonly<Record<Exclude<EndReason, "stopped">, number>> = {
  complete: 0,
  "iterations-used-up": 1,
  "circuit-open": 1,
  "needs-human": 2,
  "usage-limit": 2,
  "budget-used-up": 3,
  "agent-unusable": 4,
  "bad-input": 64,
  locked: 73,
  disk: 74,
};

const SIGNAL_EXIT_CODES: Readonly<Record<StopSignal, number>> = {
  SIGINT: 130,
  SIGTERM: 143,
  SIGHUP: 129,
};

/** Whether `ralph run` goes on with the same run after this end. */
export function isResumable(reason: EndReason): boolean {
  return RESUMABLE.has(reason);
}

const RESUMABLE: ReadonlySet<EndReason> = new Set([
  "needs-human",
  "usage-limit",
  "agent-unusable",
  "disk",
  "stopped",
]);
