// One seed, one run: processes of the real driver over the pretend world, each opened as the real program opens a run,
// until the run has ended for good. Everything is decided by the seed.

import type { RunState } from "../../src/core/loop/state.ts";
import type { Config } from "../../src/core/schema/config.ts";
import type { Event } from "../../src/core/schema/event.ts";
import { renderRunId, type RunId } from "../../src/core/schema/ids.ts";
import { EXIT_CODES, isResumable } from "../../src/core/schema/outcome.ts";
import { drive } from "../../src/engine/run/drive.ts";
import { findOpenRun, openRun } from "../../src/engine/run/open-run.ts";
import type { Ports } from "../../src/engine/run/ports.ts";
import type { Project } from "../../src/engine/project/open-project.ts";
import { isDiskError } from "../../src/world/host/files.ts";
import { JournalTouched, type Journal } from "../../src/world/store/journal.ts";
import { check, type Violation } from "./checkers.ts";
import { Killed, Stuck } from "./machine.ts";
import { editProject, mendProject } from "./persons.ts";
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
/** Runs of the same feature after one that has ended with work left; more where only the work may end it. */
const RUNS_MAX = 3;
const HOUR_MS = 3_600_000;

const PROJECT = {
  root: "/pretend",
  repository: undefined,
  record: "/record",
  feature: { feature: "feature" },
} as unknown as Project;

/** Runs a seed twice: the same seed must write the same log, byte for byte. */
export async function simulateTwice(seed: number, plant?: Plant): Promise<SimReport> {
  const first = await simulate(seed, plant);
  const second = await play(seed, plant);
  const isSame = first.log === readLogs(second);
  if (isSame && first.timeline.length === second.machine.timeline.length) return first;
  const violation = {
    checker: "deterministic",
    message: "two runs of the seed wrote different logs",
  };
  return { ...first, violations: [...first.violations, violation] };
}

export async function simulate(seed: number, plant?: Plant): Promise<SimReport> {
  const stage = await play(seed, plant);
  const { timeline } = stage.machine;
  return { seed, log: readLogs(stage), timeline, violations: check(stage) };
}

async function play(seed: number, plant: Plant = (ports) => ports): Promise<Stage> {
  const stage = new Stage(seed);
  const { machine, disk } = stage;
  disk.onAppended = (bytes) => recordLine(stage, bytes);
  let end: string | undefined;
  let isOver = false;
  for (let life = 1; life <= LIVES_MAX && !isOver; life++) {
    prepareLife(stage, end);
    end = await liveOnce(stage, plant);
    if (machine.isDead) afterDeath(stage);
    if (end !== undefined && !isResumable(end as "complete")) stage.openRun = undefined;
    isOver = end !== undefined && isOverAfter(stage, end);
  }
  if (!isOver) machine.tell({ type: "stuck", why: `no end after ${LIVES_MAX} processes` });
  return stage;
}

function readLogs({ disk }: Stage): string {
  return disk.logTexts().join("");
}

/** A person goes on with a run that can go on, and with a new one as often as they like. */
function isOverAfter(stage: Stage, end: string): boolean {
  if (end === "defect" || end === "complete") return true;
  if (isResumable(end as "complete")) return false;
  const { disk, plan, persons } = stage;
  const isAgain = plan.isUncapped || (disk.logs.size < RUNS_MAX && persons.chance(plan.againShare));
  return !isAgain;
}

