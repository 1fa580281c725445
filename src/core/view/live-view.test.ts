import { expect, test } from "vitest";
import { afterAgent, exit, given, task, worked } from "../../../test/given.ts";
import type { Event } from "../schema/event.ts";
import type { Note } from "../schema/note.ts";
import { type LiveView, renderLiveView, viewAfterEvent, viewAfterNote } from "./live-view.ts";

const view: LiveView = {
  iteration: 3,
  task: task("STORY-1"),
  since: 0,
  activity: "Bash npm test",
  tokens: 10_000,
  costUsd: 0.5,
  ownTokens: undefined,
  ownCostUsd: undefined,
  waitsUntil: undefined,
};
const envelope = { v: 1, seq: 99, at: 5_000, run: given().state.run } as const;
const step = (fact: { type: Event["type"]; [field: string]: unknown }): Event =>
  ({ ...envelope, ...fact }) as Event;

test("all is there where there is room for it", () => {
  expect(renderLiveView(view, 72_400, 119)).toBe(
    "iteration 3 · STORY-1 Title of STORY-1 · Bash npm test · 1m 12s · 10.0k tokens · $0.50",
  );
});

test("with less room the title goes first, then the activity is cut", () => {
  const busy = { ...view, activity: `Bash ${"npm test ".repeat(20)}` };
  const line = renderLiveView(busy, 2_000, 79);
  expect(line).toMatch(
    /^iteration 3 · STORY-1 · Bash npm test.*… · 2s · 10\.0k tokens · \$0\.50$/u,
  );
  expect(line.length).toBeLessThanOrEqual(79);
});

test.each([0, 1, 5, 10, 20, 30, 40, 60, 200])("never more than %d columns", (columns) => {
  expect(renderLiveView(view, 1_000, columns).length).toBeLessThanOrEqual(Math.max(1, columns));
});

test("a wait shows what is left of it, and never less than nothing", () => {
  const waiting = { ...view, waitsUntil: 65_000 };
  expect(renderLiveView(waiting, 0, 79)).toBe("1m 05s to wait; Ctrl+C stops");
  expect(renderLiveView(waiting, 99_000, 79)).toBe("0.0s to wait; Ctrl+C stops");
});

test("an agent's notes change activity, tokens and cost", () => {
  const notes: Note[] = [
    { type: "tool-started", id: "1", tool: "Edit", text: "Edit a.js\u001B[2J" },
    { type: "activity", text: "" },
    { type: "tokens", tokens: { input: 100, output: 20 } },
    { type: "tool-ended", id: "1" },
    { type: "result", text: "done", costUsd: 0.25, tokens: { output: 500 } },
  ];
  const seen = notes.reduce<LiveView | undefined>(viewAfterNote, view);
  expect(seen).toEqual({ ...view, activity: "Edit a.js", ownTokens: 500, ownCostUsd: 0.25 });
  expect(viewAfterNote(undefined, { type: "activity", text: "late" })).toBeUndefined();
});

test("steps of the iteration are shown, and nothing between two iterations", () => {
  const now = afterAgent(exit(), worked()).state;
  const order = { type: "run-gate", gate: { name: "unit", command: "x", timeoutMs: 1 } };
  const seen = viewAfterEvent(undefined, step({ type: "effect-ordered", order, reason: "" }), now);
  expect(seen).toMatchObject({ iteration: 1, task: task("A"), activity: "gate unit" });
  expect(viewAfterEvent(seen, step({ type: "run-ended" }), now)).toBeUndefined();
  const idle = given().state;
  expect(viewAfterEvent(seen, step({ type: "control-received" }), idle)).toBeUndefined();
});

test("an agent that tells nothing of itself works once it has started", () => {
  const now = afterAgent(exit(), worked()).state;
  const starting = { ...view, activity: "starts the agent" };
  const seen = viewAfterEvent(starting, step({ type: "agent-started", pid: 1 }), now);
  expect(seen?.activity).toBe("the agent works");
  const later = viewAfterEvent(seen, step({ type: "control-received" }), now);
  expect(later?.activity).toBe("the agent works");
});

test("once the agent is gone the run's own sums count", () => {
  const state = { ...afterAgent(exit(), worked()).state, tokens: 700, costUsd: 2 };
  const seen = viewAfterEvent({ ...view, ownTokens: 9 }, step({ type: "agent-exited" }), state);
  expect(seen).toMatchObject({ tokens: 700, costUsd: 2, ownTokens: undefined });
});

test("a wait begins and ends", () => {
  const { state } = given();
  const waiting = viewAfterEvent(
    undefined,
    step({ type: "wait-started", until: 9, reason: "r" }),
    state,
  );
  expect(waiting?.waitsUntil).toBe(9);
  expect(viewAfterEvent(waiting, step({ type: "wait-ended" }), state)).toBeUndefined();
});
