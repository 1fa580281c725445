// Runs pretend agents and gates as processes of the pretend machine: starts them, steps the real clocks, ends them.

import { startWatch, watch, nextDeadline, WATCH_STEP_MS } from "../../src/core/loop/watch.ts";
import type { Effect } from "../../src/core/schema/effect.ts";
import type { AgentExit, IterationFact } from "../../src/core/schema/event.ts";
import { lostAgent } from "../../src/world/agents/run-agent.ts";
import type { Performing } from "../../src/engine/run/ports.ts";
import { AgentWatch } from "./agent-watch.ts";
import { writeScript } from "./pretend-agent.ts";
import type { LiveAgent, Stage } from "./stage.ts";

/** Starts and ends processes for one process of the runner. */
export class PretendSupervisor {
  readonly #stage: Stage;
  readonly #pause: (ms: number) => Promise<void>;

  constructor(stage: Stage, pause: (ms: number) => Promise<void>) {
    this.#stage = stage;
    this.#pause = pause;
  }

  async runAgent(effect: Effect & { type: "run-agent" }, by: Performing): Promise<IterationFact> {
    const stage = this.#stage;
    const { machine, project, plan, agents } = stage;
    const behaviour = stage.isHonest ? "honest" : agents.weighted(plan.behaviours);
    if (behaviour === "missing") stage.isAgentInstalled = false;
    machine.danger("before the agent is spawned");
    if (!stage.isAgentInstalled) {
      return {
        type: "agent-exited",
        exit: { ...lostAgent(), lost: false, unusable: "the program was not found" },
      };
    }
    const child = machine.spawn("agent");
    machine.danger("while the agent waits at its gate");
    // From here on the record may say that an agent works, whether it was let go or not.
    stage.isIterationOpen = true;
    stage.isAgentRecorded = true;
    try {
      by.onStarted({ pid: child.pid, startTime: `t${child.pid}` });
    } catch (error) {
      machine.processes.delete(child.pid);
      throw error;
    }
    machine.danger("before the line that lets the agent go");
    child.waiting = false;
    stage.agentsStarted += 1;
    const script = writeScript(behaviour, {
      random: agents,
      project,
      task: effect.task.id,
      now: machine.now,
      promise: by.state.config.promise,
      isCalm: stage.isCalm,
    });
    for (let i = 0; i < script.children; i++) machine.spawn("child");
    this.#tellStart(child.pid, effect.task.id, behaviour, by);
    project.noteFound();
    const live: LiveAgent = {
      pid: child.pid,
      iteration: by.state.iteration,
      script,
      next: -1,
      dueAt: 0,
    };
    stage.live = live;
    machine.danger("after the agent was let go");
    const exit = await this.#supervise(live, by);
    stage.live = undefined;
    project.repository.noteLeft();
    return { type: "agent-exited", exit };
  }

  async runGate(
    effect: Effect & { type: "run-gate" },
    by: Performing,
    key: string,
  ): Promise<IterationFact | "cut"> {
    const { machine, project, agents, faults, plan, isCalm } = this.#stage;
    const { gate, phase } = effect;
    const { name } = gate;
    const { iteration } = by.state;
    const child = machine.spawn("gate");
    machine.tell({ type: "gate-began", key, iteration });
    const durationMs = agents.between(100, 3000);
    for (let piece = 0; piece < 3; piece++) {
      await this.#pause(Math.ceil(durationMs / 3));
      if (by.signal.aborted) {
        machine.processes.delete(child.pid);
        return "cut";
      }
    }
    machine.processes.delete(child.pid);
    // A gate that fails now and then does so only once.
    const isFlaky = !isCalm && phase !== "again" && faults.chance(plan.flakyShare);
    const isRed = isFlaky || project.isRed(key, "as-they-are");
    machine.tell({ type: "gate-said", key, iteration, isRed });
    const result = {
      name,
      passed: !isRed,
      code: isRed ? 1 : 0,
      timedOut: false,
      durationMs,
      lines: isRed ? [`Error: ${name} failed after ${durationMs} ms`] : [],
      ...(phase === undefined ? {} : { phase }),
    };
    return { type: "gate-ran", result };
  }

  #tellStart(pid: number, task: string, behaviour: string, by: Performing): void {
    const { machine, project, disk, plan } = this.#stage;
    const done = project.stories.filter((story) => story.done);
    const checks = done.flatMap(({ check }) => (check === undefined ? [] : [check]));
    machine.tell({
      type: "agent-let-go",
      pid,
      iteration: by.state.iteration,
      task,
      behaviour,
      isRecorded: disk.isDurable(by.state.run, `"type":"agent-started","pid":${pid},`),
      othersAlive: machine.countAlive("agent") - 1,
      isListReadable: project.list.kind === "list",
      agentMarks: done.filter((story) => story.by === "agent").map(({ id }) => id),
      ready: project.ready(),
      repository: project.repository.takeTruth(),
      agentsStopFile: project.hasAgentsStopFile(),
      gates: [...plan.project.gates, ...new Set(checks)],
    });
  }

  /** Steps the real clocks as the supervisor does, until the agent ends or is ended. */
  async #supervise(live: LiveAgent, by: Performing): Promise<AgentExit> {
    const stage = this.#stage;
    const { machine } = stage;
    const truth = new AgentWatch(machine, live);
    let clocks = startWatch(by.state.config.clocks, machine.now);
    for (;;) {
      if (by.signal.aborted) return truth.end("stop");
      const untilStep = live.dueAt - machine.awake;
      const untilTick = Math.max(0, Math.min(WATCH_STEP_MS, nextDeadline(clocks) - machine.now));
      await this.#pause(Math.max(0, Math.min(untilStep, untilTick)));
      if (!stage.isCalm && stage.faults.chance(stage.plan.sleepShare)) {
        machine.sleep(stage.faults.between(20_000, 8 * 3_600_000));
      }
      if (by.signal.aborted) return truth.end("stop");
      if (machine.awake >= live.dueAt) {
        const step = live.script.steps[live.next];
        if (step === undefined) return truth.end("own");
        step.act?.();
        truth.hear(step.note);
        if (step.note !== undefined) clocks = watch(clocks, machine.now, step.note).state;
        truth.next();
        machine.danger("while the agent works");
        continue;
      }
      const { state, terminate } = watch(clocks, machine.now);
      clocks = state;
      if (terminate !== undefined) return truth.end(terminate);
    }
  }
}
