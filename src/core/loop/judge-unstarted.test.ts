import { describe, expect, test } from "vitest";
import {
  afterAgent,
  exit,
  change,
  finding,
  finished,
  gate,
  given,
  marked,
  reading,
  task,
  tasks,
  worked,
} from "../../../test/given.ts";
import type { ProjectReading } from "../schema/event.ts";

const COMPLETE: Partial<ProjectReading> = { signal: { kind: "complete", text: "" } };
const gated = () => given({ gates: [gate("tests")] });

describe("no agent starts", () => {
  const look = (before: Partial<ProjectReading>, from = given()) =>
    from
      .and({ type: "iteration-started", reason: "test" })
      .answered({ type: "project-read", reading: reading(before) });

  test.each([
    ["a list that cannot be read", { problem: "prd.json:3: no" }, "prd.json:3: no"],
    [
      "a stop file WAITING",
      { signal: { kind: "waiting", text: "for the key" } },
      "the stop file WAITING is there: for the key",
    ],
    [
      "a stop file COMPLETE with work open",
      COMPLETE,
      "the stop file COMPLETE is there, but 2 of 3 tasks are open; remove it, or mark them",
    ],
    [
      "an empty list, which is never complete",
      { tasks: { ...tasks(), total: 0, done: 0 } },
      "the task list is empty: there is nothing to do",
    ],
    [
      "tasks that wait for one another",
      { tasks: { ...tasks("A"), next: [], blocked: [task("A")] } },
      "every open task waits for another: A",
    ],
  ] satisfies [string, Partial<ProjectReading>, string][])("with %s", (_, before, reason) => {
    const now = look(before, gated());
    expect(now.iterationEnd()).toMatchObject({ outcome: "needs-human", reason, blocked: true });
    now.ended().orders({ type: "end", end: { reason: "needs-human", detail: reason } });
  });

  test("with all done, and the run is complete, stop file or not", () => {
    const done = { tasks: tasks() };
    expect(look(done).iterationEnd()).toEqual({
      outcome: "no-op",
      reason: "nothing is open, no gate is configured",
      charged: false,
      accepted: [],
      complete: true,
      progress: false,
      figures: { durationMs: expect.any(Number), commits: 0, gates: 0, gatesPassed: 0 },
    });
    expect(look({ ...done, ...COMPLETE }).iterationEnd()).toMatchObject({ complete: true });
  });

  test("with all done and a gate that got worse", () => {
    const now = look({ tasks: tasks() }, gated()).gate("red").gate("red");
    expect(now.iterationEnd()).toMatchObject({
      outcome: "needs-human",
      complete: false,
      reason: 'every task is marked done, but the gate "tests" fails',
    });
  });

  test("with all done and tests that were made weaker", () => {
    const weak = finished(afterAgent(exit(), worked({ findings: [finding()] }), gated()));
    const found = change({ tasks: tasks(), findings: [finding()] });
    const now = look({ tasks: tasks() }, weak).answered({
      type: "project-inspected",
      change: found,
    });
    expect(now.iterationEnd()).toMatchObject({ outcome: "needs-human", complete: false });
    now.ended().orders({ type: "end", end: { reason: "needs-human" } });
  });

  test("once the list has grown after the last allowed iteration", () => {
    const all = given({ gates: [gate("tests")], iterationMax: 1 });
    const red = afterAgent(exit(), marked(["A", "B"], []), all, { red: ["tests"] }).gate("red");
    const used = finished(red).orders({ type: "run-iteration", n: 2 });
    const now = look({ tasks: tasks("C") }, used);
    expect(now.iterationEnd()).toMatchObject({ outcome: "no-op", charged: false, complete: false });
    now.ended().orders({ type: "end", end: { reason: "iterations-used-up" } });
  });

  test("once a baseline has used up the time", () => {
    const slow = look({}, given({ gates: [gate("tests")], runMsMax: 60_000 }))
      .and({
        type: "effect-ordered",
        order: { type: "run-gate", gate: gate("tests"), phase: "baseline" },
        reason: "test",
      })
      .and(
        {
          type: "gate-ran",
          result: {
            name: "tests",
            passed: true,
            code: 0,
            timedOut: false,
            durationMs: 70_000,
            lines: [],
            phase: "baseline",
          },
        },
        70_000,
      );
    slow.ended().orders({ type: "end", end: { reason: "budget-used-up" } });
  });
});
