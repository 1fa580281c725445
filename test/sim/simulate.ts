// One seed, one run: processes of the real driver over the pretend world, each opened as the real program opens a run,
// until the run has ended for good. Everything is decided by the seed.

import type { RunState } from "../../src/core/loop/state.ts";
import type { Config } from "../../src/core/schema/config.ts";
import type { Event } from "../../src/core/schema/event.ts";
import { EXIT_CODES, isResumable } from "../../src/core/schema/outcome.ts";
import { drive } from "../../src/engine/run/drive.ts";
import { openRun } from "../../src/engine/run/open-run.ts";
import type { Ports } from "../../src/engine/run/ports.ts";
import type { Project } from "../../src/engine/project/open-project.ts";
import { isDiskError } from "../../src/world/host/files.ts";
import { JournalTouched, type Journal } from "../../src/world/store/journal.ts";
import { check, type Violation } from "./checkers.ts";
import { Killed, Stuck } from "./machine.ts";
import { PretendWorld } from "./pretend-world.ts";
import { Stage } from "./stage.ts";
import type { Happening } from "./timeline.ts";

/** A bug on purpose: what stands between the driver and the world of one process. */
export type Plant = (ports: Ports, stage: Stage) => Ports;

/** What one seed came to. */
export interface SimReport {
  readonly seed: number;
  readonly log: string;
  readonly timeline: readonly Happening[];
  readonly violations: readonly Violation[];
}

/** A run that needs more processes or more events of one than this goes round in circles. */
const LIVES_MAX = 40;
const EVENTS_MAX = 6_000;

const PROJECT = {
  root: "/pretend",
  repository: undefined,
  record: "/record",
  feature: { feature: "feature" },
} as unknown as Project;

/** Runs a seed twice: the same seed must write the same log, byte for byte. */
export async function simulateTwice(seed: number, plant?: Plant): Promise<SimReport> {
  const first = await simulate(seed, plant);
  const second = await simulate(seed, plant);
  if (first.log === second.log && first.timeline.length === second.timeline.length) return first;
  const violation = {
    checker: "deterministic",
    message: "two runs of the seed wrote different logs",
  };
  return { ...first, violations: [...first.violations, violation] };
}

export async function simulate(seed: number, plant: Plant = (ports) => ports): Promise<SimReport> {
  const stage = new Stage(seed);
  const { machine, disk } = stage;
  disk.onAppended = (bytes) => recordLine(stage, bytes);
  let end: string | undefined;
  for (let life = 1; life <= LIVES_MAX && !isOver(end); life++) {
    prepareLife(stage, end);
    end = await liveOnce(stage, plant);
    if (machine.isDead) afterDeath(stage);
  }
  if (!isOver(end)) machine.tell({ type: "stuck", why: `no end after ${LIVES_MAX} processes` });
  const { timeline } = machine;
  return { seed, log: disk.logText(), timeline, violations: check(stage) };
}

function isOver(end: string | undefined): boolean {
  return end !== undefined && (end === "defect" || !isResumable(end as "complete"));
}

/** Everything between two processes: orphans go on, persons mend and edit, the disk is cleaned. */
function prepareLife(stage: Stage, end: string | undefined): void {
  const { machine, faults, persons, plan, project, disk, inbox } = stage;
  machine.now += machine.life === 0 ? 0 : faults.between(100, 600_000);
  stage.goOnAlone();
  disk.clean();
  // A list that an agent broke in an open iteration is the program's to put back.
  const isForPerson = project.list.kind !== "list" && !stage.isIterationOpen;
  if (isForPerson || end === "needs-human" || end === "agent-unusable") stage.mend();
  const isCalm = machine.life + 1 >= plan.calmFrom;
  if (isCalm) stage.isAgentInstalled = true;
  if (!isCalm && machine.life > 0 && persons.chance(plan.editShare * 2)) stage.editList();
  if (isCalm) inbox.length = 0;
  const isKilled = !isCalm && faults.chance(plan.killShare);
  const isFull = !isCalm && faults.chance(plan.fullShare);
  const moments = faults.pick([15, 60, 250]);
  machine.startLife({
    dieAt: isKilled ? faults.between(1, moments) : undefined,
    how: faults.chance(plan.powerShare) ? "power" : "kill",
    fullAt: isFull ? faults.between(1, moments) : undefined,
  });
}

