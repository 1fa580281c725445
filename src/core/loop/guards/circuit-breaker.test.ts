import { describe, expect, test } from "vitest";
import {
  afterAgent,
  change,
  exit,
  finished,
  given,
  marked,
  reading,
  tasks,
  worked,
  type Given,
} from "../../../../test/given.ts";

const alone = { tasks: tasks("A") };
const before = reading(alone);
const idle = (from: Given): Given => finished(afterAgent(exit(), change(alone), from, { before }));
const stop = {
  type: "control-received",
  id: "1",
  control: { type: "stop", when: "after-iteration", signal: "SIGINT", from: "test" },
} as const;

test("ends a run that gets nowhere, and says why", () => {
  idle(idle(idle(given()))).orders({
    type: "end",
    end: {
      reason: "circuit-open",
      exitCode: 1,
      detail: "3 iterations in a row without any change",
    },
  });
});

test("never ends a run that succeeds, however often it was idle before", () => {
  const twice = idle(idle(given()));
  const done = finished(afterAgent(exit(), marked(["A"], ["B"]), twice, { before }));
  expect(done.state.breaker).toMatchObject({ state: "closed", idle: 0 });
  done.orders({ type: "run-iteration" });
});

test("does not keep a run from being complete", () => {
  const done = marked(["A"], []);
  finished(afterAgent(exit(), done, idle(idle(given())), { before })).orders({
    type: "end",
    end: { reason: "complete" },
  });
});

describe("a run that starts on an open breaker", () => {
  const trial = () => given({}, { inherited: { breaker: "3 iterations without any change" } });

  test("gets one iteration", () => {
    expect(trial().state.breaker).toMatchObject({ state: "half-open" });
    trial().orders({ type: "run-iteration" });
    idle(trial()).orders({ type: "end", end: { reason: "circuit-open" } });
  });

  test("goes on once something moves", () => {
    const moved = finished(afterAgent(exit(), worked(alone), trial(), { before }));
    expect(moved.state.breaker.state).toBe("closed");
    idle(moved).orders({ type: "run-iteration" });
  });

  test("keeps its one iteration over a limit that told nothing", () => {
    const limited = exit({ code: 1, limit: { kind: "usage", text: "limit" } });
    const now = finished(afterAgent(limited, change(alone), trial(), { before }));
    expect(now.state.breaker.state).toBe("half-open");
    now.orders({ type: "wait-until" });
  });
});

describe("a run that is resumed", () => {
  const opened = () => idle(idle(idle(given()))).and(stop);

  test("with an open breaker gets one iteration", () => {
    const again = opened().resumed();
    expect(again.state.breaker).toMatchObject({ state: "half-open", idle: 0 });
    again.orders({ type: "run-iteration" });
    idle(again).orders({ type: "end", end: { reason: "circuit-open" } });
  });

  test("with a breaker that a person has closed begins anew", () => {
    const again = opened().resumed({ circuit: "reset" });
    expect(again.state.breaker).toMatchObject({ state: "closed", idle: 0, why: undefined });
    idle(idle(again)).orders({ type: "run-iteration" });
  });

  test("with a closed breaker counts on", () => {
    const again = idle(idle(given()).and(stop).resumed());
    expect(again.state.breaker).toMatchObject({ state: "closed", idle: 2 });
    idle(again).orders({ type: "end", end: { reason: "circuit-open" } });
  });

  test("over and over on trial does not get a second iteration without a change", () => {
    const again = opened().resumed().and(stop).resumed();
    expect(again.state.breaker.state).toBe("half-open");
    idle(again).orders({ type: "end", end: { reason: "circuit-open" } });
  });
});
