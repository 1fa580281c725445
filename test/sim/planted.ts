// Bugs on purpose. Each breaks the contract of one port, and each must be caught by the checker that was made for it:
// a checker that catches nothing guards nothing.

import type { Event, Fact, IterationFact } from "../../src/core/schema/event.ts";
import type { Effect } from "../../src/core/schema/effect.ts";
import type { Performing, Ports, RunLog, World } from "../../src/engine/run/ports.ts";
import { isDiskError } from "../../src/world/host/files.ts";
import { JournalTouched } from "../../src/world/store/journal.ts";
import type { CheckerName } from "./checkers.ts";
import type { Plant } from "./simulate.ts";

/** One bug: what is wrong in words, and how it is put between driver and world. */
export interface PlantedBug {
  readonly checker: CheckerName;
  readonly name: string;
  readonly plant: Plant;
}

type Perform = World["perform"];
type Append = RunLog["append"];

/** Numbers that no seed decides, for the bug that makes two runs of a seed differ. */
let calls = 0;

export const PLANTED: readonly PlantedBug[] = [
  bug("no-false-complete", "a red gate is reported green", changeFact(gateIsGreen)),
  bug("accepted-was-gated", "a gate is reported green and never ran", withPerform(skipGates)),
  bug(
    "accepted-once",
    "a task is accepted once more by every iteration",
    changeRecord(acceptAgain),
  ),
  bug("committed-once", "the probe for a commit never finds it", withWorld(blindProbe("commit"))),
  bug(
    "remembered-once",
    "the probe for an entry never finds it",
    withWorld(blindProbe("write-memory")),
  ),
  bug("attempts-counted-once", "prompts count one attempt too many", withPerform(countTwice)),
  bug(
    "agent-start-recorded",
    "the log is never synced",
    withLog((log) => ({ ...log, sync: () => undefined })),
  ),
  bug(
    "one-agent-at-a-time",
    "orphans are left alive",
    withWorld(() => ({ endOrphans: async () => undefined })),
  ),
  bug("no-orphans", "only the end of orphans is told, not brought about", leaveOrphans),
  bug("caps-hold", "nothing is ever charged", changeRecord(chargeNothing)),
  bug("charged-rightly", "limits are charged", changeRecord(chargeLimits)),
  bug("counters-go-on", "iterations are numbered from one by each process", restartNumbers),
  bug("stop-now-starts-nothing", "an immediate stop is taken for a request", softenStops),
  bug("stop-after-iteration", "a stop is heard only at the next process", deafToStops),
  bug("exit-code-fits", "every signal is taken for an interrupt", sameSignal),
  bug("waits-are-kept", "the told reset time is lost", changeFact(forgetReset)),
  bug(
    "list-is-restored",
    "a broken list is reported restored and is not",
    pretendTo("restore-tasks"),
  ),
  bug("marks-are-taken-back", "a mark is reported taken back and is not", pretendTo("mark-task")),
  bug(
    "prompt-tells-rejection",
    "the prompt leaves the rejection out",
    withPerform(forgetRejection),
  ),
  bug("announced-before-done", "announcements of gates are not written", dropLines("run-gate")),
  bug("iterations-end", "ends of iterations that were rejected are not written", dropEnds),
  bug("log-is-sound", "an event loses a field on its way to the disk", changeRecord(loseField)),
  bug("fold-is-state", "memory and disk hold different events", twoTruths),
  bug("fold-is-state", "the snapshot is of another state", withLog(wrongSnapshot)),
  bug("ends-in-bounds", "every gate is red", changeFact(gateIsRed)),
  bug(
    "ends-in-bounds",
    "a wait is over at once",
    withWorld(() => ({ waitUntil: async () => undefined })),
  ),
  bug("crash-rules", "a lost agent is started again", startLostAgain),
  bug("clocks-on-time", "the clocks run with twice their limits", withPerform(slowClocks)),
  bug("persons-edits-stay", "a reading puts back the list it saw before", withStaleList),
  bug("full-disk-is-told", "a full disk is taken for a foreign hand", touchOnFull),
  bug("deterministic", "something depends on more than the seed", changeRecord(addNoise)),
];

function bug(checker: CheckerName, name: string, plant: Plant): PlantedBug {
  return { checker, name, plant };
}

// Ways to put something between.

