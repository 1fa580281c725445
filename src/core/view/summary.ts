// The block at the end of a run: why it ended, what came of the tasks, what it took, and what to do now.

import { renderDuration } from "../../std/duration.ts";
import { printableLine } from "../../std/printable.ts";
import type { RunState } from "../loop/state.ts";
import type { EndReason } from "../schema/outcome.ts";
import { renderTokens, renderUsd } from "./amounts.ts";
import { type Paint, type Style, unpainted } from "./paint.ts";
import { nextStep } from "./why-report.ts";

const LINE_MAX = 300;
const PARKED_SHOWN = 5;
const LABEL_WIDTH = 12;
/** Where the words of a row begin. */
export const SUMMARY_INDENT: number = 2 + LABEL_WIDTH;

const END_STYLES: Readonly<Record<EndReason, Style>> = {
  complete: "good",
  "iterations-used-up": "warning",
  "circuit-open": "bad",
  "needs-human": "warning",
  "usage-limit": "warning",
  "budget-used-up": "warning",
  "agent-unusable": "bad",
  "bad-input": "bad",
  locked: "bad",
  disk: "bad",
  stopped: "warning",
};

/** Nothing for a run without an end. */
export function renderSummary(state: RunState, paint: Paint = unpainted): string {
  const { end } = state;
  if (end === undefined) return "";
  const detail = printableLine(end.detail, LINE_MAX);
  const first = `run ${state.run} ended: ${paint(END_STYLES[end.reason], end.reason)} (exit ${end.exitCode}). ${detail}`;
  const rows: [string, string][] = [
    ["tasks", taskWords(state)],
    ...parkedRows(state),
    ["iterations", iterationWords(state)],
    ["commits", String(state.commits)],
    ["time", timeWords(state)],
    ...usedRows(state),
    ["next", nextStep(end.reason)],
  ];
  const lines = rows.map(
    ([label, words]) =>
      `  ${paint("dim", label.padEnd(LABEL_WIDTH))}${printableLine(words, LINE_MAX)}`,
  );
  return `\n${[first.trimEnd(), ...lines].join("\n")}\n`;
}

function taskWords({ tasks, accepted, parked }: RunState): string {
  if (tasks === undefined) return "not read";
  const unverified = Object.values(accepted).filter((how) => how === "unverified").length;
  const aside = Object.keys(parked).length;
  return [
    `${tasks.done} of ${tasks.total} done${unverified === 0 ? "" : ` (${unverified} unverified)`}`,
    ...(tasks.open === 0 ? [] : [`${tasks.open} open`]),
    ...(aside === 0 ? [] : [`${aside} of them laid aside`]),
  ].join(", ");
}

function parkedRows({ parked }: RunState): [string, string][] {
  const all = Object.entries(parked);
  const shown = all
    .slice(0, PARKED_SHOWN)
    .map(([id, { detail }]): [string, string] => ["", `${id}: ${detail}`]);
  const more = all.length - shown.length;
  return more === 0 ? shown : [...shown, ["", `… and ${more} more`]];
}

function iterationWords({ iteration, charged }: RunState): string {
  const isAll = iteration === charged;
  return isAll ? String(iteration) : `${iteration}, ${charged} of them charged`;
}

/** Waiting, and the time in which nobody worked on the run, is not work. */
function timeWords({ activeMs, startedAt, now }: RunState): string {
  const work = renderDuration(activeMs);
  const all = renderDuration(now - startedAt);
  return all === work ? work : `${work} of work, ${all} since its start`;
}

function usedRows({ tokens, costUsd, gates, config }: RunState): [string, string][] {
  const used = [
    ...(tokens === undefined ? [] : [renderTokens(tokens)]),
    ...(costUsd === undefined ? [] : [renderUsd(costUsd)]),
  ];
  const isGated = config.gates.length + Object.keys(gates).length > 0;
  const rows: [string, string][] = isGated
    ? []
    : [["gates", "none: nothing has checked the work (quality_checks in config.yaml)"]];
  return used.length === 0 ? rows : [...rows, ["used", `${used.join(", ")}, as told by the agent`]];
}
