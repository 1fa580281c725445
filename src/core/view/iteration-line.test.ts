import { expect, test } from "vitest";
import { afterAgent, exit, finished, gate, given, marked } from "../../../test/given.ts";
import type { IterationEnd } from "../schema/event.ts";
import { TaskId } from "../schema/ids.ts";
import { renderIterationLine } from "./iteration-line.ts";
import { type Paint, unpainted } from "./paint.ts";

const A = { id: TaskId.parse("A"), title: "Pay by card" };
const figures = { durationMs: 83_000, commits: 2, gates: 3, gatesPassed: 3 };
const end = (more: Partial<IterationEnd> = {}): IterationEnd => ({
  outcome: "accepted",
  reason: "A done, all 3 gates pass",
  task: A,
  charged: true,
  accepted: [{ id: A.id, verification: "verified" }],
  complete: false,
  figures,
  ...more,
});

test("a verified task is told with all that it took", () => {
  const told = end({ figures: { ...figures, tokens: 12_345, costUsd: 0.42 } });
  expect(renderIterationLine(4, told, undefined, unpainted)).toBe(
    "iteration 4: accepted A Pay by card (1m 23s, 3/3 gates, 12.3k tokens, $0.42)",
  );
});

test("what nobody has told and gates that did not run are left out", () => {
  const failed = end({
    outcome: "timed-out",
    reason: "the wall clock ran out",
    accepted: [],
    figures: { ...figures, gates: 0, gatesPassed: 0 },
  });
  expect(renderIterationLine(1, failed, undefined, unpainted)).toBe(
    "iteration 1: timed-out A Pay by card (1m 23s): the wall clock ran out",
  );
});

test("unverified work says so, and why", () => {
  const doubtful = end({
    accepted: [{ id: A.id, verification: "unverified" }],
    reason: "A done, not checked by any gate",
  });
  expect(renderIterationLine(1, doubtful, undefined, unpainted)).toContain(
    "accepted [unverified] A Pay by card (1m 23s, 3/3 gates): A done, not checked by any gate",
  );
});

test.each([
  ["trouble beside the success", end({ reason: "A done, the gate passes; not committed: hook" })],
  ["more than its own task", end({ accepted: [...end().accepted, ...end().accepted] })],
  ["another task", end({ accepted: [{ id: TaskId.parse("B"), verification: "verified" }] })],
])("an accepted iteration with %s has its reason", (_, ended) => {
  expect(renderIterationLine(1, ended, undefined, unpainted)).toContain(`: ${ended.reason}`);
});

test("an end in a log of an older version has no figures", () => {
  const { figures: _, ...old } = end({ outcome: "no-op", accepted: [], reason: "nothing moved" });
  expect(renderIterationLine(2, old, undefined, unpainted)).toBe(
    "iteration 2: no-op A Pay by card: nothing moved",
  );
  const { task: __, ...bare } = old;
  expect(renderIterationLine(2, bare, undefined, unpainted)).toBe(
    "iteration 2: no-op: nothing moved",
  );
});

test("only the outcome is set off, and foreign text sets nothing off", () => {
  const paint: Paint = (style, text) => `<${style}>${text}</>`;
  const evil = end({ task: { ...A, title: "\u001B[31mred" } });
  expect(renderIterationLine(1, evil, undefined, paint)).toBe(
    "iteration 1: <good>accepted</> A red (1m 23s, 3/3 gates)",
  );
});

test("the core counts time, commits and the last word of each gate", () => {
  const gated = given({ gates: [gate("unit"), gate("lint")] });
  const now = finished(afterAgent(exit(), marked(["A"], ["B"], { commits: 2 }), gated));
  expect(now.state.last?.end.figures).toMatchObject({ gates: 2, gatesPassed: 2 });
  expect(now.state.commits).toBe(now.state.last?.end.figures?.commits);
  expect(now.state.commits).toBeGreaterThanOrEqual(2);
});