function withWorld(change: (world: World) => Partial<World>): Plant {
  return (ports) => ({ ...ports, world: { ...bound(ports.world), ...change(ports.world) } });
}

function withPerform(change: (perform: Perform) => Perform): Plant {
  return withWorld((world) => ({ perform: change((effect, by) => world.perform(effect, by)) }));
}

function withLog(change: (log: RunLog) => RunLog): Plant {
  return (ports) => ({ ...ports, log: change(ports.log) });
}

/** The fact of an effect is changed before the driver sees it. */
function changeFact(change: (fact: IterationFact) => IterationFact): Plant {
  return withPerform((perform) => async (effect, by) => {
    const fact = await perform(effect, by);
    return fact === "cut" ? fact : change(fact);
  });
}

/** What is recorded is changed on its way into the log; the driver sees it changed as well. */
function changeRecord(change: (fact: Fact) => Fact): Plant {
  return withLog((log) => ({ ...log, append: (fact, place) => log.append(change(fact), place) }));
}

function bound(world: World): World {
  return {
    perform: (effect, by) => world.perform(effect, by),
    probe: (effect, by) => world.probe(effect, by),
    endOrphans: (state) => world.endOrphans(state),
    lost: (effect) => world.lost(effect),
    waitUntil: (at, signal) => world.waitUntil(at, signal),
  };
}

// Bugs of the world.

function gateIsGreen(fact: IterationFact): IterationFact {
  return fact.type === "gate-ran" ? { ...fact, result: { ...fact.result, passed: true } } : fact;
}

function gateIsRed(fact: IterationFact): IterationFact {
  return fact.type === "gate-ran" ? { ...fact, result: { ...fact.result, passed: false } } : fact;
}

function forgetReset(fact: IterationFact): IterationFact {
  if (fact.type !== "agent-exited" || fact.exit.limit === undefined) return fact;
  const { limit, ...exit } = fact.exit;
  return { ...fact, exit: { ...exit, limit: { kind: limit.kind, text: limit.text } } };
}

function skipGates(perform: Perform): Perform {
  return async (effect, by) => {
    if (effect.type !== "run-gate") return await perform(effect, by);
    const { name } = effect.gate;
    return {
      type: "gate-ran",
      result: { name, passed: true, code: 0, timedOut: false, durationMs: 1, lines: [] },
    };
  };
}

function countTwice(perform: Perform): Perform {
  return (effect, by) =>
    perform(
      effect.type === "write-prompt" ? { ...effect, attempt: effect.attempt + 1 } : effect,
      by,
    );
}

function forgetRejection(perform: Perform): Perform {
  return (effect, by) => {
    if (effect.type !== "write-prompt") return perform(effect, by);
    const { rejection: _, ...rest } = effect;
    return perform(rest, by);
  };
}

function slowClocks(perform: Perform): Perform {
  return (effect, by) => {
    const { config } = by.state;
    const { startMs, idleMs, graceMs, wallMs } = config.clocks;
    const clocks = {
      ...(startMs === undefined ? {} : { startMs: startMs * 2 }),
      ...(idleMs === undefined ? {} : { idleMs: idleMs * 2 }),
      graceMs: graceMs * 2,
      wallMs: wallMs * 2,
    };
    return perform(effect, { ...by, state: { ...by.state, config: { ...config, clocks } } });
  };
}

/** Says that an effect was done, and does nothing. */
function pretendTo(type: "restore-tasks" | "mark-task"): Plant {
  return withPerform((perform) => async (effect, by) => {
    if (effect.type !== type) return await perform(effect, by);
    if (effect.type === "mark-task")
      return { type: "task-marked", task: effect.task, status: effect.status };
    return { type: "tasks-restored", keptAside: "nowhere" };
  });
}

function blindProbe(type: Effect["type"]): (world: World) => Partial<World> {
  return (world) => ({
    probe: async (effect: Effect, by: Performing) => {
      const fact = await world.probe(effect, by);
      return effect.type === type ? undefined : fact;
    },
  });
}

function leaveOrphans(ports: Ports, stage: Parameters<Plant>[1]): Ports {
  const endOrphans = async (): Promise<void> => {
    const { machine } = stage;
    machine.tell({ type: "orphans-ended", alive: machine.countAlive() });
  };
  return { ...ports, world: { ...bound(ports.world), endOrphans } };
}

