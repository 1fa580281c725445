// Counts what the seeds have come across, so that everybody can see what was really exercised.

import type { Event } from "../../src/core/schema/event.ts";
import type { SimReport } from "./simulate.ts";

/** Counts by name. */
export type Counts = Record<string, number>;

/** What many seeds came to. */
export interface Tally {
  runs: number;
  processes: number;
  events: number;
  failed: number;
  /** Runs that took something over from one before. */
  features: number;
  readonly ends: Counts;
  readonly outcomes: Counts;
  readonly claims: Counts;
  /** Tasks laid aside, by reason. */
  readonly parked: Counts;
  /** What was put right after an agent. */
  readonly mended: Counts;
  readonly gates: Counts;
  readonly kills: Counts;
  readonly faults: Counts;
  readonly agents: Counts;
  readonly clocks: Counts;
  readonly controls: Counts;
  readonly edits: Counts;
  readonly violations: Counts;
}

export function newTally(): Tally {
  return {
    runs: 0,
    processes: 0,
    events: 0,
    failed: 0,
    features: 0,
    ends: {},
    outcomes: {},
    claims: {},
    parked: {},
    mended: {},
    gates: {},
    kills: {},
    faults: {},
    agents: {},
    clocks: {},
    controls: {},
    edits: {},
    violations: {},
  };
}

export function addUp(tally: Tally, { timeline, violations }: SimReport): void {
  tally.runs += 1;
  tally.failed += violations.length > 0 ? 1 : 0;
  for (const name of new Set(violations.map(({ checker }) => checker))) add(tally.violations, name);
  for (const now of timeline) {
    switch (now.type) {
      case "opened":
        tally.processes += 1;
        break;
      case "logged":
        tally.events += 1;
        addEvent(tally, now.event);
        break;
      case "killed":
        add(tally.kills, now.how);
        add(tally.faults, `killed ${renderPoint(now.point)}`);
        break;
      case "log-cut":
      case "disk-full":
      case "slept":
        add(tally.faults, now.type);
        break;
      case "agent-let-go":
        add(tally.agents, now.behaviour);
        break;
      case "agent-gone":
        add(tally.clocks, now.cause);
        break;
      case "control-given":
        add(tally.controls, now.control.when);
        break;
      case "person-edited":
        add(tally.edits, now.edit);
        break;
      default:
    }
  }
}

function addEvent(tally: Tally, event: Event): void {
  switch (event.type) {
    case "run-started":
      tally.features += event.inherited === undefined ? 0 : 1;
      return;
    case "run-ended":
      return add(tally.ends, event.reason);
    case "gate-ran": {
      const { phase = "check", passed } = event.result;
      return add(tally.gates, `${phase} ${passed ? "green" : "red"}`);
    }
    case "git-mended":
    case "tasks-restored":
    case "signal-set-aside":
    case "edits-accepted":
      return add(tally.mended, event.type);
    case "file-restored":
      return add(tally.mended, `${event.file} restored`);
    case "iteration-ended":
      add(tally.outcomes, event.end.outcome);
      if (event.end.parked !== undefined) add(tally.parked, event.end.parked.why);
      for (const { kind, verdict } of event.end.claims ?? [])
        add(tally.claims, `${kind} ${verdict}`);
      return;
    default:
  }
}

/** Adds the counts of one tally to another, for seeds that ran side by side. */
export function joinTally(into: Tally, from: Tally): void {
  for (const [key, value] of Object.entries(from) as [keyof Tally, number | Counts][]) {
    if (typeof value === "number") (into as unknown as Counts)[key] = (into[key] as number) + value;
    else for (const [name, count] of Object.entries(value)) add(into[key] as Counts, name, count);
  }
}

function add(counts: Counts, name: string, count = 1): void {
  counts[name] = (counts[name] ?? 0) + count;
}

/** Kept lists and pointers are named after what they hold. */
function renderPoint(point: string): string {
  return point
    .replace(/\/\S*\/lists\/\S*/u, "a kept list")
    .replace(/\/\S*\/latest\/\S*/u, "the pointer to the run")
    .replace(/\/\S*\//u, "");
}
