// Breaks the words of a command between words where a terminal is narrower than they are. Elsewhere they stay as they
// are, for whoever reads them line by line.

import { wrapLines } from "../../std/wrap.ts";
import type { Io } from "./command.ts";

export function fitted(io: Io, text: string): string {
  const screen = io.screen("out");
  return screen === undefined ? text : wrapLines(text, screen.columns() - 1);
}
