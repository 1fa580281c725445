// Estimates tokens and cuts a text to a budget with a visible note, so that nobody believes to have read all of it.

import { estimateTokenCount } from "tokenx";

/** A text within its budget, and whether anything is missing from it. */
export interface Fitted {
  readonly text: string;
  readonly tokens: number;
  readonly cut: boolean;
}

/** Which end of a text matters more when it is too long. */
export type KeptEnd = "start" | "end";

export function countTokens(text: string): number {
  return estimateTokenCount(text);
}

/** `whole` names where the full text can be read. */
export function fitTokens(text: string, tokensMax: number, kept: KeptEnd, whole: string): Fitted {
  // No text has fewer tokens than a twelfth of its length in practice, so a huge one is cut before it is counted.
  const charsMax = tokensMax * 12;
  const near = text.length > charsMax ? keep(text, charsMax, kept) : text;
  const tokens = countTokens(near);
  if (near === text && tokens <= tokensMax) return { text, tokens, cut: false };
  const note = `[cut to fit: the whole is in ${whole}]`;
  const room = Math.max(1, tokensMax - countTokens(note) - 2);
  let part = near;
  for (let size = countTokens(part); size > room; size = countTokens(part)) {
    part = keep(part, Math.floor((part.length * room) / size) - 1, kept);
  }
  const shown = kept === "start" ? `${part}\n${note}` : `${note}\n${part}`;
  return { text: shown, tokens: countTokens(shown), cut: true };
}

function keep(text: string, chars: number, kept: KeptEnd): string {
  const size = Math.max(0, chars);
  if (size === 0) return "";
  return kept === "start" ? text.slice(0, size) : text.slice(-size);
}
