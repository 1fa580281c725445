// The state of a feature as `ralph status` shows it: one object for programs, a few lines for people.

import { renderDuration } from "../../std/duration.ts";
import { lookUp } from "../../std/look-up.ts";
import { printableLine } from "../../std/printable.ts";
import type { RunState } from "../loop/state.ts";
import type { Effect } from "../schema/effect.ts";
import type { Parked } from "../schema/event.ts";
import type { Task } from "../schema/task.ts";
import { stepWords } from "./step-words.ts";

/** What a process of the run is doing, or why there is none. */
type LifeState = "running" | "waiting" | "stopping" | "crashed" | "ended" | "not-started";

/** The object `ralph status --json` prints. Fields are only ever added. */
export interface StatusReport {
  readonly feature: string;
  readonly state: LifeState;
  readonly run: string | undefined;
  readonly iteration: number;
  readonly iterationMax: number | undefined;
  readonly charged: number;
  readonly activeMs: number;
  readonly costUsd: number | undefined;
  readonly tokens: number | undefined;
  /** What all runs of the feature have cost, where anybody told. */
  readonly featureCostUsd: number | undefined;
  /** `closed`, `open` or `half-open`, and why it is not closed. */
  readonly breaker: { readonly state: string; readonly why: string | undefined } | undefined;
  /** The last claim that did not stand. */
  readonly rejection: { readonly task: string | undefined; readonly reason: string } | undefined;
  /** Why the newest unverified task is not verified. */
  readonly doubt: string | undefined;
  /** What was done to tests and gates and waits for a person. */
  readonly findings: readonly { readonly path: string; readonly what: string }[];
  readonly pid: number | undefined;
  readonly current:
    | {
        readonly task: string | undefined;
        readonly doing: Effect["type"] | undefined;
        readonly since: number;
      }
    | undefined;
  readonly waitingUntil: number | undefined;
  readonly last:
    | { readonly iteration: number; readonly outcome: string; readonly reason: string }
    | undefined;
  readonly tasks: readonly TaskLine[];
  readonly end:
    | { readonly reason: string; readonly exitCode: number; readonly detail: string }
    | undefined;
}

/** One task of the report. */
interface TaskLine {
  readonly id: string;
  readonly title: string;
  readonly status: Task["status"];
  /** True when a gate of ours has seen the work; false for every other task, done or not. */
  readonly verified: boolean;
  /** Why it is laid aside, where it is: `asked` with the question, or what went wrong too often. */
  readonly parked: Parked | undefined;
}

/** What a report is made from. */
export interface StatusInput {
  readonly feature: string;
  readonly state: RunState | undefined;
  readonly tasks: readonly Task[];
  /** The living process that works on the run. */
  readonly pid: number | undefined;
}

export function reportStatus({ feature, state, tasks, pid }: StatusInput): StatusReport {
  const current = state?.current;
  const rejection = state?.rejection;
  return {
    feature,
    state: lifeOf(state, pid),
    run: state?.run,
    iteration: state?.iteration ?? 0,
    iterationMax: state?.config.iterationMax,
    charged: state?.charged ?? 0,
    activeMs: state?.activeMs ?? 0,
    costUsd: state?.costUsd,
    tokens: state?.tokens,
    featureCostUsd: featureCost(state),
    breaker:
      state === undefined ? undefined : { state: state.breaker.state, why: state.breaker.why },
    rejection:
      rejection === undefined ? undefined : { task: rejection.task?.id, reason: rejection.reason },
    doubt: state?.doubt,
    findings: (state?.trust.findings ?? []).map(({ path, what }) => ({ path, what })),
    pid,
    current:
      current === undefined
        ? undefined
        : { task: current.task?.id, doing: current.pending?.effect.type, since: current.startedAt },
    waitingUntil: state?.waiting?.until,
    last:
      state?.last === undefined
        ? undefined
        : {
            iteration: state.last.iteration,
            outcome: state.last.end.outcome,
            reason: state.last.end.reason,
          },
    tasks: tasks.map((task) => ({
      id: task.id,
      title: task.title,
      status: task.status,
      verified: task.status === "done" && isVerified(state, task.id),
      parked: task.status === "done" ? undefined : lookUp(state?.parked ?? {}, task.id),
    })),
    end: state?.end,
  };
}

