import { describe, expect, test } from "vitest";
import { config } from "../../../test/given.ts";
import type { IterationEnd } from "../schema/event.ts";
import { CLOSED, nextBreaker, nextStruggle } from "./struggle.ts";

const ended = (more: Partial<IterationEnd> = {}): IterationEnd => ({
  outcome: "progressed",
  reason: "test",
  charged: true,
  accepted: [],
  complete: false,
  progress: true,
  ...more,
});
const idle = ended({ outcome: "no-op", progress: false });
const failing = (error: string) => ended({ outcome: "agent-failed", error });
const silent = [
  ended({ outcome: "needs-human", progress: false }),
  ended({ outcome: "interrupted", progress: false }),
  ended({ outcome: "usage-limited", progress: false, charged: false }),
  ended({ outcome: "rate-limited", progress: false, charged: false }),
  ended({ outcome: "no-op", progress: false, charged: false }),
];

function breakerAfter(...ends: readonly IterationEnd[]) {
  return ends.reduce((breaker, end) => nextBreaker(breaker, end, config), CLOSED);
}

function struggleAfter(...ends: readonly IterationEnd[]) {
  return ends.reduce(
    (struggle: ReturnType<typeof nextStruggle> | undefined, end) => nextStruggle(struggle, end),
    undefined,
  );
}

describe("the breaker", () => {
  test("opens after three iterations in a row without any change", () => {
    expect(breakerAfter(idle, idle)).toMatchObject({ state: "closed", idle: 2 });
    expect(breakerAfter(idle, idle, idle)).toMatchObject({
      state: "open",
      why: "3 iterations in a row without any change",
    });
  });

  test("forgets idle iterations with the first change", () => {
    expect(breakerAfter(idle, idle, ended(), idle, idle)).toMatchObject({
      state: "closed",
      idle: 2,
    });
  });

  test("opens after the same error five times, though files change", () => {
    const five = Array.from({ length: 5 }, () => failing("boom"));
    expect(breakerAfter(...five.slice(1))).toMatchObject({ state: "closed", errors: 4 });
    expect(breakerAfter(...five)).toMatchObject({
      state: "open",
      why: "the same error 5 times: boom",
    });
  });

  test("does not add up different errors, nor the same one with another between", () => {
    const others = Array.from({ length: 20 }, (_, i) => failing(i % 4 === 3 ? "other" : "boom"));
    expect(breakerAfter(...others).state).toBe("closed");
    const good = Array.from({ length: 20 }, (_, i) => (i % 4 === 3 ? ended() : failing("boom")));
    expect(breakerAfter(...good).state).toBe("closed");
  });

  test("is closed by success, whatever came before", () => {
    expect(breakerAfter(idle, idle, ended({ outcome: "accepted" }))).toEqual(CLOSED);
  });

  test.each(silent)("learns nothing from $outcome", (end) => {
    const before = breakerAfter(idle, idle);
    expect(nextBreaker(before, end, config)).toBe(before);
    const trial = { ...CLOSED, state: "half-open", why: "x" } as const;
    expect(nextBreaker(trial, end, config)).toBe(trial);
  });

  test("on trial opens after one iteration without any change, and says both reasons", () => {
    const trial = { ...CLOSED, state: "half-open", why: "3 iterations without" } as const;
    expect(nextBreaker(trial, idle, config)).toMatchObject({
      state: "open",
      why: "the trial iteration changed nothing either (3 iterations without)",
    });
  });

  test("on trial closes after one iteration with a change or an acceptance", () => {
    const trial = { ...CLOSED, state: "half-open", why: "x" } as const;
    expect(nextBreaker(trial, ended(), config)).toEqual(CLOSED);
    expect(nextBreaker(trial, ended({ outcome: "accepted" }), config)).toEqual(CLOSED);
  });

  test("that is open stays open", () => {
    const open = breakerAfter(idle, idle, idle);
    expect(nextBreaker(open, ended(), config)).toBe(open);
  });
});

describe("a task's counts", () => {
  test("count every telling iteration", () => {
    expect(struggleAfter(idle, ended(), failing("boom"), ...silent)).toMatchObject({ tries: 3 });
  });

  test("count rejections in a row", () => {
    const no = ended({ outcome: "rejected" });
    expect(struggleAfter(no, no)).toMatchObject({ rejected: 2 });
    expect(struggleAfter(no, ended(), no)).toMatchObject({ rejected: 1 });
  });

  test("count a rejection further over a limit or a crash", () => {
    const no = ended({ outcome: "rejected" });
    expect(struggleAfter(no, ...silent, no)).toMatchObject({ rejected: 2 });
  });

  test("count iterations in a row that changed only tests", () => {
    const tests = ended({ testOnly: true });
    expect(struggleAfter(tests, tests)).toMatchObject({ testOnly: 2, idle: 0 });
    expect(struggleAfter(tests, ended(), tests)).toMatchObject({ testOnly: 1 });
  });

  test("count idle ones and errors in a row", () => {
    expect(struggleAfter(idle, idle)).toMatchObject({ idle: 2, errors: 0 });
    expect(struggleAfter(failing("a"), failing("a"))).toMatchObject({ error: "a", errors: 2 });
    expect(struggleAfter(failing("a"), failing("b"))).toMatchObject({ error: "b", errors: 1 });
    expect(struggleAfter(failing("a"), idle)).toMatchObject({ error: undefined, errors: 0 });
  });
});
