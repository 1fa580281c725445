// Estimates tokens and cuts a text to a budget with a visible note, so that nobody believes to have read all of it.

import { estimateTokenCount } from "tokenx";

/** A text within its budget, and whether anything is missing from it. */
export interface Fitted {
  readonly text: string;
  /** Exact where nothing was cut, else the most it can be. */
  readonly tokens: number;
  readonly cut: boolean;
}

/** More characters than this make a token in no text worth reading. */
const CHARS_PER_TOKEN = 6;
/** Tokens are not spread evenly, so a cut by length takes a little more than its share. */
const CAUTION = 0.97;

/** Which end of a text matters more when it is too long. */
export type KeptEnd = "start" | "end";

/** The sum over the paragraphs: most of them were counted for the prompt before this one. */
export function countTokens(text: string): number {
  return text.split("\n\n").reduce((sum, paragraph) => sum + countParagraph(paragraph) + 1, -1);
}

const PARAGRAPHS_MAX = 2_000;
const counted = new Map<string, number>();

function countParagraph(paragraph: string): number {
  const known = counted.get(paragraph);
  if (known !== undefined) return known;
  const tokens = estimateTokenCount(paragraph);
  if (counted.size >= PARAGRAPHS_MAX) counted.clear();
  counted.set(paragraph, tokens);
  return tokens;
}

/** `whole` names where the full text can be read. */
export function fitTokens(text: string, tokensMax: number, kept: KeptEnd, whole: string): Fitted {
  // Counting costs more than everything else about a prompt, so a text is counted once, and a long one not as a whole.
  const near = keep(text, tokensMax * CHARS_PER_TOKEN, kept);
  const tokens = countTokens(near);
  if (near.length === text.length && tokens <= tokensMax) return { text, tokens, cut: false };
  const note = `[cut to fit: the whole is in ${whole}]`;
  const room = Math.max(1, tokensMax - countTokens(note) - 2);
  let part = near;
  for (let size = tokens; size > room; size = countTokens(part)) {
    part = keep(part, Math.floor((part.length * room * CAUTION) / size), kept);
  }
  const shown = kept === "start" ? `${part}\n${note}` : `${note}\n${part}`;
  return { text: shown, tokens: tokensMax, cut: true };
}

function keep(text: string, chars: number, kept: KeptEnd): string {
  const size = Math.max(0, chars);
  if (size === 0) return "";
  return kept === "start" ? text.slice(0, size) : text.slice(-size);
}
