// What a later agent is told of progress.txt beside its newest entries: the patterns at its top and the last learnings.
// Only the two ends of the file are looked at, whatever its size.

import { printableLine } from "../../std/printable.ts";
import type { Host } from "../host/host.ts";

const HEAD_BYTES = 16 * 1024;
const LEARNINGS_MAX = 5;
const LEARNING_CHARS = 400;

const PATTERNS = /^(?:#{1,4}\s*(?:Codebase )?Patterns|Patterns:)\s*$/iu;
/** A line that begins something else: an entry, a heading, or a field of an entry. */
const OTHER = /^(?:---\s*$|#{1,4}\s|Iteration:|[A-Z][A-Za-z ]{0,30}:\s*$)/u;
const LEARNINGS = /^Learnings:\s*(.*)$/u;
const ITEM = /^\s+[-*]\s+(.*)$|^[-*]\s+(.*)$/u;

/** The section about the code as a whole that agents keep at the top, before the first entry. */
export function readPatterns(host: Host, path: string): string {
  const head = host.files.readRange(path, 0, HEAD_BYTES);
  // Most files have none, and most of what is read is then something else.
  if (head === undefined || !/patterns/iu.test(head.toString("latin1"))) return "";
  const lines = head.toString("utf8").split("\n");
  const first = lines.findIndex((line) => /^(?:---\s*|Iteration:.*)$/u.test(line));
  const top = first === -1 ? lines : lines.slice(0, first);
  const start = top.findIndex((line) => PATTERNS.test(line.trim()));
  if (start === -1) return "";
  const rest = top.slice(start + 1);
  const end = rest.findIndex((line) => OTHER.test(line));
  return (end === -1 ? rest : rest.slice(0, end)).join("\n").trim();
}

/** The newest ones of all entries in the end of a file, each once, the last one last. */
export function learningsOf(tail: string): string[] {
  const found: string[] = [];
  let isInside = false;
  for (const line of tail.split("\n")) {
    const heading = LEARNINGS.exec(line);
    if (heading !== null) {
      isInside = true;
      push(found, heading[1]);
      continue;
    }
    const item = isInside ? ITEM.exec(line) : null;
    if (item !== null) push(found, item[1] ?? item[2]);
    else if (line.trim() !== "") isInside = false;
  }
  return found.slice(-LEARNINGS_MAX);
}

/** One that comes again is as new as its last time. */
function push(found: string[], text: string | undefined): void {
  const line = printableLine(text?.trim() ?? "", LEARNING_CHARS);
  if (line === "" || /^(?:none|n\/a|-)\.?$/iu.test(line)) return;
  const old = found.indexOf(line);
  if (old !== -1) found.splice(old, 1);
  found.push(line);
}
