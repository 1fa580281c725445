// One line for a person about one event; nothing for events that only matter to the machine.

import { renderDuration } from "../../std/duration.ts";
import { printableLine } from "../../std/printable.ts";
import { count } from "../../std/text.ts";
import type { RunState } from "../loop/state.ts";
import type { Config } from "../schema/config.ts";
import type { GatePhase } from "../schema/effect.ts";
import type {
  AgentExit,
  Event,
  GateResult,
  IterationEnd,
  ProjectChange,
  ProjectReading,
} from "../schema/event.ts";

const LINE_MAX = 300;

/** `state` is the state after the event, where it is known. */
export function renderEventLine(event: Event, state: RunState | undefined): string | undefined {
  const words = wordsFor(event, state);
  return words === undefined ? undefined : printableLine(words, LINE_MAX);
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
      return `settings changed: ${event.changed.join(", ")}`;
    case "control-received":
      return event.control.when === "now"
        ? `stopping now (${event.control.from})`
        : `stopping after this iteration (${event.control.from}); once more stops at once`;
    case "wait-started":
      return `waiting until ${new Date(event.until).toISOString()}: ${event.reason}`;
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
      return `${event.file === "settings" ? "config.yaml" : "prompt.md"} was put back${asideWords(event.keptAside)}`;
    case "signal-set-aside":
      return `the stop file was taken out of the way, to ${event.keptAside}`;
    case "gate-ran":
      return gateWords(event.result);
    case "iteration-ended":
      return iterationWords(event.iteration ?? 0, event.end, state);
    case "effect-failed":
      return `trouble: ${event.detail}`;
    case "run-ended":
      return `run ${event.run} ended: ${event.reason} (exit ${event.exitCode}). ${event.detail}`;
    default:
      return undefined;
  }
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

function iterationWords(n: number, end: IterationEnd, state: RunState | undefined): string {
  const open = state?.tasks === undefined ? "" : `; ${state.tasks.open} open`;
  const unchecked = end.accepted.some((task) => task.verification === "unverified")
    ? " [unverified]"
    : "";
  const aside = end.parked === undefined ? "" : `; laid aside: ${end.parked.detail}`;
  return `iteration ${n}: ${end.outcome}${unchecked}, ${end.reason}${open}${aside}`;
}