/** Everything between two processes: orphans go on, persons mend and edit, the disk is cleaned. */
function prepareLife(stage: Stage, end: string | undefined): void {
  const { machine, faults, persons, plan, project, disk, inbox } = stage;
  machine.now += machine.life === 0 ? 0 : faults.between(100, 600_000);
  // Who left at a limit comes back when it is over, or a little early.
  const limit = end === "usage-limit" ? stage.reopen()?.notBefore?.at : undefined;
  if (limit !== undefined && persons.chance(0.8)) machine.now = Math.max(machine.now, limit);
  stage.goOnAlone();
  disk.clean();
  machine.rest();
  // A list that an agent broke in an open iteration is the program's to put back.
  const isForPerson = project.list.kind !== "list" && !stage.isIterationOpen;
  const isCalm = machine.life + 1 >= plan.calmFrom;
  const isLookedAt = end === "needs-human" || (end === "circuit-open" && isCalm);
  if (isForPerson || isLookedAt || end === "agent-unusable") mendProject(stage);
  // With a merge under way the program does not even start.
  project.repository.giveUpMerge();
  if (isCalm) stage.isAgentInstalled = true;
  if (!isCalm && machine.life > 0 && persons.chance(plan.editShare * 2)) editProject(stage);
  // A file that nobody asks about may change at any time.
  if (!isCalm && machine.life > 0 && persons.chance(0.6)) project.write("docs/own", "words");
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
  const { machine, disk, persons } = stage;
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
    const run = stage.openRun ?? findOpenRun(host, PROJECT).run ?? newRunId(stage);
    stage.run = run;
    const circuit = persons.chance(0.05) ? "reset" : "kept";
    const order = {
      project: PROJECT,
      run,
      paths: stage.paths,
      argv: ["run"],
      program: "sim",
      person: "present" as const,
      onEvent,
      ...stage.onOpen({ config, calls: recentStarts(stage), circuit }),
    };
    machine.tell({ type: "opening", run, circuit });
    const opened = await openRun(host, order);
    journal = opened.journal;
    stage.openRun = run;
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
  const before = [...disk.logs].map(([path, log]) => ({ path, log, size: log.size }));
  disk.losePower();
  // The log may have forgotten the end of an iteration.
  stage.isIterationOpen = stage.isAgentRecorded;
  for (const { path, log, size } of before) {
    if (log.size === size) continue;
    const run = path.split("/").at(-2) ?? "";
    machine.tell({ type: "log-cut", run, fromSeq: log.text().split("\n").length });
  }
}

/** Events with which the truth about the project is told, all of it or a glance. */
const ENDS = new Set<Event["type"]>(["iteration-ended", "run-ended"]);
const READINGS = new Set<Event["type"]>(["project-read", "project-inspected"]);

function recordLine(stage: Stage, bytes: Buffer): void {
  const event = JSON.parse(bytes.toString("utf8")) as Event;
  const truth = ENDS.has(event.type) ? stage.project.truth() : undefined;
  const glance = READINGS.has(event.type) ? stage.project.glance() : undefined;
  stage.machine.tell({ type: "logged", event, truth, glance });
  stage.isAsking = event.type === "wait-started" && event.question !== undefined;
}

function newRunId(stage: Stage): RunId {
  const { machine, disk } = stage;
  return renderRunId(machine.now, `sim${disk.logs.size % 10}`);
}

/** What the record of the tree knows: every agent that was let go within the last hour. */
function recentStarts({ machine }: Stage): number[] {
  const since = machine.now - HOUR_MS;
  return machine.timeline
    .filter(({ type, at }) => type === "agent-let-go" && at > since)
    .map(({ at }) => at);
}

/** A person may come back with another cap or another pause. */
function chooseConfig({ machine, persons, plan }: Stage): Config {
  if (machine.life === 1 || machine.life >= plan.calmFrom || !persons.chance(0.15))
    return plan.config;
  const iterationMax = plan.isUncapped ? 400 : persons.between(1, 20);
  const callsPerHourMax = persons.pick([1, 3, plan.config.callsPerHourMax]);
  return { ...plan.config, iterationMax, callsPerHourMax, pauseMs: persons.pick([0, 10, 2000]) };
}

function isWorkedOn(state: RunState): boolean {
  return state.current?.agent !== undefined || state.current?.pending?.effect.type === "run-agent";
}
