// What really happened in each iteration, gathered from the timeline for the checkers.

import type { ProjectChange } from "../../src/core/schema/event.ts";
import { replay, type Moment } from "./replay.ts";
import type { AgentSaid, Glance, Happening, Tampering } from "./timeline.ts";

/** One iteration of a run, by what was done in it. */
export interface IterationTruth {
  /** The agent that was let go, if one was. */
  agent: (Happening & { type: "agent-let-go" }) | undefined;
  /** Undefined when nobody saw its end. */
  gone: (Happening & { type: "agent-gone" }) | undefined;
  /** What the agent said where the log has heard it. */
  said: AgentSaid | undefined;
  before: Glance | undefined;
  after: Glance | undefined;
  change: ProjectChange | undefined;
  readonly tampered: Set<Tampering>;
  readonly done: Set<string>;
  /** True when a power loss took back what the log knew of it, perhaps after something had been put right. */
  isForgotten: boolean;
  isListAdded: boolean;
  isGateBetter: boolean;
  /** What each gate or own check said after the agent, in order; true is red. */
  readonly gates: Map<string, boolean[]>;
}

/** The iterations of all runs, by `run/n`; each is filled up to the moment that is looked at. */
export class Iterations {
  readonly #all = new Map<string, IterationTruth>();
  /** Gates that were red before the first agent of the run and were never green since. */
  readonly #red = new Set<string>();
  #run = "";
  #n = 0;

  /** The iteration under way, or the last one. */
  get current(): IterationTruth {
    return this.of(this.#run, this.#n);
  }

  of(run: string, n: number | undefined): IterationTruth {
    const key = `${run}/${n ?? 0}`;
    const found = this.#all.get(key);
    if (found !== undefined) return found;
    const fresh: IterationTruth = {
      agent: undefined,
      gone: undefined,
      said: undefined,
      before: undefined,
      after: undefined,
      change: undefined,
      tampered: new Set(),
      done: new Set(),
      isForgotten: false,
      isListAdded: false,
      isGateBetter: false,
      gates: new Map(),
    };
    this.#all.set(key, fresh);
    return fresh;
  }

  see(now: Happening, run: string): void {
    if (run !== this.#run) this.#n = 0;
    this.#run = run;
    // A power loss takes a run back to an iteration that it had ended.
    if ("iteration" in now) this.#n = now.iteration;
    const it = this.current;
    switch (now.type) {
      case "logged":
        return this.#hear(now);
      case "agent-let-go":
        it.agent = now;
        it.tampered.clear();
        return;
      case "agent-gone":
        it.gone = now;
        return;
      case "log-cut":
        for (const known of this.#all.values()) known.isForgotten = true;
        return;
      case "tampered":
        it.tampered.add(now.what);
        return;
      case "list-damaged":
        if (now.by === "agent") it.tampered.add("list");
        return;
      case "added":
        it.isListAdded ||= now.by === "agent";
        return;
      case "effect-began":
        it.done.add(now.effect.type);
        return;
      case "gate-said":
        if (it.agent !== undefined || it.before?.open === 0)
          it.gates.set(now.key, [...(it.gates.get(now.key) ?? []), now.isRed]);
        return;
      default:
    }
  }

  #hear({ event, glance }: Happening & { type: "logged" }): void {
    if (event.type === "run-started") this.#red.clear();
    if (event.iteration !== undefined) this.#n = event.iteration;
    const it = this.of(event.run, event.iteration ?? this.#n);
    if (event.type === "project-read") {
      it.before = glance;
      // An iteration that begins anew has not looked at anything yet.
      it.gates.clear();
    }
    if (event.type === "project-inspected") {
      it.after = glance;
      it.change = event.change;
    }
    if (event.type === "agent-exited") it.said = event.exit.lost ? undefined : it.gone?.said;
    if (event.type !== "gate-ran") return;
    const { name, passed, phase } = event.result;
    if (phase !== "baseline" && passed && this.#red.has(name)) it.isGateBetter = true;
    if (passed) this.#red.delete(name);
    else if (phase === "baseline") this.#red.add(name);
  }
}

/** What the program calls the own check of a task. */
export function isOwnCheck(gate: string): boolean {
  return gate.startsWith("checks of ");
}

/** Something moved: a commit, the tree, a list that stands, or a gate. */
export function hasMoved(it: IterationTruth, accepted: number): boolean {
  const isListChanged = accepted > 0 || (it.isListAdded && !it.done.has("restore-tasks"));
  const isTreeChanged = it.after !== undefined && it.after.digest !== it.before?.digest;
  return isTreeChanged || isListChanged || it.isGateBetter;
}

/** A moment with what is known of the iterations then, the present happening included. */
export interface RichMoment extends Moment {
  readonly iterations: Iterations;
  /** The iteration under way, or the last one. */
  readonly it: IterationTruth;
}

/** Looks at each moment in turn. */
export type MomentCheck = (moment: RichMoment) => void;

/** One way through the timeline for all of them. */
export function watchMoments(timeline: readonly Happening[], checks: readonly MomentCheck[]): void {
  const iterations = new Iterations();
  for (const moment of replay(timeline)) {
    iterations.see(moment.now, moment.run);
    if (!isChecked(moment.now)) continue;
    const rich = { ...moment, iterations, it: iterations.current };
    for (const check of checks) check(rich);
  }
}

/** What any of the checks looks at; most of a timeline is something else. */
function isChecked(now: Happening): boolean {
  return now.type === "logged" ? CHECKED_EVENTS.has(now.event.type) : CHECKED.has(now.type);
}

const CHECKED = new Set<Happening["type"]>([
  "opening",
  "agent-let-go",
  "gate-said",
  "tampered",
  "effect-began",
  "person-edited",
  "answered",
  "log-cut",
]);
const CHECKED_EVENTS = new Set<string>([
  "run-started",
  "run-resumed",
  "iteration-started",
  "project-read",
  "iteration-ended",
  "wait-started",
  "run-ended",
]);
