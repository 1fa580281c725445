// Plain text: every chunk is a sign of life, and the last paragraph is the final message.

import type { Note } from "../../core/schema/note.ts";
import { printableLine } from "../../std/printable.ts";
import { Tail } from "../../std/tail.ts";
import type { OutputReader } from "../host/supervise.ts";

const TAIL_BYTES = 64 * 1024;
const SHOWN_BYTES = 400;
const SHOWN_MAX = 200;

/** Reads the output of any program. */
export class TextReader implements OutputReader {
  readonly #tail = new Tail(TAIL_BYTES);

  push(chunk: Buffer): readonly Note[] {
    this.#tail.push(chunk);
    const end = chunk.toString("utf8", Math.max(0, chunk.length - SHOWN_BYTES));
    const line = end.trimEnd().split("\n").at(-1) ?? "";
    return [{ type: "activity", text: printableLine(line, SHOWN_MAX) }];
  }

  end(): readonly Note[] {
    const text = lastParagraph(this.#tail.text());
    return text === "" ? [] : [{ type: "result", text }];
  }
}

/** Opens a code block, or closes one. */
const FENCE = /^\s*(`{3,}|~{3,})(.*)$/u;

/** A blank line within a code block ends no paragraph; a fence that nothing closes is none. */
function lastParagraph(text: string): string {
  const lines = text.trimEnd().split(/\r?\n/u);
  let opened = "";
  let start = 0;
  for (const [index, line] of lines.entries()) {
    const [, fence = "", rest = ""] = FENCE.exec(line) ?? [];
    if (opened === "") opened = fence;
    else if (fence.startsWith(opened) && rest.trim() === "") opened = "";
    if (opened === "" && line.trim() === "") start = index + 1;
  }
  if (opened !== "") start = lines.findLastIndex((line) => line.trim() === "") + 1;
  return lines.slice(start).join("\n").trim();
}
