// Lays a task aside before a run has to be stopped because of it. The rules are data; the counts come from struggle.ts.

import { lookUp } from "../../std/look-up.ts";
import { count } from "../../std/text.ts";
import type { Config } from "../schema/config.ts";
import type { IterationEnd, Parked } from "../schema/event.ts";
import type { ParkReason } from "../schema/outcome.ts";
import type { OutOfTurn } from "./next-task.ts";
import type { RunState, Struggle } from "./state.ts";
import { nextStruggle } from "./struggle.ts";

interface ParkRule {
  readonly why: ParkReason;
  readonly count: (struggle: Struggle) => number;
  readonly max: (config: Config) => number;
  /** Whether it holds also when there is no other task to go on with. */
  readonly when: "always" | "others-are-ready";
  readonly words: (count: number) => string;
}

// The breaker's own counts come one short of it, so that the last try before it opens is made with another task.
const RULES: readonly ParkRule[] = [
  {
    why: "rejected-claims",
    count: ({ rejected }) => rejected,
    max: ({ parking }) => parking.rejectedMax,
    when: "always",
    words: (n) => `${count(n, "claim")} in a row did not stand`,
  },
  {
    why: "test-only",
    count: ({ testOnly }) => testOnly,
    max: ({ parking }) => parking.testOnlyMax,
    when: "always",
    words: (n) => `${count(n, "iteration")} in a row changed tests and nothing else`,
  },
  {
    why: "no-change",
    count: ({ idle }) => idle,
    max: ({ breaker }) => breaker.idleMax - 1,
    when: "others-are-ready",
    words: (n) => `${count(n, "iteration")} in a row without any change`,
  },
  {
    why: "same-error",
    count: ({ errors }) => errors,
    max: ({ breaker }) => breaker.sameErrorMax - 1,
    when: "others-are-ready",
    words: (n) => `the same error ${count(n, "time")}`,
  },
  {
    why: "stuck",
    count: ({ tries }) => tries,
    max: ({ parking }) => parking.deferAfter,
    when: "others-are-ready",
    words: (n) => `${count(n, "iteration")} without acceptance`,
  },
];

/** Parked tasks that come back when nothing else is ready. */
const DEFERRED: ReadonlySet<ParkReason> = new Set(["no-change", "same-error", "stuck"]);

/** Why the iteration's task is to be laid aside, if it is. */
export function parkingAfter(state: RunState, end: IterationEnd): Parked | undefined {
  const { task } = end;
  if (task === undefined || end.outcome === "accepted") return undefined;
  const before = lookUp(state.struggles, task.id);
  const struggle = nextStruggle(before, end);
  if (struggle.tries === (before?.tries ?? 0)) return undefined;
  const areOthersReady = hasOther(state, task.id);
  for (const rule of RULES) {
    const counted = rule.count(struggle);
    const max = rule.max(state.config);
    if (max < 1 || counted < max) continue;
    if (rule.when === "always" || areOthersReady)
      return { why: rule.why, detail: rule.words(counted) };
  }
  return undefined;
}

/** Tasks that are not to be chosen, and those to be chosen last; `touched` ones are back in turn at once. */
export function outOfTurn(state: RunState, touched: readonly string[] = []): OutOfTurn {
  const all = Object.entries(state.parked).filter(([id]) => !touched.includes(id));
  const isDeferred = ([, { why }]: [string, Parked]): boolean => DEFERRED.has(why);
  return {
    parked: new Set(all.filter((entry) => !isDeferred(entry)).map(([id]) => id)),
    deferred: new Set(all.filter(isDeferred).map(([id]) => id)),
  };
}

/** Marks that were taken back are open again, so what was ready before the agent is ready still. */
function hasOther(state: RunState, id: string): boolean {
  const before = state.current?.before?.tasks.next ?? [];
  return [...(state.tasks?.next ?? []), ...before].some(
    (task) => task.id !== id && lookUp(state.parked, task.id) === undefined,
  );
}
