// Bugs of the world and of the ear: effects that lie, that are left out, or that are done to something else.

import type { Effect } from "../../src/core/schema/effect.ts";
import type { IterationFact } from "../../src/core/schema/event.ts";
import type { Performing, Ports, World } from "../../src/engine/run/ports.ts";
import { bound, replaceEffect, withPerform, type Perform } from "./plant-ways.ts";
import type { Plant } from "./simulate.ts";
import type { Opening } from "./stage.ts";

export function gateIsGreen(fact: IterationFact): IterationFact {
  return fact.type === "gate-ran" ? { ...fact, result: { ...fact.result, passed: true } } : fact;
}

export function gateIsRed(fact: IterationFact): IterationFact {
  return fact.type === "gate-ran" ? { ...fact, result: { ...fact.result, passed: false } } : fact;
}

export function forgetReset(fact: IterationFact): IterationFact {
  if (fact.type !== "agent-exited" || fact.exit.limit === undefined) return fact;
  const { limit, ...exit } = fact.exit;
  return { ...fact, exit: { ...exit, limit: { kind: limit.kind, text: limit.text } } };
}

export function skipGates(perform: Perform): Perform {
  return async (effect, by) => {
    if (effect.type !== "run-gate") return await perform(effect, by);
    const { name } = effect.gate;
    return {
      type: "gate-ran",
      result: { name, passed: true, code: 0, timedOut: false, durationMs: 1, lines: [] },
    };
  };
}

export function countTwice(perform: Perform): Perform {
  return (effect, by) =>
    perform(
      effect.type === "write-prompt" ? { ...effect, attempt: effect.attempt + 1 } : effect,
      by,
    );
}

export function forgetRejection(perform: Perform): Perform {
  return (effect, by) => {
    if (effect.type !== "write-prompt") return perform(effect, by);
    const { rejection: _, ...rest } = effect;
    return perform(rest, by);
  };
}

