// Pretend agents: each is a list of steps in time that change the project and say something, and then an end or none.

import type { Note } from "../../src/core/schema/note.ts";
import { deedsOf, maybe, type Act, type Scene } from "./agent-deeds.ts";
import { errorWords, lastWords, type LastWords } from "./agent-words.ts";
import type { Behaviour } from "./behaviours.ts";
import type { Random } from "./random.ts";

/** One thing an agent does, so many milliseconds after the one before. */
export interface Step {
  readonly afterMs: number;
  readonly act?: Act;
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
  /** What its final message means, if it comes to that. */
  readonly words: LastWords | undefined;
}

const EXIT_0 = { code: 0, signal: null } as const;
const EXIT_1 = { code: 1, signal: null } as const;

const WORKING: Note = { type: "activity", text: "working" };

type MakeScript = (steps: readonly Step[], end: Script["end"], words?: LastWords) => Script;

export function writeScript(behaviour: Behaviour, scene: Scene): Script {
  const { random } = scene;
  const children = random.chance(0.1) ? random.between(1, 3) : 0;
  const say = (note: Note): Step => ({ afterMs: pace(random), note });
  const started: Step[] = [say({ type: "started" })];
  const script: MakeScript = (steps, end, words) => ({
    behaviour,
    steps: [...started, ...steps],
    end,
    children,
    words,
  });
  switch (behaviour) {
    case "hangs-at-start":
      return { ...script([], undefined), steps: [] };
    case "missing":
      return { ...script([], EXIT_1), steps: [] };
    case "goes-silent":
      return script(maybe(random, 0.5, work(scene)), undefined);
    case "never-ends":
      return script(chatter(random), undefined);
    case "tool-never-ends":
      return script([say({ type: "tool-started", id: "t", tool: "Bash", text: "" })], undefined);
    case "signed-out":
      return script(
        [say({ type: "result", good: false, text: "sign in", httpStatus: 401 })],
        EXIT_1,
      );
    case "fails":
      return fail(scene, script);
    case "same-error":
    case "other-errors": {
      const words = errorWords(behaviour, random);
      const half: Step = { afterMs: pace(random), act: () => leaveHalf(scene) };
      return script([...maybe(random, 0.6, [half]), say(words.note)], EXIT_1, words);
    }
    case "usage-limit":
    case "works-to-limit":
    case "limit-then-hangs":
    case "rate-limit":
      return limit(behaviour, scene, script);
    default:
      return endWell(behaviour, scene, script);
  }
}

function endWell(behaviour: Behaviour, scene: Scene, script: MakeScript): Script {
  const { random, promise } = scene;
  const say = (note: Note): Step => ({ afterMs: pace(random), note });
  const words = lastWords(behaviour, random, promise);
  const before: Note[] =
    behaviour === "echoes"
      ? [
          { type: "tool-started", id: "e", tool: "Bash", text: promise },
          { type: "tool-ended", id: "e" },
        ]
      : behaviour === "promises-early"
        ? [
            { type: "activity", text: promise },
            { type: "result", good: true, text: promise },
          ]
        : [];
  const asked: Note[] =
    behaviour === "asks-by-tool" ? [{ type: "asked", question: words.asks ?? "" }] : [];
  // One that says nothing for long meets the idle clock.
  const talk = scene.isCalm ? 1 : random.pick([0.3, 0.9, 1]);
  const acts = deedsOf(behaviour, scene).map((act): Step => {
    const isTalking = random.chance(talk);
    return { afterMs: pace(random), act, ...(isTalking ? { note: WORKING } : {}) };
  });
  const steps = [
    ...maybe(random, 0.1, chatter(random).slice(0, 5)),
    // Only the last result of a process is its final message, so it has to follow within the grace time.
    ...acts,
    ...before.map((note) => ({ afterMs: random.between(20, 900), note })),
    ...asked.map(say),
    { afterMs: random.between(20, behaviour === "promises-early" ? 900 : 7000), note: words.note },
  ];
  const isStaying = behaviour === "stays-after-result";
  return script(steps, isStaying ? undefined : random.chance(0.9) ? EXIT_0 : EXIT_1, words);
}

function fail(scene: Scene, script: MakeScript): Script {
  const { random } = scene;
  const steps = [...maybe(random, 0.5, work(scene)), ...maybe(random, 0.4, [mark(scene)])];
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

function limit(behaviour: Behaviour, scene: Scene, script: MakeScript): Script {
  const { random } = scene;
  const kind = behaviour === "rate-limit" ? "rate" : "usage";
  // A told time may also lie in the past, or too far away to be believed.
  const told = random.pick([undefined, -60_000, 60_000, 3_600_000, 5 * 3_600_000, 30 * 86_400_000]);
  const resetsAt = told === undefined || kind === "rate" ? {} : { resetsAt: scene.now + told };
  const note: Note = { type: "limit", kind, ...resetsAt, text: `${kind} limit reached` };
  const done = behaviour === "works-to-limit" ? [...work(scene), mark(scene)] : [];
  const steps = [...done, { afterMs: pace(random), note }];
  if (behaviour === "limit-then-hangs") return script(steps, undefined);
  const bad: Note = { type: "result", good: false, text: "limit", httpStatus: 429 };
  return script([...steps, ...maybe(random, 0.7, [{ afterMs: pace(random), note: bad }])], EXIT_1);
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

function leaveHalf({ project, task }: Scene): void {
  project.write(`src/half-${task}`, "half");
}

function chatter(random: Random): Step[] {
  const note: Note = { type: "activity", text: "reading" };
  return Array.from({ length: 60 }, () => ({ afterMs: random.between(500, 9000), note }));
}

function pace(random: Random): number {
  return random.between(20, 7000);
}
