// What a seed decides before a run starts: settings, stories, and how rough the world is.

import type { Config } from "../../src/core/schema/config.ts";
import { BEHAVIOURS, type Behaviour } from "./behaviours.ts";
import type { ProjectPlan } from "./pretend-project.ts";
import type { Random } from "./random.ts";
import type { Story } from "./story.ts";

/** One simulated run, as far as it is fixed beforehand. */
export interface Plan {
  readonly config: Config;
  readonly project: ProjectPlan;
  readonly behaviours: Readonly<Record<Behaviour, number>>;
  /** From this process on nothing goes wrong any more, and agents are honest. */
  readonly calmFrom: number;
  /** Agents are honest from this start on. */
  readonly honestFrom: number;
  readonly killShare: number;
  readonly powerShare: number;
  readonly fullShare: number;
  /** A person tells the running program something, per pause. */
  readonly controlShare: number;
  readonly editShare: number;
  readonly sleepShare: number;
  readonly hookShare: number;
  /** A gate says red for no reason. */
  readonly flakyShare: number;
  /** A person begins a new run after one that has ended with work left. */
  readonly againShare: number;
  /** True when the caps are so wide that only the work itself can end the run. */
  readonly isUncapped: boolean;
}

export function makePlan(random: Random): Plan {
  const calmFrom = random.between(1, 9);
  const honestFrom = random.between(0, 14);
  const isUncapped = random.chance(0.5);
  const count = random.pick([0, 1, 1, 2]);
  const gates = Array.from({ length: count }, (_, i) => `g${i}`);
  const coversAll = random.chance(0.6);
  return {
    config: makeConfig(random, gates, isUncapped),
    project: {
      stories: makeStories(random),
      gates,
      isCovered: (gate, id) => coversAll || Number(id.slice(2)) % 3 !== Number(gate.slice(1)),
      redBefore: random.chance(0.12) ? gates.slice(0, 1) : [],
      stash: ["s-a", "s-b"].slice(0, random.pick([0, 0, 1, 2])),
    },
    behaviours: makeBehaviours(random, isUncapped),
    calmFrom,
    honestFrom,
    killShare: random.pick([0, 0.5, 0.9]),
    powerShare: random.pick([0, 0.3, 0.7]),
    fullShare: random.pick([0, 0, 0.4]),
    controlShare: random.pick([0, 0.004, 0.02]),
    editShare: random.pick([0, 0.05, 0.2]),
    sleepShare: random.pick([0, 0, 0.02]),
    hookShare: random.pick([0, 0, 0.1]),
    flakyShare: random.pick([0, 0, 0.1]),
    againShare: random.pick([0, 0.5, 1]),
    isUncapped,
  };
}

function makeConfig(random: Random, gates: readonly string[], isUncapped: boolean): Config {
  const isStream = random.chance(0.8);
  return {
    agent: { name: "scripted", arguments: [] },
    iterationMax: isUncapped ? 500 : random.between(1, 15),
    ...(isUncapped || random.chance(0.6) ? {} : { runMsMax: random.between(30, 900) * 1000 }),
    clocks: {
      ...(isStream
        ? { startMs: random.between(10, 40) * 1000, idleMs: random.between(20, 60) * 1000 }
        : {}),
      graceMs: random.between(2, 15) * 1000,
      wallMs: random.between(90, 240) * 1000,
    },
    gates: gates.map((name, i) => ({ name, command: `check ${i}`, timeoutMs: 60_000 })),
    promise: "<promise>COMPLETE</promise>",
    permissions: "skip",
    allowedTools: "",
    limitWaitMs: random.between(1, 60) * 60_000,
    limitMarginMs: 30_000,
    pauseMs: random.chance(0.5) ? 0 : random.between(1, 5000),
    keepIterations: 20,
    promptTokensMax: 10_000,
    gateTimeoutMs: 60_000,
    callsPerHourMax: random.pick([1, 2, 5, 10, 100, 100]),
    breaker: {
      idleMax: random.pick([1, 2, 3, 3, 5]),
      sameErrorMax: random.pick([1, 2, 3, 5]),
    },
    parking: {
      rejectedMax: random.pick([1, 2, 2, 3]),
      testOnlyMax: random.pick([1, 2, 3]),
      warnAfter: random.between(1, 3),
      deferAfter: random.pick([1, 3, 6]),
    },
    budget: isUncapped || random.chance(0.5) ? {} : makeBudget(random),
    onLimit: random.pick(["wait", "wait", "exit", "ask"]),
    promptTemplate: "default",
  };
}

function makeBudget(random: Random): Config["budget"] {
  return {
    ...(random.chance(0.4) ? { tokensMax: random.between(5, 200) * 1000 } : {}),
    ...(random.chance(0.4) ? { usdMax: random.between(1, 40) / 4 } : {}),
    ...(random.chance(0.4) ? { featureTokensMax: random.between(20, 400) * 1000 } : {}),
    ...(random.chance(0.4) ? { featureUsdMax: random.between(4, 100) / 4 } : {}),
  };
}

function makeStories(random: Random): Story[] {
  const count = random.between(1, 6);
  const areChecked = random.chance(0.4);
  return Array.from({ length: count }, (_, i) => ({
    id: `S-${i + 1}`,
    title: `story ${i + 1}`,
    criteria: ["works", "is told"],
    notes: "",
    priority: random.between(1, 3),
    dependsOn: i > 0 && random.chance(0.3) ? [`S-${random.between(1, i)}`] : [],
    // Some have the same command.
    check:
      areChecked && random.chance(0.5)
        ? random.pick(["try all", "try all", `try ${i + 1}`])
        : undefined,
    done: random.chance(0.15),
    by: "before",
  }));
}

function makeBehaviours(random: Random, isUncapped: boolean): Record<Behaviour, number> {
  // Seventy new tasks are too many for a run that nothing but the work may end.
  const all: Record<Behaviour, number> = {
    ...BEHAVIOURS,
    "marks-many": isUncapped ? 0 : BEHAVIOURS["marks-many"],
  };
  // Some runs see a few kinds of agents only, so that each kind also meets itself.
  if (random.chance(0.4)) return all;
  const share = random.pick([0.05, 0.15, 0.25]);
  const few = Object.entries(all).map(([name, weight]) => [
    name,
    random.chance(share) ? weight * 3 : 0,
  ]);
  return {
    ...(Object.fromEntries(few) as Record<Behaviour, number>),
    honest: random.between(1, 12),
  };
}
