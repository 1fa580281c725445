// Which gates a claim has to pass, in which order they run, and how what they said compares with what they said before.

import { lookUp } from "../../std/look-up.ts";
import type { Gate } from "../schema/config.ts";
import type { GatePhase } from "../schema/effect.ts";
import type { GateResult } from "../schema/event.ts";
import type { GateColour, IterationState, RunState } from "./state.ts";

/** What the gate of a task's own checks is called, before the task's id. */
const OWN_CHECKS = "checks of ";

/** A gate that is to run now, and why. */
export interface NextGate {
  readonly gate: Gate;
  readonly phase: GatePhase;
}

/** What the gates said, each by its last word. */
export interface GateVerdict {
  readonly count: number;
  /** Red, and green before or never looked at: these reject a claim. */
  readonly worse: readonly GateResult[];
  /** Red as it was before the first agent: nobody's fault, and nothing is verified by it. */
  readonly asBefore: readonly GateResult[];
}

/** A gate that this run has not seen yet is looked at before an agent starts. */
export function nextBaseline(state: RunState, it: IterationState): NextGate | undefined {
  const isNew = (colour: GateColour | undefined): boolean =>
    colour === undefined || colour === "was-green";
  const gate = gatesOf(state, it).find(({ name }) => isNew(lookUp(state.gates, name)));
  return gate === undefined ? undefined : { gate, phase: "baseline" };
}

/** The whole set, one after the other; a red one that would reject a claim is run once more. */
export function nextGate(state: RunState, it: IterationState): NextGate | undefined {
  for (const gate of gatesOf(state, it)) {
    const results = it.gates.filter(({ name }) => name === gate.name);
    const [first, second] = results;
    if (first === undefined) return { gate, phase: "check" };
    if (!first.passed && second === undefined && !isExcused(state, it, gate.name))
      return { gate, phase: "again" };
  }
  return undefined;
}

export function verdictOf(state: RunState, it: IterationState): GateVerdict {
  const last = new Map(it.gates.map((result) => [result.name, result]));
  const red = [...last.values()].filter(({ passed }) => !passed);
  const isOld = ({ name }: GateResult): boolean => isExcused(state, it, name);
  return {
    count: last.size,
    worse: red.filter((result) => !isOld(result)),
    asBefore: red.filter(isOld),
  };
}

/** Red before any agent, and not what a task that is claimed now says about itself: that has to pass. */
function isExcused(state: RunState, it: IterationState, name: string): boolean {
  const claimed = new Set<string>(it.after?.changes.finished.map(({ id }) => id));
  const keys = new Set(checksOf(it).flatMap(({ task, key }) => (claimed.has(task) ? [key] : [])));
  const isClaimed = checksOf(it).some(({ task, key }) => nameOf(task) === name && keys.has(key));
  return !isClaimed && lookUp(state.gates, name) === "red";
}

/** True when a gate looks at this task's work: one of the run, or its own. */
export function isGated(state: RunState, it: IterationState, task: string): boolean {
  return state.config.gates.length > 0 || checksOf(it).some((check) => check.task === task);
}

/** `the gate "tests" fails`, for one or several. */
export function redWords(results: readonly GateResult[]): string {
  const said = results.map(({ name, timedOut }) =>
    timedOut ? `the gate "${name}" timed out` : `the gate "${name}" fails`,
  );
  return said.slice(0, 5).join(", ");
}

/** The gates of the run, then the own checks of tasks that are or claim to be done; equal ones once. */
function gatesOf(state: RunState, it: IterationState): readonly Gate[] {
  const { gates, gateTimeoutMs } = state.config;
  const first = new Map<string, Gate>();
  for (const { task, key } of checksOf(it)) {
    if (first.has(key)) continue;
    first.set(key, { name: nameOf(task), command: "", timeoutMs: gateTimeoutMs, task });
  }
  return [...gates, ...first.values()];
}

function nameOf(task: string): string {
  return `${OWN_CHECKS}${task}`;
}

/** True for the name of a task's own checks. */
export function isOwnCheck(name: string): boolean {
  return name.startsWith(OWN_CHECKS);
}

/** A list that was put back holds no new marks, so nothing that was claimed in it is checked. */
function checksOf(it: IterationState) {
  const reading = it.restored ? it.before : (it.after ?? it.before);
  return reading?.checks ?? [];
}