/** One process; its recorded end, or nothing where it died or could not record one. */
async function liveOnce(stage: Stage, plant: Plant): Promise<string | undefined> {
  const { machine, disk, run, paths } = stage;
  const host = disk.host();
  let journal: Journal | undefined;
  let events = 0;
  const onEvent = (_: Event, state: RunState): void => {
    events += 1;
    if (events > EVENTS_MAX) throw new Stuck(`${EVENTS_MAX} events in one process`);
    stage.isIterationOpen = isWorkedOn(state);
  };
  try {
    const config = chooseConfig(stage);
    const order = { project: PROJECT, config, run, paths, argv: ["run"], program: "sim", onEvent };
    const opened = await openRun(host, order);
    journal = opened.journal;
    machine.tell({ type: "opened" });
    machine.tell({
      type: "state",
      seq: opened.state.seq,
      json: JSON.stringify(opened.state),
      of: "reopened",
    });
    const world = new PretendWorld(stage);
    const log = watchBarriers(stage, journal);
    const ended = await drive(
      plant({ log, world, listen: world.listen, onEvent }, stage),
      opened.state,
    );
    const reason = ended.end?.reason ?? "none";
    machine.tell({ type: "ended", reason, processesAlive: machine.countAlive() });
    return reason;
  } catch (error) {
    return endByFault(stage, journal, error);
  }
}

/** Mirrors what the real program does when the disk fails it. */
function endByFault(
  stage: Stage,
  journal: Journal | undefined,
  error: unknown,
): string | undefined {
  const { machine } = stage;
  if (machine.isDead || error instanceof Killed) return undefined;
  const isTouched = error instanceof JournalTouched;
  if (!isTouched && !isDiskError(error)) {
    const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    machine.tell({ type: "stuck", why });
    return "defect";
  }
  let isWritten = false;
  try {
    if (journal !== undefined && !isTouched) {
      journal.makeRoom();
      journal.append(
        { type: "run-ended", reason: "disk", exitCode: EXIT_CODES.disk, detail: "full" },
        {},
      );
      journal.sync();
      isWritten = true;
    }
  } catch (fault) {
    if (!(fault instanceof Killed) && !isDiskError(fault)) throw fault;
  }
  if (machine.isDead) return undefined;
  // What the dead effect had started is ended by the supervisor before the fault comes up.
  machine.tell({ type: "fault-ended", isTouched, isWritten: isWritten || journal === undefined });
  return isWritten ? "disk" : undefined;
}

function watchBarriers(stage: Stage, journal: Journal): Ports["log"] {
  return {
    append: (fact, place) => journal.append(fact, place),
    sync: () => journal.sync(),
    snapshot: (state) => {
      stage.machine.tell({
        type: "state",
        seq: state.seq,
        json: JSON.stringify(state),
        of: "live",
      });
      journal.snapshot(state);
    },
  };
}

function afterDeath(stage: Stage): void {
  const { machine, disk } = stage;
  if (!machine.isPowerGone()) return;
  const before = disk.log.size;
  disk.losePower();
  // The log may have forgotten the end of an iteration.
  stage.isIterationOpen = stage.agentsStarted > 0;
  if (disk.log.size === before) return;
  const whole = disk.logText().split("\n").length;
  machine.tell({ type: "log-cut", fromSeq: whole });
}

function recordLine(stage: Stage, bytes: Buffer): void {
  const event = JSON.parse(bytes.toString("utf8")) as Event;
  const { project, plan } = stage;
  const damagedBy = project.list.kind === "list" ? undefined : project.list.by;
  const red = plan.config.gates.filter(({ name }) => project.isRed(name)).map(({ name }) => name);
  const open = project.stories.filter(({ done }) => !done).length;
  stage.machine.tell({ type: "logged", event, damagedBy, red, open });
}

/** A person may come back with another cap or another pause. */
function chooseConfig({ machine, persons, plan }: Stage): Config {
  if (machine.life === 1 || machine.life >= plan.calmFrom || !persons.chance(0.15))
    return plan.config;
  const iterationMax = plan.isUncapped ? 400 : persons.between(1, 20);
  return { ...plan.config, iterationMax, pauseMs: persons.pick([0, 10, 2000]) };
}

function isWorkedOn(state: RunState): boolean {
  return state.current?.agent !== undefined || state.current?.pending?.effect.type === "run-agent";
}
