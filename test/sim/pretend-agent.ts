// Pretend agents: each is a list of steps in time that change the project and say something, and then an end or none.

import type { Note } from "../../src/core/schema/note.ts";
import type { PretendProject } from "./pretend-project.ts";
import type { Random } from "./random.ts";

/** The ways in which an agent behaves. */
export type Behaviour =
  | "honest"
  | "claims"
  | "breaks"
  | "nothing"
  | "unfinished"
  | "promises"
  | "corrupts"
  | "deletes"
  | "marks-several"
  | "marks-other"
  | "marks-many"
  | "adds"
  | "fails"
  | "hangs-at-start"
  | "goes-silent"
  | "never-ends"
  | "tool-never-ends"
  | "stays-after-result"
  | "usage-limit"
  | "works-to-limit"
  | "limit-then-hangs"
  | "rate-limit"
  | "missing"
  | "signed-out";

/** One thing an agent does, so many milliseconds after the one before. */
export interface Step {
  readonly afterMs: number;
  readonly act?: () => void;
  readonly note?: Note;
}

/** The whole life of an agent. */
export interface Script {
  readonly behaviour: Behaviour;
  readonly steps: readonly Step[];
  /** Undefined for one that never ends by itself. */
  readonly end: { readonly code: number | null; readonly signal: string | null } | undefined;
  /** Processes it leaves behind. */
  readonly children: number;
}

/** What an agent knows when it starts. */
export interface Scene {
  readonly random: Random;
  readonly project: PretendProject;
  readonly task: string;
  readonly now: number;
  readonly promise: string;
}

const EXIT_0 = { code: 0, signal: null } as const;
const EXIT_1 = { code: 1, signal: null } as const;

export function writeScript(behaviour: Behaviour, scene: Scene): Script {
  const { random } = scene;
  const children = random.chance(0.1) ? random.between(1, 3) : 0;
  const say = (note: Note): Step => ({ afterMs: pace(random), note });
  const started: Step[] = [say({ type: "started" })];
  const script = (steps: readonly Step[], end: Script["end"]): Script => ({
    behaviour,
    steps,
    end,
    children,
  });
  switch (behaviour) {
    case "hangs-at-start":
      return script([], undefined);
    case "goes-silent":
      return script([...started, ...maybe(random, 0.5, work(scene))], undefined);
    case "never-ends":
      return script([...started, ...chatter(random)], undefined);
    case "tool-never-ends":
      return script(
        [...started, say({ type: "tool-started", id: "t", tool: "Bash", text: "" })],
        undefined,
      );
    case "missing":
      return script([], EXIT_1);
    case "signed-out":
      return script(
        [...started, say({ type: "result", good: false, text: "sign in", httpStatus: 401 })],
        EXIT_1,
      );
    case "fails":
      return fail(scene, script, started);
    case "usage-limit":
    case "works-to-limit":
    case "limit-then-hangs":
    case "rate-limit":
      return limit(behaviour, scene, script, started);
    default: {
      const isStaying = behaviour === "stays-after-result";
      const steps = [...started, ...deeds(behaviour, scene), say(result(behaviour, scene))];
      return script(steps, isStaying ? undefined : random.chance(0.9) ? EXIT_0 : EXIT_1);
    }
  }
}

type MakeScript = (steps: readonly Step[], end: Script["end"]) => Script;

function fail(scene: Scene, script: MakeScript, started: readonly Step[]): Script {
  const { random } = scene;
  const steps = [
    ...started,
    ...maybe(random, 0.5, work(scene)),
    ...maybe(random, 0.4, [mark(scene)]),
  ];
  const httpStatus = random.pick([undefined, 400, 429, 500]);
  const bad: Note = {
    type: "result",
    good: false,
    text: "broke",
    ...(httpStatus === undefined ? {} : { httpStatus }),
  };
  const said = maybe(random, 0.5, [{ afterMs: pace(random), note: bad }]);
  return script([...steps, ...said], random.pick([EXIT_1, { code: null, signal: "SIGSEGV" }]));
}

