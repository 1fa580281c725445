// Goes through a timeline with the log as it was at each moment, cuts by power losses taken into account.

import type { Config } from "../../src/core/schema/config.ts";
import type { Event, IterationEnd } from "../../src/core/schema/event.ts";
import type { Happening } from "./timeline.ts";

/** One happening and the logs before it. */
export interface Moment {
  readonly now: Happening;
  /** The run that is worked on; empty before the first. */
  readonly run: string;
  readonly log: readonly Event[];
  /** The logs of the other runs, in the order in which they began. */
  readonly others: readonly (readonly Event[])[];
}

/** An event of one type. */
export type EventOf<T extends Event["type"]> = Event & { readonly type: T };

/** The same array is handed on each time; a checker that keeps it must copy it. */
export function* replay(timeline: readonly Happening[]): Generator<Moment> {
  const runs = new Map<string, Event[]>();
  let run = "";
  let log: Event[] = [];
  let others: readonly Event[][] = [];
  for (const now of timeline) {
    const next = now.type === "logged" ? now.event.run : now.type === "opening" ? now.run : run;
    if (next !== run) {
      run = next;
      log = runs.get(run) ?? [];
      runs.set(run, log);
      others = [...runs.values()].filter((other) => other !== log);
    }
    yield { now, run, log, others };
    if (now.type === "logged") log.push(now.event);
    if (now.type !== "log-cut") continue;
    const cut = runs.get(now.run) ?? [];
    while ((cut.at(-1)?.seq ?? 0) >= now.fromSeq) cut.pop();
  }
}

export function ofType<T extends Event["type"]>(
  log: readonly Event[],
  type: T,
): readonly EventOf<T>[] {
  return log.filter((event): event is EventOf<T> => event.type === type);
}

export function lastOf<T extends Event["type"]>(
  log: readonly Event[],
  type: T,
): EventOf<T> | undefined {
  return log.findLast((event): event is EventOf<T> => event.type === type);
}

export function configOf(log: readonly Event[]): Config | undefined {
  const event = log.findLast((e) => e.type === "config-changed" || e.type === "run-started");
  return event?.type === "config-changed" || event?.type === "run-started"
    ? event.config
    : undefined;
}

/** How each iteration in the log ended. */
export function endsOf(
  log: readonly Event[],
): readonly { n: number; at: number; end: IterationEnd }[] {
  return ofType(log, "iteration-ended").map(({ iteration = 0, at, end }) => ({
    n: iteration,
    at,
    end,
  }));
}

/** Time in which a process worked on the run: waits and the time between two processes left out. */
export function activeMs(log: readonly Event[]): number {
  let sum = 0;
  let at = log[0]?.at ?? 0;
  let isIdle = false;
  for (const event of log) {
    if (!isIdle && event.type !== "run-resumed") sum += Math.max(0, event.at - at);
    at = Math.max(at, event.at);
    if (event.type === "wait-started" || event.type === "run-ended") isIdle = true;
    if (event.type === "wait-ended" || event.type === "run-resumed") isIdle = false;
  }
  return sum;
}
