import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ClockLimits } from "../schema/config.ts";
import type { Note } from "../schema/note.ts";
import { nextDeadline, startWatch, watch, WATCH_STEP_MS, type WatchState } from "./watch.ts";

const LIMITS: ClockLimits = { startMs: 1_000, idleMs: 2_000, graceMs: 500, wallMs: 10_000 };
const T0 = 1_000_000;
const talk: Note = { type: "activity", text: "" };
const result: Note = { type: "result", text: "done" };
const begin = (id: string): Note => ({ type: "tool-started", id, tool: "Bash", text: "" });
const finish = (id: string): Note => ({ type: "tool-ended", id });

/** The clocks after notes and ticks at their times since the start. */
function after(steps: readonly (readonly [number, Note?])[], limits = LIMITS): WatchState {
  let state = startWatch(limits, T0);
  for (const [at, note] of steps) state = watch(state, T0 + at, note).state;
  return state;
}

const firedAt = (state: WatchState, at: number) => watch(state, T0 + at).terminate;

describe("each clock runs out at its limit and not before", () => {
  test.each([
    ["start", [], 1_000],
    ["idle", [[500, talk]], 2_500],
    [
      "idle",
      [
        [500, talk],
        [1_500, talk],
      ],
      3_500,
    ],
    [
      "grace",
      [
        [500, talk],
        [700, result],
      ],
      1_200,
    ],
    [
      "grace",
      [
        [700, result],
        [900, talk],
        [1_000, result],
      ],
      1_200,
    ],
    ["wall", [[500, begin("a")]], 10_000],
    [
      "wall",
      [
        [500, begin("a")],
        [600, begin("b")],
        [700, finish("a")],
      ],
      10_000,
    ],
    [
      "idle",
      [
        [500, begin("a")],
        [5_000, finish("a")],
      ],
      7_000,
    ],
    [
      "idle",
      [
        [500, begin("a")],
        [600, finish("other")],
        [5_000, finish("a")],
      ],
      7_000,
    ],
    [
      "grace",
      [
        [500, begin("a")],
        [600, result],
      ],
      1_100,
    ],
  ] as const)("%s after %j at %i", (clock, steps, at) => {
    const state = after(steps);
    expect(firedAt(state, at - 1)).toBeUndefined();
    expect(firedAt(state, at)).toBe(clock);
    expect(nextDeadline(state)).toBe(T0 + at);
  });
});

test("the wall clock runs out however much is said", () => {
  const steps = Array.from({ length: 99 }, (_, i) => [(i + 1) * 100, talk] as const);
  expect(firedAt(after(steps), 9_999)).toBeUndefined();
  expect(firedAt(after(steps), 10_000)).toBe("wall");
});

test("after the final message only the grace time counts, also when the wall clock would have run out", () => {
  const state = after([[9_900, result]]);
  expect(firedAt(state, 10_399)).toBeUndefined();
  expect(firedAt(state, 10_400)).toBe("grace");
});

test("a clock that is left out does not run", () => {
  const limits = { graceMs: 500, wallMs: 10_000 };
  expect(firedAt(after([], limits), 9_999)).toBeUndefined();
  expect(firedAt(after([[500, talk]], limits), 9_999)).toBeUndefined();
  expect(firedAt(after([], limits), 10_000)).toBe("wall");
});

test("a note at the very moment of a deadline comes too late for the wall clock only", () => {
  const state = after([[500, talk]]);
  expect(watch(state, T0 + 2_500, talk).terminate).toBeUndefined();
  expect(watch(after([[9_000, talk]]), T0 + 10_000, talk).terminate).toBe("wall");
});

test("time that was slept through is charged to no clock", () => {
  const hour = 3_600_000;
  const state = after([[500, talk], [hour]]);
  expect(firedAt(state, hour)).toBeUndefined();
  // The clocks stand as they stood at the last step before: 2,000 ms of silence are left.
  expect(firedAt(state, hour + 1_999)).toBeUndefined();
  expect(firedAt(state, hour + 2_000)).toBe("idle");
});

test("a step that is only late is no sleep", () => {
  expect(WATCH_STEP_MS).toBeLessThan(14_999);
  expect(firedAt(after([[500, talk]]), 14_999)).toBe("idle");
});

test("a clock that is set back does no harm", () => {
  const state = after([
    [500, talk],
    [-50_000, talk],
  ]);
  expect(firedAt(state, -49_000)).toBeUndefined();
});

const notes = fc.oneof(
  fc.constantFrom(talk, result),
  fc.constantFrom("a", "b", "c").map(begin),
  fc.constantFrom("a", "b", "c").map(finish),
);

test("whatever is said, the wall clock or the grace time ends it, and the next deadline is when", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 900 }), notes), { maxLength: 30 }),
      (said) => {
        let at = 0;
        let state = startWatch(LIMITS, T0);
        for (const [gap, note] of said) {
          at += gap;
          const step = watch(state, T0 + at, note);
          if (step.terminate !== undefined) return;
          state = step.state;
        }
        const due = nextDeadline(state);
        expect(due).toBeLessThanOrEqual(T0 + Math.max(LIMITS.wallMs, at + LIMITS.graceMs));
        expect(watch(state, due - 1).terminate).toBeUndefined();
        expect(watch(state, due).terminate).toBeDefined();
      },
    ),
  );
});

test("tools that never end are remembered within a bound", () => {
  let state = startWatch(LIMITS, T0);
  for (let i = 0; i < 2_000; i++) state = watch(state, T0 + 1, begin(`t${i}`)).state;
  expect(state.toolsInFlight.length).toBe(1_000);
});

test("a clock that is set back by an hour lengthens no limit", () => {
  const hour = 3_600_000;
  const state = after([[500, talk], [600 - hour]]);
  expect(firedAt(state, 600 - hour + 1_800)).toBeUndefined();
  expect(firedAt(state, 600 - hour + 2_000)).toBe("idle");
});