export function renderStatus(report: StatusReport, now: number): string {
  const done = report.tasks.filter((task) => task.status === "done").length;
  const lines = [
    printableLine(`${report.feature}: ${stateWords(report, now)}`, LINE_MAX),
    `tasks: ${done} of ${report.tasks.length} done, iterations: ${report.iteration}${budgetWords(report)}`,
    ...report.tasks.slice(0, TASKS_SHOWN).map(renderTask),
  ];
  if (report.tasks.length > TASKS_SHOWN)
    lines.push(`  … and ${report.tasks.length - TASKS_SHOWN} more`);
  if (report.last !== undefined) {
    const { iteration, outcome, reason } = report.last;
    lines.push(printableLine(`last: iteration ${iteration} ${outcome}, ${reason}`, LINE_MAX));
  }
  lines.push(...troubleLines(report));
  return `${lines.join("\n")}\n`;
}

/** What a person should know beside the tasks; nothing where all is well. */
function troubleLines(report: StatusReport): string[] {
  const { rejection, breaker, doubt, findings, tasks, last } = report;
  const said: string[] = [];
  if (rejection !== undefined && rejection.reason !== last?.reason)
    said.push(`rejected: ${rejection.task ?? "a claim"}, ${rejection.reason}`);
  const isDoubtful = tasks.some(({ status, verified }) => status === "done" && !verified);
  if (isDoubtful && doubt !== undefined && doubt !== last?.reason)
    said.push(`unverified: ${doubt}`);
  if (breaker !== undefined && breaker.state !== "closed")
    said.push(`circuit breaker ${breaker.state}: ${breaker.why ?? ""}`);
  for (const { path, what } of findings.slice(0, FINDINGS_SHOWN))
    said.push(`tampered: ${what} (${path}); \`ralph accept-edits --show\` shows it`);
  return said.map((line) => printableLine(line, LINE_MAX));
}

function featureCost(state: RunState | undefined): number | undefined {
  const [before, now] = [state?.spent.costUsd, state?.costUsd];
  return before === undefined && now === undefined ? undefined : (before ?? 0) + (now ?? 0);
}

const FINDINGS_SHOWN = 3;
const TASKS_SHOWN = 40;
const LINE_MAX = 200;

/** A run that ended complete has seen every gate pass with all tasks done. */
function isVerified(state: RunState | undefined, id: string): boolean {
  if (state === undefined) return false;
  const isAllChecked = state.end?.reason === "complete" && state.config.gates.length > 0;
  return isAllChecked || lookUp(state.accepted, id) === "verified";
}

function lifeOf(state: RunState | undefined, pid: number | undefined): LifeState {
  if (state === undefined) return "not-started";
  if (state.end !== undefined) return "ended";
  if (pid === undefined) return "crashed";
  if (state.stop !== undefined) return "stopping";
  return state.waiting === undefined ? "running" : "waiting";
}

function stateWords(report: StatusReport, now: number): string {
  switch (report.state) {
    case "not-started":
      return "no run yet";
    case "ended":
      return `ended: ${report.end?.reason ?? ""} (exit ${report.end?.exitCode ?? 0}). ${report.end?.detail ?? ""}`;
    case "crashed":
      return `run ${report.run ?? ""} was cut off; \`ralph run\` goes on with it`;
    case "waiting":
      return `waiting for ${renderDuration((report.waitingUntil ?? now) - now)} (pid ${report.pid ?? 0})`;
    case "running":
    case "stopping": {
      const { current, iteration } = report;
      const pid = `(pid ${report.pid ?? 0})`;
      if (current === undefined) return `${report.state}, between two iterations ${pid}`;
      const { task, doing, since } = current;
      const words = [
        `${report.state}, iteration ${iteration} for ${renderDuration(now - since)}`,
        ...(task === undefined ? [] : [task]),
        ...(doing === undefined ? [] : [stepWords(doing)]),
      ];
      return `${words.join(", ")} ${pid}`;
    }
  }
}

function budgetWords(report: StatusReport): string {
  const cap =
    report.iterationMax === undefined
      ? ""
      : ` (${report.charged} of ${report.iterationMax} charged)`;
  const cost =
    report.costUsd === undefined ? "" : `, $${report.costUsd.toFixed(2)} as told by the agent`;
  return `${cap}${cost}`;
}

function renderTask(task: TaskLine): string {
  const box = task.status === "done" ? "[x]" : task.status === "in-progress" ? "[>]" : "[ ]";
  const unverified = task.status === "done" && !task.verified ? " (unverified)" : "";
  const parked = task.parked === undefined ? "" : ` (laid aside: ${task.parked.detail})`;
  const line = printableLine(`${task.id} ${task.title}${parked}`, LINE_MAX);
  return `  ${box} ${line}${unverified}`;
}