function startLostAgain(ports: Ports): Ports {
  const world = bound(ports.world);
  let isLost = false;
  return {
    ...ports,
    world: {
      ...world,
      lost: (effect) => {
        isLost = true;
        return world.lost(effect);
      },
      perform: async (effect, by) => {
        const { task, attempt } = by.state.current ?? {};
        const isAgain = isLost && effect.type === "inspect-project" && task !== undefined;
        isLost = false;
        if (isAgain) await world.perform({ type: "run-agent", task, attempt: attempt ?? 1 }, by);
        return await world.perform(effect, by);
      },
    },
  };
}

function withStaleList(ports: Ports, stage: Parameters<Plant>[1]): Ports {
  const world = bound(ports.world);
  const titles = new Map(stage.plan.stories.map((story) => [story.id, story.title]));
  const perform: Perform = async (effect, by) => {
    const { project } = stage;
    if (effect.type === "read-project" && project.list.kind === "list" && by.state.iteration > 1) {
      const stories = project.stories.map((s) => ({ ...s, title: titles.get(s.id) ?? s.title }));
      project.setList({ kind: "list", stories }, "ralph");
    }
    return await world.perform(effect, by);
  };
  return { ...ports, world: { ...world, perform } };
}

// Bugs of the ear.

function softenStops(ports: Ports): Ports {
  return {
    ...ports,
    listen: (onControl) =>
      ports.listen((id, control) => onControl(id, { ...control, when: "after-iteration" })),
  };
}

function deafToStops(ports: Ports): Ports {
  return { ...ports, listen: () => ports.listen(() => undefined) };
}

function sameSignal(ports: Ports): Ports {
  return {
    ...ports,
    listen: (onControl) =>
      ports.listen((id, control) => onControl(id, { ...control, signal: "SIGINT" })),
  };
}

// Bugs of the log.

function acceptAgain(fact: Fact): Fact {
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

function firstTask(id: string): never {
  return id.replace(/\d+$/u, "1") as never;
}

function chargeNothing(fact: Fact): Fact {
  return fact.type === "iteration-ended" ? { ...fact, end: { ...fact.end, charged: false } } : fact;
}

function chargeLimits(fact: Fact): Fact {
  if (fact.type !== "iteration-ended" || !fact.end.outcome.endsWith("-limited")) return fact;
  return { ...fact, end: { ...fact.end, charged: true } };
}

function loseField(fact: Fact): Fact {
  if (fact.type !== "gate-ran") return fact;
  const { durationMs: _, ...result } = fact.result;
  return { ...fact, result: result as typeof fact.result };
}

function addNoise(fact: Fact): Fact {
  calls += 1;
  return fact.type === "iteration-started" ? { ...fact, reason: `${fact.reason} ${calls}` } : fact;
}

/** The driver goes on as if a line were written that is not. */
function swallow(log: RunLog, isSwallowed: (fact: Fact) => boolean): RunLog {
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

function dropLines(type: Effect["type"]): Plant {
  return withLog((log) =>
    swallow(log, (fact) => fact.type === "effect-ordered" && fact.order.type === type),
  );
}

function dropEnds(ports: Ports): Ports {
  const isDropped = (fact: Fact): boolean =>
    fact.type === "iteration-ended" && fact.end.outcome === "rejected";
  return { ...ports, log: swallow(ports.log, isDropped) };
}

function twoTruths(ports: Ports): Ports {
  const append: Append = (fact, place) => {
    const event = ports.log.append(fact, place);
    return fact.type === "project-read" ? { ...event, at: event.at + 1 } : event;
  };
  return { ...ports, log: { ...ports.log, append } };
}

function wrongSnapshot(log: RunLog): RunLog {
  return { ...log, snapshot: (state) => log.snapshot({ ...state, charged: state.charged + 1 }) };
}

function restartNumbers(ports: Ports): Ports {
  let n = 0;
  const append: Append = (fact, place) => {
    if (fact.type === "iteration-started") n += 1;
    const isNumbered = place.iteration !== undefined && n > 0;
    return ports.log.append(fact, isNumbered ? { ...place, iteration: n } : place);
  };
  return { ...ports, log: { ...ports.log, append } };
}

function touchOnFull(ports: Ports): Ports {
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