export function slowClocks(perform: Perform): Perform {
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
export function pretendTo(
  type: "restore-tasks" | "mark-task" | "restore-file" | "mend-git" | "set-aside",
): Plant {
  return withPerform((perform) => async (effect, by) => {
    if (effect.type !== type) return await perform(effect, by);
    const keptAside = "nowhere";
    switch (effect.type) {
      case "mark-task":
        return { type: "task-marked", task: effect.task, status: effect.status };
      case "restore-file":
        return { type: "file-restored", file: effect.file, keptAside };
      case "mend-git":
        return { type: "git-mended", did: ["All is well."] };
      case "set-aside":
        return { type: "signal-set-aside", signal: effect.signal, keptAside };
      default:
        return { type: "tasks-restored", keptAside };
    }
  });
}

export function blindProbe(type: Effect["type"]): (world: World) => Partial<World> {
  return (world) => ({
    probe: async (effect: Effect, by: Performing) => {
      const fact = await world.probe(effect, by);
      return effect.type === type ? undefined : fact;
    },
  });
}

export function leaveOrphans(ports: Ports, stage: Parameters<Plant>[1]): Ports {
  const endOrphans = async (): Promise<void> => {
    const { machine } = stage;
    machine.tell({ type: "orphans-ended", alive: machine.countAlive() });
  };
  return { ...ports, world: { ...bound(ports.world), endOrphans } };
}

export function startLostAgain(ports: Ports): Ports {
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

export function withStaleList(ports: Ports, stage: Parameters<Plant>[1]): Ports {
  const world = bound(ports.world);
  const titles = new Map(stage.plan.project.stories.map((story) => [story.id, story.title]));
  const perform: Perform = async (effect, by) => {
    const { project } = stage;
    if (effect.type === "read-project" && project.list.kind === "list" && by.state.iteration > 1) {
      const stories = project.stories.map((s) => ({ ...s, title: titles.get(s.id) ?? s.title }));
      project.setList({ ...project.list, stories }, "ralph");
    }
    return await world.perform(effect, by);
  };
  return { ...ports, world: { ...world, perform } };
}

// Bugs of the ear.

export function softenStops(ports: Ports): Ports {
  return {
    ...ports,
    listen: (onControl) =>
      ports.listen((id, control) =>
        onControl(id, control.type === "stop" ? { ...control, when: "after-iteration" } : control),
      ),
  };
}

export function deafToStops(ports: Ports): Ports {
  return { ...ports, listen: () => ports.listen(() => undefined) };
}

export function sameSignal(ports: Ports): Ports {
  return {
    ...ports,
    listen: (onControl) =>
      ports.listen((id, control) =>
        onControl(id, control.type === "stop" ? { ...control, signal: "SIGINT" } : control),
      ),
  };
}

// Bugs of the eyes and of the mending hand.

export function removalsUnseen(fact: IterationFact): IterationFact {
  if (fact.type !== "project-inspected") return fact;
  const changes = { ...fact.change.changes, removed: [] };
  return { ...fact, change: { ...fact.change, changes } };
}

export function findingsUnseen(fact: IterationFact): IterationFact {
  if (fact.type !== "project-inspected") return fact;
  return { ...fact, change: { ...fact.change, findings: [] } };
}

export function editsUnseen(fact: IterationFact): IterationFact {
  if (fact.type !== "project-read") return fact;
  const { edits: _, ...reading } = fact.reading;
  return { ...fact, reading };
}

export function forgetCosts(fact: IterationFact): IterationFact {
  const result = fact.type === "agent-exited" ? fact.exit.result : undefined;
  if (fact.type !== "agent-exited" || result === undefined) return fact;
  const { costUsd: _, tokens: __, ...rest } = result;
  return { ...fact, exit: { ...fact.exit, result: rest } };
}

/** The words of the prompt are taken for the agent's own. */
export function echoPrompt(fact: IterationFact): IterationFact {
  const result = fact.type === "agent-exited" ? fact.exit.result : undefined;
  if (fact.type !== "agent-exited" || result === undefined) return fact;
  const text = `${result.text}\n<promise>COMPLETE</promise>`;
  return { ...fact, exit: { ...fact.exit, result: { ...result, text } } };
}

/** Parked tasks of some kinds are chosen as if they were in turn. */
export function inTurn(reasons: readonly string[]): Plant {
  return replaceEffect("read-project", (effect, by, real) => {
    const parked = Object.fromEntries(
      Object.entries(by.state.parked).filter(([, { why }]) => !reasons.includes(why)),
    );
    return real(effect, { ...by, state: { ...by.state, parked } });
  });
}

/** A gate in one phase is answered without being run. */
export function answerGate(phase: "baseline" | "again", answer: "green" | "red"): Plant {
  return replaceEffect("run-gate", async (effect, by, real) => {
    if (effect.phase !== phase) return await real(effect, by);
    const passed = answer === "green";
    const { name } = effect.gate;
    const result = { name, passed, code: 0, timedOut: false, durationMs: 1, lines: [], phase };
    return { type: "gate-ran", result };
  });
}

/** The list is put back as it was, without what an agent may add. */
export const dropAdditions: Plant = replaceEffect(
  "restore-tasks",
  async (effect, by, real, { project }) => {
    const fact = await real(effect, by);
    if (project.list.kind !== "list") return fact;
    const stories = project.stories.filter((s) => s.by !== "agent" || !s.title.startsWith("added"));
    project.setList({ ...project.list, stories }, "ralph");
    return fact;
  },
);

/** Where an agent had left the branch, its commits are let go of. */
export const throwAway: Plant = replaceEffect("mend-git", async (effect, by, real, { project }) => {
  const fact = await real(effect, by);
  project.repository.kept.clear();
  return fact;
});

export function staleSettings(ports: Ports, stage: Parameters<Plant>[1]): Ports {
  return replaceEffect("read-project", async (effect, by, real) => {
    const fact = await real(effect, by);
    if (fact === "cut" || fact.type !== "project-read") return fact;
    const guarded = { ...fact.reading.guarded, settings: "s0" };
    return { ...fact, reading: { ...fact.reading, guarded } };
  })(ports, stage);
}

/** What the caller tells a run is not what the record knows. */
export function openWith(change: (order: Opening) => Partial<Opening>): Plant {
  return (ports, stage) => {
    stage.onOpen = (order) => ({ ...order, ...change(order) });
    return ports;
  };
}

/** Nobody hears what a person answers. */
export function deaf(ports: Ports): Ports {
  return {
    ...ports,
    listen: (onControl) =>
      ports.listen((id, control) => {
        if (control.type !== "answer") onControl(id, control);
      }),
  };
}