function limit(
  behaviour: Behaviour,
  scene: Scene,
  script: MakeScript,
  started: readonly Step[],
): Script {
  const { random } = scene;
  const kind = behaviour === "rate-limit" ? "rate" : "usage";
  // A told time may also lie in the past, or too far away to be believed.
  const told = random.pick([undefined, -60_000, 60_000, 3_600_000, 5 * 3_600_000, 30 * 86_400_000]);
  const resetsAt = told === undefined || kind === "rate" ? {} : { resetsAt: scene.now + told };
  const note: Note = { type: "limit", kind, ...resetsAt, text: `${kind} limit reached` };
  const done = behaviour === "works-to-limit" ? [...work(scene), mark(scene)] : [];
  const steps = [...started, ...done, { afterMs: pace(random), note }];
  if (behaviour === "limit-then-hangs") return script(steps, undefined);
  const bad: Note = { type: "result", good: false, text: "limit", httpStatus: 429 };
  return script([...steps, ...maybe(random, 0.7, [{ afterMs: pace(random), note: bad }])], EXIT_1);
}

/** What an agent with a normal end did before it. */
function deeds(behaviour: Behaviour, scene: Scene): Step[] {
  const { random, project, task } = scene;
  const act = (deed: () => void): Step => ({ afterMs: pace(random), act: deed });
  const extras = [
    ...maybe(random, 0.4, [act(() => project.remember(undefined))]),
    ...maybe(random, 0.4, [act(() => void project.commit(undefined))]),
  ];
  switch (behaviour) {
    case "honest":
    case "stays-after-result":
      return [
        ...maybe(random, 0.2, chatter(random).slice(0, 5)),
        ...work(scene),
        mark(scene),
        ...extras,
      ];
    case "claims":
      return [mark(scene), ...extras];
    case "breaks":
      return [...work(scene), act(() => breakOne(scene)), mark(scene), ...extras];
    case "unfinished":
      return [act(() => project.touch(`src/half-${task}`)), ...extras];
    case "corrupts":
      return [
        ...maybe(random, 0.5, work(scene)),
        act(() => project.setList({ kind: "broken", by: "agent" }, "agent")),
        ...extras,
      ];
    case "deletes":
      return [
        ...maybe(random, 0.5, work(scene)),
        act(() => project.setList({ kind: "missing", by: "agent" }, "agent")),
        ...extras,
      ];
    case "marks-several":
      return [...work(scene), mark(scene), ...otherOpen(scene, 2), ...extras];
    case "marks-other":
      return [...maybe(random, 0.5, work(scene)), ...otherOpen(scene, 1), ...extras];
    case "marks-many":
      return [...work(scene), mark(scene), act(() => void project.add(70, true, "agent"))];
    case "adds":
      return [
        ...work(scene),
        mark(scene),
        act(() => void project.add(1, false, "agent")),
        ...extras,
      ];
    default:
      return [];
  }
}

function result(behaviour: Behaviour, { random, promise }: Scene): Note {
  const isPromising = behaviour === "promises" || random.chance(0.05);
  const costUsd = random.chance(0.5) ? { costUsd: 0.25 } : {};
  return {
    type: "result",
    good: true,
    text: isPromising ? promise : "done with this one",
    ...costUsd,
  };
}

function work({ random, project, task }: Scene): Step[] {
  return [
    { afterMs: pace(random), note: { type: "tool-started", id: "w", tool: "Edit", text: "" } },
    {
      afterMs: pace(random),
      act: () => project.implement(task),
      note: { type: "tool-ended", id: "w" },
    },
  ];
}

function mark({ random, project, task }: Scene): Step {
  return { afterMs: pace(random), act: () => void project.mark(task, true, "agent") };
}

function otherOpen({ random, project, task }: Scene, count: number): Step[] {
  const others = project.stories.filter((story) => !story.done && story.id !== task);
  const isWorking = random.chance(0.5);
  return others.slice(0, count).map(({ id }) => ({
    afterMs: pace(random),
    act: () => {
      if (isWorking) project.implement(id);
      project.mark(id, true, "agent");
    },
  }));
}

function breakOne({ random, project }: Scene): void {
  const good = [...project.code].filter(([, state]) => state === "good").map(([id]) => id);
  if (good.length > 0) project.code.set(random.pick(good), "broken");
  project.touch("src/broken");
}

function chatter(random: Random): Step[] {
  const note: Note = { type: "activity", text: "reading" };
  return Array.from({ length: 60 }, () => ({ afterMs: random.between(500, 9000), note }));
}

function maybe(random: Random, share: number, steps: readonly Step[]): readonly Step[] {
  return random.chance(share) ? steps : [];
}

function pace(random: Random): number {
  return random.between(20, 7000);
}
