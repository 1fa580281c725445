// Checkers of the circuit breaker: when it opens, what a trial is, and that a task is laid aside first.

import type { Config } from "../../src/core/schema/config.ts";
import type { Event, IterationEnd } from "../../src/core/schema/event.ts";
import type { Tell } from "./checkers.ts";
import { hasMoved, type Iterations, type MomentCheck } from "./iterations.ts";

type Limits = Config["breaker"];

interface Expected {
  readonly state: "closed" | "open" | "half-open";
  readonly idle: number;
  readonly error: string | undefined;
  readonly errors: number;
  readonly wasTrial: boolean;
}

const CLOSED: Expected = {
  state: "closed",
  idle: 0,
  error: undefined,
  errors: 0,
  wasTrial: false,
};
export function watchBreaker(tell: Tell): MomentCheck {
  const circuits = new Map<Event, "kept" | "reset">();
  let circuit: "kept" | "reset" = "kept";
  return ({ now, log, others, iterations }) => {
    if (now.type === "opening") ({ circuit } = now);
    if (now.type !== "logged") return;
    const { event } = now;
    if (event.type === "run-started" || event.type === "run-resumed") circuits.set(event, circuit);
    if (event.type !== "iteration-started" && event.type !== "run-ended") return;
    const expected = expectBreaker([...others, log], iterations, circuits);
    const checker = expected.wasTrial ? "half-open-one-trial" : "breaker-on-time";
    if (event.type === "iteration-started") {
      if (expected.state === "open")
        tell(checker, `iteration ${event.iteration ?? 0} starts on an open breaker`);
      return;
    }
    const isOnlyParked = endsOnParked(log);
    if (event.reason === "circuit-open" && expected.state !== "open" && !isOnlyParked)
      tell(
        "breaker-on-time",
        `the breaker opens after ${expected.idle} idle iterations and ${expected.errors} errors`,
      );
  };
}

/** The last iteration found nothing but tasks that were laid aside. */
export function endsOnParked(log: readonly Event[]): boolean {
  const last = log.findLast(({ type }) => type === "iteration-ended" || type === "run-resumed");
  if (last?.type !== "iteration-ended") return false;
  const { outcome, task, blocked } = last.end;
  return outcome === "needs-human" && task === undefined && blocked !== true;
}

/** Runs follow one another; one that never got a second event was given up before it began. */
function expectBreaker(
  logs: readonly (readonly Event[])[],
  iterations: Iterations,
  circuits: ReadonlyMap<Event, "kept" | "reset">,
): Expected {
  let expected = CLOSED;
  // Tasks that were all laid aside have ended a run under the same name, and mean the same for the next one.
  let reason = "";
  for (const log of logs) {
    if (log.length < 2 && log !== logs.at(-1)) continue;
    let limits: Limits = { idleMax: 0, sameErrorMax: 0 };
    for (const event of log) {
      if (event.type === "run-started" || event.type === "config-changed")
        limits = event.config.breaker;
      if (event.type === "run-started" || event.type === "run-resumed") {
        const isKept = circuits.get(event) === "kept";
        const isClosed = expected.state === "closed" && reason !== "circuit-open";
        reason = "";
        const halfOpen = tryOnce(expected, limits);
        if (event.type === "run-started") expected = isKept && !isClosed ? halfOpen : CLOSED;
        else expected = !isKept ? CLOSED : isClosed ? expected : halfOpen;
      }
      // The disk may fill up while the end is written; what ended the run stays the same.
      if (event.type === "run-ended" && reason !== "circuit-open") ({ reason } = event);
      if (event.type !== "iteration-ended") continue;
      const it = iterations.of(event.run, event.iteration);
      const isMoving = hasMoved(it, event.end.accepted.length);
      expected = count(expected, event.end, isMoving, limits);
    }
  }
  return expected;
}

/** One iteration decides: it has to change something, and to have another error than the one before it. */
function tryOnce({ error }: Expected, { sameErrorMax }: Limits): Expected {
  const errors = error === undefined ? 0 : sameErrorMax - 1;
  return { ...CLOSED, state: "half-open", error, errors };
}

/** Neither limits, nor stops, nor questions say anything about the work. */
export function isTelling({ charged, outcome }: IterationEnd): boolean {
  return charged && outcome !== "interrupted" && outcome !== "needs-human";
}

function count(before: Expected, end: IterationEnd, isMoving: boolean, limits: Limits): Expected {
  if (!isTelling(end) || before.state === "open") return before;
  if (end.outcome === "accepted") return CLOSED;
  const isTrial = before.state === "half-open";
  const idle = isMoving ? 0 : before.idle + 1;
  const isSame = end.error !== undefined && end.error === before.error;
  const errors = end.error === undefined ? 0 : isSame ? before.errors + 1 : 1;
  const isOpen = idle >= limits.idleMax || (isTrial && idle > 0) || errors >= limits.sameErrorMax;
  const state = isOpen ? "open" : "closed";
  return { state, idle, error: end.error, errors, wasTrial: isTrial };
}

/** An error by its true name and by its key: the same one has the same key, and another one has another. */
export function watchErrors(tell: Tell): MomentCheck {
  const keys = new Map<string, string>();
  const names = new Map<string, string>();
  return ({ now, it }) => {
    if (now.type !== "logged" || now.event.type !== "iteration-ended") return;
    const { outcome, error = "" } = now.event.end;
    const { said } = it;
    if (outcome !== "agent-failed" || said?.error === undefined) return;
    const key = keys.get(said.error) ?? error;
    if (key !== error) tell("same-error-same-key", `"${said.error}" is "${key}" and "${error}"`);
    const name = names.get(error) ?? said.error;
    if (name !== said.error) tell("same-error-same-key", `"${error}" is ${name} and ${said.error}`);
    keys.set(said.error, error);
    names.set(error, said.error);
  };
}
