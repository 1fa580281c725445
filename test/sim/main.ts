// Entry of `npm run sim`, bundled by scripts/sim.mjs: repeats one seed and shows its log, or runs many and counts.

import { renderViolations } from "./checkers.ts";
import { simulateTwice, type SimReport } from "./simulate.ts";
import { addUp, joinTally, newTally, type Tally } from "./tally.ts";
import type { Happening } from "./timeline.ts";

/** Runs one seed and returns all that happened, line by line, and whether it kept every rule. */
export async function showSeed(seed: number): Promise<{ lines: string[]; ok: boolean }> {
  const report = await simulateTwice(seed);
  const lines = report.timeline.filter(({ type }) => type !== "state").map(renderHappening);
  const ok = report.violations.length === 0;
  const verdict = ok ? `seed ${seed} keeps every rule` : renderViolations(seed, report.violations);
  return { lines: [...lines, verdict], ok };
}

/** Runs seeds one after the other; `onEach` hears of each one. */
export async function runSeeds(
  from: number,
  count: number,
  onEach: (report: SimReport, tally: Tally) => void,
): Promise<Tally> {
  const tally = newTally();
  for (let seed = from; seed < from + count; seed++) {
    const report = await simulateTwice(seed);
    addUp(tally, report);
    onEach(report, tally);
  }
  return tally;
}

export { renderViolations, newTally, joinTally };

function renderHappening(now: Happening): string {
  const { at, life, type, ...rest } = now;
  const time = new Date(at).toISOString().slice(5, 23);
  if (now.type !== "logged") return `${time} ${life} ${type} ${JSON.stringify(rest).slice(0, 400)}`;
  const { v: _v, run: _run, at: _at, ...event } = now.event;
  return `${time} ${life}   log ${JSON.stringify(event).slice(0, 400)}`;
}
