// What pretend agents say at their end: promises, words that only look like one, questions, errors and what it cost.

import type { Note } from "../../src/core/schema/note.ts";
import type { Behaviour } from "./behaviours.ts";
import type { Random } from "./random.ts";

/** A final message and what it truly means. */
export interface LastWords {
  readonly note: Note & { type: "result" };
  readonly promises: boolean;
  readonly asks: string | undefined;
  readonly error: string | undefined;
}

const NOTHING_MEANT = { promises: false, asks: undefined, error: undefined };
const QUESTION = "Which of the two databases is meant?";

export function lastWords(behaviour: Behaviour, random: Random, promise: string): LastWords {
  const say = (text: string): LastWords => ({
    ...NOTHING_MEANT,
    note: { type: "result", good: true, text, ...costs(behaviour, random) },
  });
  const bare = promise.replaceAll(/<\/?promise>/gu, "");
  switch (behaviour) {
    case "promises":
      return { ...say(random.pick(promises(promise, bare))), promises: true };
    case "quotes":
      return say(random.pick(lookalikes(promise, bare)));
    case "asks-in-words":
      return { ...say(random.pick([QUESTION, `**${QUESTION}**`])), asks: QUESTION };
    case "asks-by-signal":
      return {
        ...say(
          random.pick([
            `I cannot decide.\nNEEDS_HUMAN: ${QUESTION}`,
            `<promise>NEEDS_HUMAN: ${QUESTION}</promise>`,
          ]),
        ),
        asks: QUESTION,
      };
    case "asks-by-tool":
      return { ...say("I have asked."), asks: QUESTION };
    case "honest":
    case "stays-after-result":
      if (random.chance(0.05))
        return { ...say(random.pick(promises(promise, bare))), promises: true };
      return say(random.chance(0.05) ? "It is done. Shall I go on?" : "done with this one");
    default:
      return say("done with this one");
  }
}

/** The same mistake in other words each time, or another mistake each time. */
export function errorWords(behaviour: Behaviour, random: Random): LastWords {
  const numbers = `${random.between(1, 250)}:${random.between(1000, 60_000)}`;
  const [error, text] =
    behaviour === "same-error"
      ? [
          "refused",
          `Error: connect ECONNREFUSED 10.0.0.${numbers} after ${random.between(1, 9000)} ms`,
        ]
      : random.pick([
          ["missing", `Error: Cannot find module '/tmp/x${random.between(1, 999)}/store.ts'`],
          ["types", `TypeError: undefined is not a function at line ${random.between(1, 900)}`],
          ["memory", `FATAL ERROR: heap limit of ${random.between(100, 900)} MB reached`],
          ["rights", "Error: EACCES: permission denied"],
        ] as const);
  const note = { type: "result", good: false, text, ...costs(behaviour, random) } as const;
  return { ...NOTHING_MEANT, note, error };
}

function promises(promise: string, bare: string): string[] {
  return [
    promise,
    `All is done.\n\n${promise}`,
    `All is done.\n${bare}`,
    `${bare}: nothing is left`,
    `  ${promise}  \nThat is all.`,
  ];
}

/** Quoted, shown as code, denied, or beside other words on its line. */
function lookalikes(promise: string, bare: string): string[] {
  return [
    `> ${promise}`,
    `The prompt wants this:\n\`\`\`\n${promise}\n\`\`\``,
    `The prompt wants this:\n\n    ${promise}`,
    `I cannot say ${promise} yet.`,
    `This is not ${bare}.`,
    `not ${promise}`,
    `IN${bare}`,
    `${promise} would be wrong, two are open.`,
    `~~~text\n${bare}\n~~~\nis what I shall say at the end.`,
  ];
}

/** Half of the agents do not tell what they cost. */
function costs(behaviour: Behaviour, random: Random): object {
  const much = behaviour === "costly" ? 40 : 1;
  const costUsd = random.chance(0.5) ? { costUsd: 0.25 * much } : {};
  const input = random.between(500, 5000) * much;
  const tokens = random.pick([
    {},
    {},
    { tokens: { input } },
    { tokens: { input, output: input, cached: 9 } },
    { tokens: { cached: 100 } },
  ]);
  return { ...costUsd, ...tokens };
}
