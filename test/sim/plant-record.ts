// Bugs of the record: what is written is not what was decided, or is written elsewhere, or not at all.

import type { Effect } from "../../src/core/schema/effect.ts";
import type { Fact, IterationEnd } from "../../src/core/schema/event.ts";
import type { Ports, RunLog } from "../../src/engine/run/ports.ts";
import { isDiskError } from "../../src/world/host/files.ts";
import { JournalTouched } from "../../src/world/store/journal.ts";
import { changeRecord, swallow, withLog, type Append } from "./plant-ways.ts";
import type { Plant } from "./simulate.ts";

/** Numbers that no seed decides, for the bug that makes two runs of a seed differ. */
let calls = 0;

export function acceptAgain(fact: Fact): Fact {
  if (fact.type !== "iteration-ended") return fact;
  const { end } = fact;
  return end.task === undefined || end.accepted.length === 0
    ? fact
    : {
        ...fact,
        end: {
          ...end,
          accepted: [...end.accepted, { ...end.accepted[0]!, id: firstTask(end.task.id) }],
        },
      };
}

export function firstTask(id: string): never {
  return id.replace(/\d+$/u, "1") as never;
}

export function chargeNothing(fact: Fact): Fact {
  return fact.type === "iteration-ended" ? { ...fact, end: { ...fact.end, charged: false } } : fact;
}

export function chargeLimits(fact: Fact): Fact {
  if (fact.type !== "iteration-ended" || !fact.end.outcome.endsWith("-limited")) return fact;
  return { ...fact, end: { ...fact.end, charged: true } };
}

export function loseField(fact: Fact): Fact {
  if (fact.type !== "gate-ran") return fact;
  const { durationMs: _, ...result } = fact.result;
  return { ...fact, result: result as typeof fact.result };
}

export function addNoise(fact: Fact): Fact {
  calls += 1;
  return fact.type === "iteration-started" ? { ...fact, reason: `${fact.reason} ${calls}` } : fact;
}

export function dropLines(type: Effect["type"]): Plant {
  return withLog((log) =>
    swallow(log, (fact) => fact.type === "effect-ordered" && fact.order.type === type),
  );
}

export function dropEnds(ports: Ports): Ports {
  const isDropped = (fact: Fact): boolean =>
    fact.type === "iteration-ended" && fact.end.outcome === "rejected";
  return { ...ports, log: swallow(ports.log, isDropped) };
}

export function twoTruths(ports: Ports): Ports {
  const append: Append = (fact, place) => {
    const event = ports.log.append(fact, place);
    return fact.type === "project-read" ? { ...event, at: event.at + 1 } : event;
  };
  return { ...ports, log: { ...ports.log, append } };
}

export function wrongSnapshot(log: RunLog): RunLog {
  return { ...log, snapshot: (state) => log.snapshot({ ...state, charged: state.charged + 1 }) };
}

export function restartNumbers(ports: Ports): Ports {
  let n = 0;
  const append: Append = (fact, place) => {
    if (fact.type === "iteration-started") n += 1;
    const isNumbered = place.iteration !== undefined && n > 0;
    return ports.log.append(fact, isNumbered ? { ...place, iteration: n } : place);
  };
  return { ...ports, log: { ...ports.log, append } };
}

export function touchOnFull(ports: Ports): Ports {
  const append: Append = (fact, place) => {
    try {
      return ports.log.append(fact, place);
    } catch (error) {
      if (isDiskError(error)) throw new JournalTouched("the log is not as long as it should be");
      throw error;
    }
  };
  return { ...ports, log: { ...ports.log, append } };
}

/** The end of an iteration is written otherwise. */
export function changeEnd(change: (end: IterationEnd) => IterationEnd): Plant {
  return changeRecord((fact) =>
    fact.type === "iteration-ended" ? { ...fact, end: change(fact.end) } : fact,
  );
}

export function callProgress(end: IterationEnd): IterationEnd {
  return { ...end, progress: true };
}

export function callNoOpsProgress(end: IterationEnd): IterationEnd {
  return end.outcome === "no-op" && end.charged ? { ...end, outcome: "progressed" } : end;
}

export function callVerified(end: IterationEnd): IterationEnd {
  return { ...end, accepted: end.accepted.map(({ id }) => ({ id, verification: "verified" })) };
}

export function keepInTurn(reasons: readonly string[]): (end: IterationEnd) => IterationEnd {
  return (end) => {
    const { parked, ...rest } = end;
    return parked !== undefined && reasons.includes(parked.why) ? rest : end;
  };
}

export function nameErrorsAnew(ports: Ports): Ports {
  const append: Append = (fact, place) => {
    if (fact.type !== "iteration-ended" || fact.end.error === undefined)
      return ports.log.append(fact, place);
    const error = `${fact.end.error} ${place.iteration ?? 0}`;
    return ports.log.append({ ...fact, end: { ...fact.end, error } }, place);
  };
  return { ...ports, log: { ...ports.log, append } };
}

export function callForPerson(fact: Fact): Fact {
  const isOnlyParked = fact.type === "run-ended" && fact.detail.startsWith("only tasks are left");
  return isOnlyParked && fact.reason === "circuit-open"
    ? { ...fact, reason: "needs-human", exitCode: 2 }
    : fact;
}
