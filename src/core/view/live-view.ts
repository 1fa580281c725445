// What a run is doing this moment, folded from events and notes, and the one line that shows it. When and where the
// line is drawn is not decided here.

import { renderDuration } from "../../std/duration.ts";
import { printableLine } from "../../std/printable.ts";
import { sumTokens } from "../loop/figures.ts";
import type { RunState } from "../loop/state.ts";
import type { Event } from "../schema/event.ts";
import type { Note } from "../schema/note.ts";
import type { TaskRef } from "../schema/task.ts";
import { renderTokens, renderUsd } from "./amounts.ts";
import { AGENT_WORKS, stepWords } from "./step-words.ts";

/** What there is to show while a run goes on. */
export interface LiveView {
  readonly iteration: number;
  readonly task: TaskRef | undefined;
  /** When the iteration began. */
  readonly since: number;
  /** The step of the iteration, or the last thing the agent was seen to do. */
  readonly activity: string;
  /** What earlier iterations of the run have used. */
  readonly tokens: number | undefined;
  readonly costUsd: number | undefined;
  /** What the agent has told about itself so far. */
  readonly ownTokens: number | undefined;
  readonly ownCostUsd: number | undefined;
  /** Until when the run waits, where it does. */
  readonly waitsUntil: number | undefined;
}

const ACTIVITY_MAX = 200;
const TITLE_MAX = 50;
/** Less room than this for the activity, and the title is left out. */
const ACTIVITY_LEAST = 30;
const BETWEEN = " · ";

/** Undefined while there is nothing to show. */
export function viewAfterEvent(
  view: LiveView | undefined,
  event: Event,
  state: RunState,
): LiveView | undefined {
  switch (event.type) {
    case "iteration-ended":
    case "run-ended":
      return undefined;
    case "wait-started":
      // A question stands on its own line, and what is typed below it.
      if (event.question !== undefined) return undefined;
      return { ...viewOf(state, event.at), waitsUntil: event.until };
    case "wait-ended":
      return undefined;
    default:
      break;
  }
  if (state.current === undefined) return undefined;
  // What the agent told of itself is in the state's own sums once it has exited.
  const now = view === undefined || event.type === "agent-exited" ? viewOf(state, event.at) : view;
  const { task } = state.current;
  return { ...now, task, activity: activityAfter(event) ?? now.activity };
}

export function viewAfterNote(view: LiveView | undefined, note: Note): LiveView | undefined {
  if (view === undefined) return undefined;
  switch (note.type) {
    case "activity":
    case "tool-started":
      return note.text === ""
        ? view
        : { ...view, activity: printableLine(note.text, ACTIVITY_MAX) };
    case "limit":
      return { ...view, activity: printableLine(note.text, ACTIVITY_MAX) };
    case "tokens":
      return { ...view, ownTokens: sumTokens(note.tokens) ?? view.ownTokens };
    case "result": {
      const ownTokens = sumTokens(note.tokens) ?? view.ownTokens;
      return { ...view, ownTokens, ownCostUsd: note.costUsd ?? view.ownCostUsd };
    }
    default:
      return view;
  }
}

/** At most `columns` characters; the activity gets what the rest leaves, the title what the activity leaves. */
export function renderLiveView(view: LiveView, now: number, columns: number): string {
  if (view.waitsUntil !== undefined) {
    const left = renderDuration(Math.max(0, view.waitsUntil - now));
    return printableLine(`${left} to wait; Ctrl+C stops`, columns);
  }
  const { task, activity } = view;
  const head = `iteration ${view.iteration}`;
  const tail = [elapsed(now - view.since), ...usedWords(view)];
  const room = columns - [head, ...tail].join(BETWEEN).length - BETWEEN.length * 2;
  const title = task === undefined ? "" : printableLine(`${task.id} ${task.title}`, TITLE_MAX);
  const isRoomy = room - title.length >= ACTIVITY_LEAST;
  const named = isRoomy ? title : printableLine(task?.id ?? "", Math.max(0, Math.floor(room / 2)));
  const doing = printableLine(activity, Math.max(0, room - named.length));
  const parts = [head, named, doing, ...tail].filter((part) => part !== "" && part !== "…");
  return printableLine(parts.join(BETWEEN), columns);
}

function usedWords({ tokens, ownTokens, costUsd, ownCostUsd }: LiveView): string[] {
  const isToldTokens = tokens !== undefined || ownTokens !== undefined;
  const isToldCost = costUsd !== undefined || ownCostUsd !== undefined;
  return [
    ...(isToldTokens ? [renderTokens((tokens ?? 0) + (ownTokens ?? 0))] : []),
    ...(isToldCost ? [renderUsd((costUsd ?? 0) + (ownCostUsd ?? 0))] : []),
  ];
}

/** Undefined where the step goes on. An agent that tells nothing of itself is seen to work all the same. */
function activityAfter(event: Event): string | undefined {
  if (event.type === "agent-started") return AGENT_WORKS;
  if (event.type !== "effect-ordered") return undefined;
  const { order } = event;
  if (order.type === "run-agent") return "starts the agent";
  return order.type === "run-gate" ? `gate ${order.gate.name}` : stepWords(order.type);
}

function viewOf(state: RunState, at: number): LiveView {
  return {
    iteration: state.iteration,
    task: undefined,
    since: state.current?.startedAt ?? at,
    activity: "",
    tokens: state.tokens,
    costUsd: state.costUsd,
    ownTokens: undefined,
    ownCostUsd: undefined,
    waitsUntil: undefined,
  };
}

/** Whole seconds: a line that is written once a second shows no tenths. */
function elapsed(ms: number): string {
  return renderDuration(Math.max(0, ms)).replace(/\.\ds$/u, "s");
}
