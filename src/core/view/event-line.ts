// One line for a person about one event; nothing for events that only matter to the machine.

import { renderDuration } from "../../std/duration.ts";
import { printableLine } from "../../std/printable.ts";
import { count } from "../../std/text.ts";
import type { RunState } from "../loop/state.ts";
import type { Config } from "../schema/config.ts";
import type { GatePhase, GuardedFile } from "../schema/effect.ts";
import type {
  AgentExit,
  Event,
  GateResult,
  ProjectChange,
  ProjectReading,
} from "../schema/event.ts";
import { renderIterationLine } from "./iteration-line.ts";
import { type Paint, unpainted } from "./paint.ts";
import { settingName } from "./setting-names.ts";

const LINE_MAX = 300;

const GUARDED_NAMES: Readonly<Record<GuardedFile, string>> = {
  settings: "config.yaml",
  prompt: "prompt.md",
  template: "templates/prompt.md",
};

/** `state` is the state after the event, where it is known. */
export function renderEventLine(
  event: Event,
  state: RunState | undefined,
  paint: Paint = unpainted,
): string | undefined {
  if (event.type === "iteration-ended")
    return renderIterationLine(event.iteration ?? 0, event.end, state, paint);
  const words = wordsFor(event, state);
  return words === undefined ? undefined : printableLine(words, LINE_MAX);
}

/** Steps on the way, which the line at the end of the iteration sums up. */
export function isDetail(event: Event): boolean {
  if (event.type === "gate-ran") return event.result.passed || event.result.phase !== "baseline";
  return event.type === "effect-ordered";
}

function wordsFor(event: Event, state: RunState | undefined): string | undefined {
  switch (event.type) {
    case "run-started":
      return `run ${event.run} of ${event.feature} started: at most ${count(event.config.iterationMax, "iteration")}, ${limitWords(event.config)}${trialWords(event.inherited?.breaker)}`;
    case "run-resumed":
      return `run ${event.run} goes on${state === undefined ? "" : ` after iteration ${state.iteration}`}`;
    case "edits-accepted":
      return `a person accepted: ${event.what.join("; ")}`;
    case "config-changed":
      return `settings changed: ${event.changed.map(settingName).join(", ")}`;
    case "control-received":
      if (event.control.type === "answer") return `${event.control.from}: ${event.control.answer}`;
      return event.control.when === "now"
        ? `stopping now (${event.control.from})`
        : `stopping after this iteration (${event.control.from}); once more stops at once`;
    case "wait-started":
      if (event.question !== undefined) return questionWords(event, event.question.until);
      return `waiting until ${instant(event.until)} (${renderDuration(event.until - event.at)}): ${event.reason}`;
    case "effect-ordered":
      return orderWords(event, state);
    case "agent-exited":
      return survivorWords(event.exit);
    case "project-read":
      return editWords(event.reading);
    case "project-inspected":
      return findingWords(event.change);
    case "git-mended":
      return [...event.did, ...(event.problem === undefined ? [] : [event.problem])].join("; ");
    case "tasks-restored":
      return `the task list was put back${asideWords(event.keptAside)}`;
    case "file-restored":
      return `${GUARDED_NAMES[event.file]} was put back${asideWords(event.keptAside)}`;
    case "signal-set-aside":
      return `the stop file was taken out of the way, to ${event.keptAside}`;
    case "gate-ran":
      return gateWords(event.result);
    case "archived":
      return event.path === undefined
        ? `not archived: ${event.problem ?? ""}`
        : `archived in ${event.path}`;
    case "effect-failed":
      return `trouble: ${event.detail}`;
    case "run-ended":
      return `run ${event.run} ended: ${event.reason} (exit ${event.exitCode}). ${event.detail}`;
    default:
      return undefined;
  }
}

function instant(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

function questionWords(event: Event & { type: "wait-started" }, until: number): string {
  const wait = `${event.reason} until ${instant(until)} (${renderDuration(until - event.at)})`;
  const left = renderDuration(event.until - event.at);
  return `${wait}. Wait or exit? Type w or e and Enter; without an answer the run ends in ${left}`;
}

function limitWords({ clocks, runMsMax, gates }: Config): string {
  const total = runMsMax === undefined ? "" : `, ${renderDuration(runMsMax)} in all`;
  const checks =
    gates.length === 0
      ? "no gates (work will be unverified)"
      : `gates: ${gates.map((gate) => gate.name).join(", ")}`;
  return `${renderDuration(clocks.wallMs)} each${total}; ${checks}`;
}

function orderWords(
  event: Event & { type: "effect-ordered" },
  state: RunState | undefined,
): string | undefined {
  if (event.order.type !== "run-agent") return undefined;
  const { task, attempt } = event.order;
  const tasks =
    state?.tasks === undefined ? "" : ` (${state.tasks.done}/${state.tasks.total} done)`;
  const again = attempt > 1 ? `, attempt ${attempt}` : "";
  return `iteration ${event.iteration ?? 0}: ${task.id} ${task.title}${again}${tasks}`;
}

function survivorWords(exit: AgentExit): string | undefined {
  if (exit.survivors === 0) return undefined;
  return `${exit.survivors} left-over ${exit.survivors === 1 ? "process" : "processes"} of the agent ended`;
}

function asideWords(keptAside: string): string {
  return keptAside === ""
    ? "; the agent had deleted it"
    : `; what the agent left is in ${keptAside}`;
}

function trialWords(why: string | undefined): string {
  return why === undefined ? "" : `; the circuit breaker was open (${why}): one iteration decides`;
}

function editWords({ edits }: ProjectReading): string | undefined {
  return edits === undefined ? undefined : `a person has changed: ${edits.words.join("; ")}`;
}

function findingWords({ findings = [] }: ProjectChange): string | undefined {
  if (findings.length === 0) return undefined;
  return `tests or gates were tampered with: ${findings.map(({ path, what }) => `${what} (${path})`).join(", ")}`;
}

const PHASES: Readonly<Record<GatePhase, string>> = {
  baseline: " before the first agent",
  check: "",
  again: " once more",
};

function gateWords(result: GateResult): string {
  const took = renderDuration(result.durationMs);
  const name = `gate ${result.name}${PHASES[result.phase ?? "check"]}`;
  if (result.passed) return `${name} passes (${took})`;
  const how = result.timedOut ? "timed out" : `exit ${result.code ?? "by signal"}`;
  return `${name} fails: ${how} (${took})`;
}
