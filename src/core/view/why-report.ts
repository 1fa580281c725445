// Explains the last end of a run from its log: what happened, why, and what to do now.

import { renderDuration } from "../../std/duration.ts";
import { printable } from "../../std/printable.ts";
import { count } from "../../std/text.ts";
import type { RunState } from "../loop/state.ts";
import type { EndReason } from "../schema/outcome.ts";
import { stepWords } from "./step-words.ts";

const SHOWN_MAX = 10;
const NEXT_STEPS: Readonly<Record<EndReason, string>> = {
  complete: "Nothing is left to do.",
  "iterations-used-up":
    "`ralph run` starts a new run with a fresh number of iterations; -n sets another one.",
  "circuit-open":
    "Look at what the last iterations left, then `ralph run` gets one iteration to show that it can go on; --reset-circuit gives it more.",
  "needs-human":
    "Mend or answer what is named above (an answer may stand in the notes of its task), then `ralph run` goes on with the same run.",
  "usage-limit": "`ralph run` goes on with the same run once the limit is over.",
  "budget-used-up":
    "`ralph run` starts a new run with a fresh budget; --max-time, --max-cost and --max-tokens set others.",
  "agent-unusable":
    "Make the agent work in a terminal first, then `ralph run` goes on with the same run.",
  "bad-input": "Mend the file that is named above, then start again.",
  locked: "Wait for the other run, or end it with `ralph stop`.",
  disk: "Make room on the disk, then `ralph run` goes on with the same run.",
  stopped: "`ralph run` goes on with the same run.",
};

/** What a person can do after a run that ended this way. */
export function nextStep(reason: EndReason): string {
  return NEXT_STEPS[reason];
}

export function renderWhy(state: RunState, life: "alive" | "dead"): string {
  const lines = [
    ...endLines(state, life),
    ...lastLines(state),
    ...rejectionLines(state),
    ...parkedLines(state),
    ...doubtLines(state),
    ...findingLines(state),
  ];
  return `${printable(lines.join("\n"))}\n`;
}

function endLines(state: RunState, life: "alive" | "dead"): string[] {
  const { end } = state;
  const span = `${count(state.iteration, "iteration")}, ${renderDuration(state.activeMs)} of work`;
  if (end !== undefined) {
    return [
      `Run ${state.run} ended: ${end.reason} (exit ${end.exitCode}), after ${span}.`,
      end.detail,
      NEXT_STEPS[end.reason],
    ];
  }
  if (life === "alive") return [`Run ${state.run} is under way: ${span} so far.`];
  const step = state.current?.pending?.effect.type;
  const where = step === undefined ? "" : ` (step: ${stepWords(step)})`;
  return [
    `Run ${state.run} was cut off in iteration ${state.iteration}${where}, after ${span}: its process died.`,
    "`ralph run` goes on with it; nothing is done twice.",
  ];
}

function lastLines(state: RunState): string[] {
  if (state.last === undefined) return [];
  const { iteration, end } = state.last;
  const task = end.task === undefined ? "" : ` on ${end.task.id}`;
  const claims = (end.claims ?? []).map(
    ({ kind, verdict, reason }) => `    ${kind}: ${verdict}, ${reason}`,
  );
  // What the run ended for stands above already.
  const why = end.reason === state.end?.detail ? "" : `: ${end.reason}`;
  return ["", `The last iteration (${iteration}${task}) was ${end.outcome}${why}.`, ...claims];
}

function rejectionLines(state: RunState): string[] {
  if (state.rejection === undefined) return [];
  return [
    "",
    `The next agent is told: ${state.rejection.reason}.`,
    ...state.rejection.lines.map((line) => `    ${line}`),
  ];
}

function parkedLines(state: RunState): string[] {
  const parked = Object.entries(state.parked).slice(0, SHOWN_MAX);
  if (parked.length === 0) return [];
  return ["", "Laid aside:", ...parked.map(([id, { detail }]) => `    ${id}: ${detail}`)];
}

function doubtLines(state: RunState): string[] {
  if (state.doubt === undefined || state.doubt === state.last?.end.reason) return [];
  return ["", `Not verified: ${state.doubt}.`];
}

/** What was done to tests and gates, with the diff. */
function findingLines(state: RunState): string[] {
  const { findings } = state.trust;
  if (findings.length === 0) return [];
  const shown = findings
    .slice(0, SHOWN_MAX)
    .flatMap(({ path, what, lines }) => [
      `    ${path}: ${what}`,
      ...lines.map((l) => `        ${l}`),
    ]);
  const ways = "undo it, or take it with `ralph accept-edits`";
  return ["", `Tests or gates were tampered with; ${ways}:`, ...shown];
}
