// What an agent says it has learned: the points of a block `Learnings:` or `## Learnings` in its final message.

import { clip } from "../../std/text.ts";
import { plainLines } from "./promise.ts";

const POINTS_MAX = 10;
const POINT_CHARS_MAX = 300;
/** A heading, a bold word or a bare word, perhaps with the first point on the same line. */
const OPENING =
  /^(?:#{1,6}\s+)?(?:\*\*|__)?learnings(?:\*\*|__)?\s*(?::\s*(?:\*\*|__)?\s*(.*)|$)/iu;
const BULLET = /^\s*(?:[-*+]|\d{1,3}[.)])\s+(.*)$/u;
const HEADING = /^\s*#{1,6}\s/u;

/** At most ten of the last block; code and quotations are passed over. */
export function learningsIn(finalMessage: string): string[] {
  const lines = plainLines(finalMessage);
  const at = lines.findLastIndex((line) => OPENING.test(line));
  if (at === -1) return [];
  const first = OPENING.exec(lines[at] ?? "")?.[1] ?? "";
  return [first, ...pointsAfter(lines.slice(at + 1))]
    .map((point) => clip(point.replaceAll(/\s+/gu, " ").trim(), POINT_CHARS_MAX))
    .filter((point) => point !== "")
    .slice(0, POINTS_MAX);
}

/** Points up to the next heading, or to a line of its own that follows a blank one. */
function pointsAfter(lines: readonly string[]): string[] {
  const points: string[] = [];
  let isBlankBefore = false;
  for (const line of lines) {
    if (HEADING.test(line)) break;
    const bullet = BULLET.exec(line)?.[1];
    if (bullet !== undefined) points.push(bullet);
    else if (line.trim() === "") {
      isBlankBefore = points.length > 0;
      continue;
    } else if (isBlankBefore) break;
    // A line that goes on with the point above it, or a point without a bullet.
    else if (/^\s/u.test(line) && points.length > 0) points.push(`${points.pop() ?? ""} ${line}`);
    else points.push(line);
    isBlankBefore = false;
  }
  return points;
}
