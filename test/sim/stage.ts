// Everything of a simulated run that outlives a process of the runner: machine, disk, project, plan and persons.

import type { StopControl } from "../../src/core/schema/control.ts";
import type { Config } from "../../src/core/schema/config.ts";
import type { RunState } from "../../src/core/loop/state.ts";
import type { RunId } from "../../src/core/schema/ids.ts";
import { assert } from "../../src/std/assert.ts";
import { readTip } from "../../src/world/store/read-log.ts";
import { runPaths, type RunPaths } from "../../src/world/store/run-paths.ts";
import { Machine } from "./machine.ts";
import { makePlan, type Plan } from "./plan.ts";
import type { Script } from "./pretend-agent.ts";
import { PretendDisk } from "./pretend-disk.ts";
import { PretendProject } from "./pretend-project.ts";
import { Random } from "./random.ts";

/** An agent that was let go and has steps left. */
export interface LiveAgent {
  readonly pid: number;
  readonly iteration: number;
  readonly script: Script;
  /** The next step, and when it is due in time the machine is awake. */
  next: number;
  dueAt: number;
}

/** What the caller of a run tells it from outside. */
export interface Opening {
  readonly config: Config;
  readonly calls: readonly number[];
  readonly circuit: "kept" | "reset";
}

/** The pretend world between and during the processes of the runner. */
export class Stage {
  readonly seed: number;
  /** The run that the current process works on, or the last one did. */
  run: RunId | undefined;
  /** The run that goes on, where that is known without a look at the record. */
  openRun: RunId | undefined;
  readonly plan: Plan;
  readonly machine: Machine;
  readonly disk: PretendDisk;
  readonly project: PretendProject;
  /** Each with a stream of its own. */
  readonly agents: Random;
  readonly persons: Random;
  readonly faults: Random;
  /** Controls that lie in the inbox. */
  readonly inbox: StopControl[] = [];
  /** True while the program asks a person whether to wait. */
  isAsking = false;
  agentsStarted = 0;
  /** True once the start of any agent may be on record. */
  isAgentRecorded = false;
  isAgentInstalled = true;
  /** Lists as the program has seen or written them, by name. */
  readonly seenLists = new Map<string, string>();
  /** A bug on purpose in how a run is opened. */
  onOpen: (order: Opening) => Opening = (order) => order;
  live: LiveAgent | undefined;
  /** True while the program has an iteration open that an agent has worked in. */
  isIterationOpen = false;

  constructor(seed: number) {
    const random = new Random(seed);
    this.seed = seed;
    this.plan = makePlan(random.fork());
    this.machine = new Machine(random.fork());
    this.agents = random.fork();
    this.persons = random.fork();
    this.faults = random.fork();
    this.disk = new PretendDisk(this.machine);
    this.project = new PretendProject(this.machine, this.plan.project);
  }

  get isCalm(): boolean {
    return this.machine.life >= this.plan.calmFrom;
  }

  get isHonest(): boolean {
    return this.isCalm || this.agentsStarted >= this.plan.honestFrom;
  }

  get paths(): RunPaths {
    assert(this.run !== undefined, "a run was opened");
    return runPaths("/record", this.run);
  }

  /** The state that the record stands for, as the next process would find it. */
  reopen(): RunState | undefined {
    if (this.run === undefined) return undefined;
    const tip = readTip(this.disk.host(), this.paths);
    return tip.ok ? tip.value.state : undefined;
  }

  /** What an agent does whose runner has died, until somebody ends it. */
  goOnAlone(): void {
    const { live, machine } = this;
    if (live === undefined) return;
    if (!machine.processes.has(live.pid)) {
      this.live = undefined;
      return;
    }
    const { steps, end } = live.script;
    const until = Math.min(steps.length, live.next + this.agents.between(0, steps.length));
    for (; live.next < until; live.next++) steps[live.next]?.act?.();
    if (live.next >= steps.length && end !== undefined) {
      machine.processes.delete(live.pid);
      this.live = undefined;
    }
  }
}
