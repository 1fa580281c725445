// What a seed decides before a run starts: settings, stories, and how rough the world is.

import type { Config } from "../../src/core/schema/config.ts";
import type { Behaviour } from "./pretend-agent.ts";
import type { Story } from "./pretend-project.ts";
import type { Random } from "./random.ts";

/** One simulated run, as far as it is fixed beforehand. */
export interface Plan {
  readonly config: Config;
  readonly stories: readonly Story[];
  readonly isCovered: (gate: string, id: string) => boolean;
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
  /** True when the caps are so wide that only the work itself can end the run. */
  readonly isUncapped: boolean;
}

export function makePlan(random: Random): Plan {
  const calmFrom = random.between(1, 9);
  const honestFrom = random.between(0, 14);
  const isUncapped = random.chance(0.5);
  const gates = random.pick([0, 1, 1, 2]);
  const coversAll = random.chance(0.6);
  return {
    config: makeConfig(random, gates, isUncapped),
    stories: makeStories(random),
    isCovered: (gate, id) => coversAll || Number(id.slice(2)) % 3 !== Number(gate.slice(1)),
    behaviours: makeBehaviours(random),
    calmFrom,
    honestFrom,
    killShare: random.pick([0, 0.5, 0.9]),
    powerShare: random.pick([0, 0.3, 0.7]),
    fullShare: random.pick([0, 0, 0.4]),
    controlShare: random.pick([0, 0.004, 0.02]),
    editShare: random.pick([0, 0.05, 0.2]),
    sleepShare: random.pick([0, 0, 0.02]),
    hookShare: random.pick([0, 0, 0.1]),
    isUncapped,
  };
}

function makeConfig(random: Random, gates: number, isUncapped: boolean): Config {
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
    gates: Array.from({ length: gates }, (_, i) => ({
      name: `g${i}`,
      command: `check ${i}`,
      timeoutMs: 60_000,
    })),
    promise: "<promise>COMPLETE</promise>",
    permissions: "skip",
    allowedTools: "",
    limitWaitMs: random.between(1, 60) * 60_000,
    pauseMs: random.chance(0.5) ? 0 : random.between(1, 5000),
    keepIterations: 20,
    promptTokensMax: 10_000,
  };
}

function makeStories(random: Random): Story[] {
  const count = random.between(1, 6);
  return Array.from({ length: count }, (_, i) => ({
    id: `S-${i + 1}`,
    title: `story ${i + 1}`,
    priority: random.between(1, 3),
    dependsOn: i > 0 && random.chance(0.3) ? [`S-${random.between(1, i)}`] : [],
    done: random.chance(0.15),
    by: "before",
  }));
}

function makeBehaviours(random: Random): Record<Behaviour, number> {
  const all: Record<Behaviour, number> = {
    honest: 12,
    claims: 3,
    breaks: 3,
    nothing: 2,
    unfinished: 3,
    promises: 2,
    corrupts: 2,
    deletes: 2,
    "marks-several": 2,
    "marks-other": 2,
    "marks-many": 1,
    adds: 1,
    fails: 2,
    "hangs-at-start": 1,
    "goes-silent": 1,
    "never-ends": 1,
    "tool-never-ends": 1,
    "stays-after-result": 2,
    "usage-limit": 2,
    "works-to-limit": 2,
    "limit-then-hangs": 1,
    "rate-limit": 2,
    missing: 1,
    "signed-out": 1,
  };
  // Some runs see a few kinds of agents only, so that each kind also meets itself.
  if (random.chance(0.4)) return all;
  const few = Object.entries(all).map(([name, weight]) => [
    name,
    random.chance(0.25) ? weight * 3 : 0,
  ]);
  return {
    ...(Object.fromEntries(few) as Record<Behaviour, number>),
    honest: random.between(1, 12),
  };
}
