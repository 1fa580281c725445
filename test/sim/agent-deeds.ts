// What pretend agents do to the project: work, marks, and everything that they may not do.

import type { Behaviour } from "./behaviours.ts";
import type { PretendProject } from "./pretend-project.ts";
import type { Random } from "./random.ts";

/** What an agent knows when it starts. */
export interface Scene {
  readonly random: Random;
  readonly project: PretendProject;
  readonly task: string;
  readonly now: number;
  readonly promise: string;
  /** An agent of a calm world does all that it is told. */
  readonly isCalm: boolean;
}

/** One change, made in one moment. */
export type Act = () => void;

/** Everything an agent with a normal end does, in order. */
export function deedsOf(behaviour: Behaviour, scene: Scene): readonly Act[] {
  const { random, project } = scene;
  const extras = [
    ...maybe(random, 0.4, [() => project.remember(undefined)]),
    ...maybe(random, 0.2, [() => project.noteFor(scene.task, `note ${random.between(1, 99)}`)]),
    ...maybe(random, 0.4, [() => commit(project)]),
  ];
  return [...ownDeeds(behaviour, scene), ...extras];
}

function ownDeeds(behaviour: Behaviour, scene: Scene): readonly Act[] {
  const { random, project, task } = scene;
  const work = (): void => project.implement(task);
  const mark = (): void => void project.mark(task, true, "agent");
  switch (behaviour) {
    case "honest":
    case "stays-after-result":
      return [work, ...care(scene), mark];
    case "costly":
    case "quotes":
    case "promises-early":
    case "echoes":
      return [...maybe(random, 0.5, [work]), ...maybe(random, 0.3, [mark])];
    case "claims":
      return [mark];
    case "breaks":
      return [work, () => breakOne(scene), mark];
    case "unfinished":
      return [() => project.write(`src/half-${task}`, "half")];
    case "tests-only":
      return [() => project.setStrength(task, project.strength(task) + 1)];
    case "marks-several":
      return [work, mark, ...otherOpen(scene, 2)];
    case "marks-other":
      return [...maybe(random, 0.5, [work]), ...otherOpen(scene, 1)];
    case "marks-many":
      return [work, mark, () => addDone(project)];
    case "adds":
      return [work, mark, () => void project.add(1, false, "agent")];
    case "says-complete":
      return [...maybe(random, 0.5, [work, mark]), () => signal(project, "complete")];
    case "says-waiting":
      return [...maybe(random, 0.5, [work, mark]), () => signal(project, "waiting")];
    case "asks-in-words":
    case "asks-by-signal":
    case "asks-by-tool":
      return maybe(random, 0.3, [work]);
    case "corrupts":
    case "deletes":
    case "removes":
    case "edits":
    case "edits-settings":
    case "edits-prompt":
      return [...maybe(random, 0.5, [work, mark]), ...tamperWithFiles(behaviour, scene)];
    case "weakens":
      return [work, () => weaken(scene), mark];
    case "weakens-silently":
      return [() => project.write("src/tidy", "tidy"), () => weaken(scene)];
    case "deletes-tests":
      return [() => project.setStrength(task, 0), mark];
    case "switches":
    case "switches-back":
    case "detaches":
    case "drops-history":
    case "amends":
    case "stashes":
    case "drops-stash":
    case "merges":
    case "locks":
      return [work, ...maybe(random, 0.5, [mark]), ...tamperWithGit(behaviour, scene)];
    default:
      // All that these do is in their script.
      return [];
  }
}

/** A good agent writes tests, and undoes what earlier ones did to them. */
function care({ random, project, task, isCalm }: Scene): readonly Act[] {
  return [
    ...maybe(random, isCalm ? 1 : 0.5, [() => project.mendTests()]),
    ...maybe(random, 0.3, [() => project.setStrength(task, project.strength(task) + 1)]),
    ...maybe(random, 0.1, [() => project.redBefore.clear()]),
  ];
}

function tamperWithFiles(behaviour: Behaviour, { random, project, task }: Scene): readonly Act[] {
  const { list } = project;
  switch (behaviour) {
    case "corrupts":
      return [() => project.setList({ kind: "broken", by: "agent" }, "agent")];
    case "deletes":
      return [() => project.setList({ kind: "missing", by: "agent" }, "agent")];
    case "removes":
      return [() => removeOne(project, random)];
    case "edits": {
      const how = random.pick(["title", "criteria", "priority", "frame", "order"] as const);
      return [
        // First the edit: to move a story of its own about is no offence.
        ...(list.kind === "list" ? [() => editList(project, task, how)] : []),
        ...maybe(random, 0.3, [() => void project.add(1, random.chance(0.5), "agent")]),
      ];
    }
    case "edits-settings":
      return [() => editFile(project, "settings", random)];
    case "edits-prompt":
      return [() => editFile(project, "prompt", random)];
    default:
      return [];
  }
}

