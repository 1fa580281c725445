// Decides, while an agent runs, when it has to be ended: four clocks, fed by its own notes. The supervisor only steps it.

import type { ClockLimits } from "../schema/config.ts";
import type { Note } from "../schema/note.ts";
import type { Clock } from "../schema/outcome.ts";

/** A process that was not stepped for this long was asleep: a suspended machine or a stopped job. */
const SLEPT_MS = 15_000;
/** How often the supervisor must step at least, so that sleep can be told from silence. */
export const WATCH_STEP_MS = 5_000;

/** What the clocks of one agent stand at. */
export interface WatchState {
  readonly limits: ClockLimits;
  readonly startedAt: number;
  readonly steppedAt: number;
  /** Time of the newest sign of life; undefined before the first. */
  readonly heardAt: number | undefined;
  /** Time of the final message. */
  readonly resultAt: number | undefined;
  readonly toolsInFlight: readonly string[];
}

/** The clocks after a note or a tick. */
export interface WatchStep {
  readonly state: WatchState;
  /** The clock that ran out, if one did. */
  readonly terminate: Clock | undefined;
}

const TOOLS_MAX = 1000;

export function startWatch(limits: ClockLimits, now: number): WatchState {
  return {
    limits,
    startedAt: now,
    steppedAt: now,
    heardAt: undefined,
    resultAt: undefined,
    toolsInFlight: [],
  };
}

/** One note, or a tick where `note` is undefined. */
export function watch(before: WatchState, now: number, note?: Note): WatchStep {
  const awake = { ...forgetSleep(before, now), steppedAt: now };
  const state = note === undefined ? awake : hear(awake, now, note);
  return { state, terminate: firedClock(state, now) };
}

/** When the next clock would run out if nothing more is heard. */
export function nextDeadline(state: WatchState): number {
  return Math.min(...deadlines(state).map(([, at]) => at));
}

function hear(state: WatchState, now: number, note: Note): WatchState {
  const heard = { ...state, heardAt: now };
  switch (note.type) {
    case "tool-started":
      return { ...heard, toolsInFlight: [...state.toolsInFlight, note.id].slice(-TOOLS_MAX) };
    case "tool-ended":
      return { ...heard, toolsInFlight: state.toolsInFlight.filter((id) => id !== note.id) };
    case "result":
      return { ...heard, resultAt: state.resultAt ?? now, toolsInFlight: [] };
    default:
      return heard;
  }
}

function firedClock(state: WatchState, now: number): Clock | undefined {
  return deadlines(state).find(([, at]) => now >= at)?.[0];
}

function deadlines(state: WatchState): readonly (readonly [Clock, number])[] {
  const { limits, resultAt, heardAt, startedAt } = state;
  // After the final message only the grace time counts: the work is over, whatever the process does.
  if (resultAt !== undefined) return [["grace", resultAt + limits.graceMs]];
  const wall = ["wall", startedAt + limits.wallMs] as const;
  if (heardAt === undefined) {
    return limits.startMs === undefined ? [wall] : [["start", startedAt + limits.startMs], wall];
  }
  const idleMs = state.toolsInFlight.length === 0 ? limits.idleMs : undefined;
  return idleMs === undefined ? [wall] : [["idle", heardAt + idleMs], wall];
}

/** Moves every anchor by the time slept, so that sleeping is charged to no clock. */
function forgetSleep(state: WatchState, now: number): WatchState {
  const gap = now - state.steppedAt;
  // A clock that is set back looks like a negative sleep.
  if (gap >= 0 && gap < SLEPT_MS) return state;
  return {
    ...state,
    startedAt: state.startedAt + gap,
    heardAt: state.heardAt === undefined ? undefined : state.heardAt + gap,
    resultAt: state.resultAt === undefined ? undefined : state.resultAt + gap,
  };
}
