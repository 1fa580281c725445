// The one line that an iteration leaves behind: task, outcome, what it took, what the gates said, and why.

import { renderDuration } from "../../std/duration.ts";
import { printableLine } from "../../std/printable.ts";
import { clip } from "../../std/text.ts";
import type { RunState } from "../loop/state.ts";
import type { IterationEnd, IterationFigures } from "../schema/event.ts";
import type { Outcome } from "../schema/outcome.ts";
import { renderTokens, renderUsd } from "./amounts.ts";
import type { Paint, Style } from "./paint.ts";

const LINE_MAX = 300;
const TITLE_MAX = 60;

const OUTCOME_STYLES: Readonly<Record<Outcome, Style>> = {
  accepted: "good",
  progressed: "warning",
  "no-op": "warning",
  rejected: "bad",
  "needs-human": "warning",
  "agent-failed": "bad",
  "timed-out": "bad",
  "rate-limited": "warning",
  "usage-limited": "warning",
  fatal: "bad",
  interrupted: "warning",
};

/** `state` is the state after the end, where it is known. */
export function renderIterationLine(
  n: number,
  end: IterationEnd,
  state: RunState | undefined,
  paint: Paint,
): string {
  const isUnverified = end.accepted.some(({ verification }) => verification === "unverified");
  const task = end.task === undefined ? "" : ` ${end.task.id} ${clip(end.task.title, TITLE_MAX)}`;
  const took = tookWords(end.figures, state);
  const why = isPlainSuccess(end) ? "" : `: ${end.reason}`;
  const aside = end.parked === undefined ? "" : `; laid aside: ${end.parked.detail}`;
  const style = isUnverified ? "warning" : OUTCOME_STYLES[end.outcome];
  const outcome = paint(style, `${end.outcome}${isUnverified ? " [unverified]" : ""}`);
  const rest = printableLine(`${task}${took}${why}${aside}`, LINE_MAX);
  return `iteration ${n}: ${outcome}${rest.startsWith(":") ? "" : " "}${rest}`.trimEnd();
}

/** The outcome says it all: the task of the iteration was verified, and nothing else is to be told. */
function isPlainSuccess({ accepted, task, reason }: IterationEnd): boolean {
  const [only, ...others] = accepted;
  const isAlone = only?.verification === "verified" && others.length === 0;
  return isAlone && only.id === task?.id && !reason.includes(";");
}

function tookWords(figures: IterationFigures | undefined, state: RunState | undefined): string {
  const words: string[] = [];
  if (figures !== undefined) {
    words.push(renderDuration(figures.durationMs));
    if (figures.gates > 0) words.push(`${figures.gatesPassed}/${figures.gates} gates`);
    if (figures.tokens !== undefined) words.push(renderTokens(figures.tokens));
    if (figures.costUsd !== undefined) words.push(renderUsd(figures.costUsd));
  }
  if (state?.tasks !== undefined) words.push(`${state.tasks.done} of ${state.tasks.total} done`);
  return words.length === 0 ? "" : ` (${words.join(", ")})`;
}
