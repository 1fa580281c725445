// Ways to put a bug between the driver and the world of one process.

import type { Effect } from "../../src/core/schema/effect.ts";
import type { Event, Fact, IterationFact } from "../../src/core/schema/event.ts";
import type { RunLog, World } from "../../src/engine/run/ports.ts";
import type { Plant } from "./simulate.ts";

/** How an effect is performed. */
export type Perform = World["perform"];
/** How a fact is recorded. */
export type Append = RunLog["append"];

export function withWorld(change: (world: World) => Partial<World>): Plant {
  return (ports) => ({ ...ports, world: { ...bound(ports.world), ...change(ports.world) } });
}

export function withPerform(change: (perform: Perform) => Perform): Plant {
  return withWorld((world) => ({ perform: change((effect, by) => world.perform(effect, by)) }));
}

export function withLog(change: (log: RunLog) => RunLog): Plant {
  return (ports) => ({ ...ports, log: change(ports.log) });
}

/** The fact of an effect is changed before the driver sees it. */
export function changeFact(change: (fact: IterationFact) => IterationFact): Plant {
  return withPerform((perform) => async (effect, by) => {
    const fact = await perform(effect, by);
    return fact === "cut" ? fact : change(fact);
  });
}

/** What is recorded is changed on its way into the log; the driver sees it changed as well. */
export function changeRecord(change: (fact: Fact) => Fact): Plant {
  return withLog((log) => ({ ...log, append: (fact, place) => log.append(change(fact), place) }));
}

export function bound(world: World): World {
  return {
    perform: (effect, by) => world.perform(effect, by),
    probe: (effect, by) => world.probe(effect, by),
    endOrphans: (state) => world.endOrphans(state),
    lost: (effect) => world.lost(effect),
    waitUntil: (at, signal) => world.waitUntil(at, signal),
  };
}

/** An effect of one kind is performed in another way, with the stage at hand. */
export function replaceEffect<T extends Effect["type"]>(
  type: T,
  perform: (
    effect: Effect & { type: T },
    by: Parameters<Perform>[1],
    real: Perform,
    stage: Parameters<Plant>[1],
  ) => ReturnType<Perform>,
): Plant {
  return (ports, stage) =>
    withPerform((real) => async (effect, by) => {
      if (effect.type !== type) return await real(effect, by);
      return await perform(effect as Effect & { type: T }, by, real, stage);
    })(ports, stage);
}

/** The driver goes on as if a line were written that is not. */
export function swallow(log: RunLog, isSwallowed: (fact: Fact) => boolean): RunLog {
  let last: Event | undefined;
  const append: Append = (fact, place) => {
    if (last !== undefined && isSwallowed(fact)) {
      const { v, run, at } = last;
      return { v, run, at, seq: last.seq + 0.5, ...place, ...fact };
    }
    last = log.append(fact, place);
    return last;
  };
  return { ...log, append };
}