function tamperWithGit(behaviour: Behaviour, { random, project }: Scene): readonly Act[] {
  const { repository } = project;
  const from = random.chance(0.5) ? "head" : "parent";
  const name = `other-${random.between(1, 1_000_000)}`;
  const andCommit = maybe(random, 0.6, [() => commit(project)]);
  const drop = (): void => {
    project.tampered("history");
    repository.reset(random.chance(0.5) ? "hard" : "soft");
  };
  const leave = (how: Act): Act[] => [() => project.tampered("branch"), how, ...andCommit];
  switch (behaviour) {
    case "switches":
      return leave(() => repository.branchOff(name, "head"));
    case "switches-back":
      return leave(() => repository.branchOff(name, "parent"));
    case "detaches":
      return leave(() => repository.detach(from));
    case "drops-history":
      return [drop, ...andCommit];
    case "amends":
      return [() => project.tampered("history"), () => repository.amend("agent")];
    case "stashes":
      return [() => project.tampered("stash"), () => repository.pushStash()];
    case "drops-stash":
      return [
        () => project.tampered("stash"),
        () => (repository.stash = repository.stash.slice(1)),
      ];
    case "merges":
      return [...maybe(random, 0.2, [drop]), () => merge(project)];
    case "locks":
      return [() => lock(project)];
    default:
      return [];
  }
}

function commit(project: PretendProject): void {
  if (!project.repository.isLocked) project.commit(undefined, "agent");
}

function merge(project: PretendProject): void {
  project.tampered("merge");
  project.repository.operation = "merge";
}

function lock(project: PretendProject): void {
  project.tampered("lock");
  project.repository.isLocked = true;
}

function signal(project: PretendProject, kind: "complete" | "waiting"): void {
  project.tampered("stop-file");
  project.stopFiles.set(kind, { text: `${kind}, says the agent`, by: "agent" });
}

/** More marks than any agent can have earned. */
function addDone(project: PretendProject): void {
  project.tampered("list");
  project.add(35, true, "agent");
}

function removeOne(project: PretendProject, random: Random): void {
  if (project.list.kind !== "list" || project.stories.length < 2) return;
  const { id } = random.pick(project.stories);
  project.tampered("list");
  project.setList(
    { ...project.list, stories: project.stories.filter((s) => s.id !== id) },
    "agent",
  );
}

function editList(
  project: PretendProject,
  task: string,
  how: "title" | "criteria" | "priority" | "frame" | "order",
): void {
  const { list } = project;
  if (list.kind !== "list") return;
  if (how === "order" && list.stories.length < 2) return;
  project.tampered("list");
  if (how === "frame") return project.setList({ ...list, frame: "another frame" }, "agent");
  if (how === "order")
    return project.setList({ ...list, stories: list.stories.toReversed() }, "agent");
  const edits = {
    title: { title: "something easier" },
    criteria: { criteria: ["works, mostly"] },
    priority: { priority: 99 },
  };
  project.change(task, (story) => ({ ...story, ...edits[how] }), "agent");
}

function editFile(project: PretendProject, file: "settings" | "prompt", random: Random): void {
  project.tampered(file);
  project.files[file] = random.chance(0.3) ? undefined : `the agent's ${file}`;
}

function weaken({ random, project }: Scene): void {
  const { id } = random.pick(project.lastReadable);
  project.setStrength(id, Math.max(0, project.strength(id) - random.between(1, 3)));
}

function otherOpen({ random, project, task }: Scene, count: number): readonly Act[] {
  const others = project.stories.filter((story) => !story.done && story.id !== task);
  const isWorking = random.chance(0.5);
  return others.slice(0, count).map(({ id }) => () => {
    if (isWorking) project.implement(id);
    project.mark(id, true, "agent");
  });
}

function breakOne({ random, project }: Scene): void {
  const good = project.lastReadable.filter(({ id }) => project.isGood(id));
  if (good.length > 0) project.setCode(random.pick(good).id, "broken");
  project.write("src/broken", "broken");
}

export function maybe<T>(random: Random, share: number, items: readonly T[]): readonly T[] {
  return random.chance(share) ? items : [];
}
