// One line for a person about one event; nothing for events that only matter to the machine.

import { renderDuration } from "../../std/duration.ts";
import { printableLine } from "../../std/printable.ts";
import type { RunState } from "../loop/state.ts";
import type { Config } from "../schema/config.ts";
import type { AgentExit, Event, IterationEnd } from "../schema/event.ts";

const LINE_MAX = 300;

/** `state` is the state after the event, where it is known. */
export function renderEventLine(event: Event, state: RunState | undefined): string | undefined {
  const words = wordsFor(event, state);
  return words === undefined ? undefined : printableLine(words, LINE_MAX);
}

function wordsFor(event: Event, state: RunState | undefined): string | undefined {
  switch (event.type) {
    case "run-started":
      return `run ${event.run} of ${event.feature} started: at most ${event.config.iterationMax} iterations, ${limitWords(event.config)}`;
    case "run-resumed":
      return `run ${event.run} goes on${state === undefined ? "" : ` after iteration ${state.iteration}`}`;
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
    case "tasks-restored":
      return `the task list was put back; what the agent left is in ${event.keptAside}`;
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

function gateWords(result: {
  name: string;
  passed: boolean;
  timedOut: boolean;
  code: number | null;
  durationMs: number;
}): string {
  const took = renderDuration(result.durationMs);
  if (result.passed) return `gate ${result.name} passes (${took})`;
  return `gate ${result.name} fails: ${result.timedOut ? "timed out" : `exit ${result.code ?? "by signal"}`} (${took})`;
}

function iterationWords(n: number, end: IterationEnd, state: RunState | undefined): string {
  const open = state?.tasks === undefined ? "" : `; ${state.tasks.open} open`;
  const unchecked = end.accepted.some((task) => task.verification === "unverified")
    ? " [unverified]"
    : "";
  return `iteration ${n}: ${end.outcome}${unchecked}, ${end.reason}${open}`;
}
