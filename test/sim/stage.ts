// Everything of a simulated run that outlives a process of the runner: machine, disk, project, plan and persons.

import type { Control } from "../../src/core/schema/control.ts";
import type { RunState } from "../../src/core/loop/state.ts";
import { RunId } from "../../src/core/schema/ids.ts";
import { readTip } from "../../src/world/store/read-log.ts";
import { runPaths } from "../../src/world/store/run-paths.ts";
import { Machine } from "./machine.ts";
import { makePlan, type Plan } from "./plan.ts";
import type { Script } from "./pretend-agent.ts";
import { PretendDisk } from "./pretend-disk.ts";
import { PretendProject } from "./pretend-project.ts";
import { Random } from "./random.ts";

const RUN = RunId.parse("20261115T073200Z-sim0");

/** An agent that was let go and has steps left. */
export interface LiveAgent {
  readonly pid: number;
  readonly iteration: number;
  readonly script: Script;
  /** The next step, and when it is due in time the machine is awake. */
  next: number;
  dueAt: number;
}

/** The pretend world between and during the processes of the runner. */
export class Stage {
  readonly seed: number;
  readonly run = RUN;
  readonly paths = runPaths("/record", RUN);
  readonly plan: Plan;
  readonly machine: Machine;
  readonly disk: PretendDisk;
  readonly project: PretendProject;
  /** Each with a stream of its own. */
  readonly agents: Random;
  readonly persons: Random;
  readonly faults: Random;
  /** Controls that lie in the inbox. */
  readonly inbox: Control[] = [];
  agentsStarted = 0;
  isAgentInstalled = true;
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
    this.project = new PretendProject(this.machine, this.plan.stories, this.plan.isCovered);
  }

  get isCalm(): boolean {
    return this.machine.life >= this.plan.calmFrom;
  }

  get isHonest(): boolean {
    return this.isCalm || this.agentsStarted >= this.plan.honestFrom;
  }

  /** A list that somebody has damaged: unreadable, or with more marks than one agent can have earned. */
  get isListDamaged(): boolean {
    return this.project.list.kind !== "list" || this.project.stories.length > 60;
  }

  /** A person changes the list; what they say is true. */
  editList(): void {
    const { persons, project, machine } = this;
    // While an agent lives, alone or watched, a change in the list is taken for its own.
    if (this.isListDamaged || this.live !== undefined) return;
    const story = persons.pick(project.stories);
    const { id } = story;
    const edit = persons.weighted({ added: 3, titled: 3, marked: 2, reopened: 1 });
    const title = `${story.title.split(" *")[0]} *${machine.timeline.length}`;
    switch (edit) {
      case "added": {
        const added = project.add(1, false, "person");
        if (added !== undefined)
          machine.tell({ type: "person-edited", edit, id: added, title: `added ${added}` });
        return;
      }
      case "titled":
        project.retitle(id, title);
        break;
      case "marked":
        if (this.isIterationOpen || story.done) return;
        project.code.set(id, "good");
        project.mark(id, true, "person");
        break;
      case "reopened":
        if (this.isIterationOpen || !story.done) return;
        project.mark(id, false, "person");
        break;
    }
    machine.tell({ type: "person-edited", edit, id, title });
  }

  /** A person mends what keeps the run from going on. */
  mend(): void {
    const { project } = this;
    this.isAgentInstalled = true;
    if (project.list.kind !== "list") {
      project.setList({ kind: "list", stories: project.lastReadable }, "person");
    }
    for (const { id, done } of project.stories) if (done) project.code.set(id, "good");
  }

  /** The state that the record stands for, as the next process would find it. */
  reopen(): RunState | undefined {
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
