// Tells whether an agent has ended by asking a person instead of working: by a tool, by a signal, or by a final message
// that is nothing but a question.

import { printableLine } from "../../std/printable.ts";
import type { AgentExit } from "../schema/event.ts";
import { findSignal, plainLines } from "./promise.ts";

const NEEDS_HUMAN = "NEEDS_HUMAN";
const QUESTION_MAX = 500;

/** The question, or undefined where none was asked. `progress` is whether the iteration changed anything. */
export function questionOf(exit: AgentExit, progress: "some" | "none"): string | undefined {
  const text = exit.result?.text ?? "";
  const signal = findSignal(text, NEEDS_HUMAN);
  const asked =
    signal ?? exit.asked ?? (isQuestion(text, progress) ? plainLines(text).join(" ") : undefined);
  if (asked === undefined) return undefined;
  const question = printableLine(asked.trim(), QUESTION_MAX);
  return question === "" ? "a person is needed; it did not say for what" : question;
}

/**
 * A message that only asks. One that ends with a question after other sentences counts where nothing was done: after
 * work it is most often a courtesy.
 */
function isQuestion(text: string, progress: "some" | "none"): boolean {
  const lines = plainLines(text);
  if (!ASKING.test(lines.join(" ").trim())) return false;
  return progress === "none" || sentencesOf(lines).every((sentence) => ASKING.test(sentence));
}

const ASKING = /[?？]["'”’)\]*_]*$/u;
/** A new paragraph or an item of a list; what stands in neither may go on over several lines. */
const BREAK = /^\s*(?:$|[-*+•]\s|\d+[.)]\s|#+\s)/u;
const ITEM = /^(?:[-*+•]|\d+[.)])\s+/u;
const SENTENCE_END = /(?<=[.!?？]["'”’)\]*_]*)\s+|(?<=[。！？])(?!["'”’)\]*_])/u;

function sentencesOf(lines: readonly string[]): string[] {
  const blocks: string[] = [];
  for (const line of lines) {
    if (BREAK.test(line) || blocks.length === 0) blocks.push(line.trim().replace(ITEM, ""));
    else blocks.push(`${blocks.pop() ?? ""} ${line.trim()}`);
  }
  return blocks
    .flatMap((block) => block.split(SENTENCE_END))
    .filter((sentence) => sentence.trim() !== "" && !/^#+\s/u.test(sentence));
}
