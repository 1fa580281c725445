import { expect, test } from "vitest";
import { afterAgent, exit, finished, gate, given, marked } from "../../../test/given.ts";
import type { RunState } from "../loop/state.ts";
import { renderSummary } from "./summary.ts";

const gated = finished(
  afterAgent(exit(), marked(["A"], ["B"]), given({ gates: [gate("unit")] })),
).state;

const ended = (more: Partial<RunState> = {}): RunState => ({
  ...gated,
  activeMs: 65_000,
  startedAt: 0,
  now: 65_000,
  commits: 3,
  end: { reason: "iterations-used-up", exitCode: 1, detail: "2 of 2 iterations used" },
  ...more,
});

const row = (text: string, label: string): string | undefined =>
  text
    .split("\n")
    .find((line) => line.startsWith(`  ${label} `))
    ?.slice(14);

test("a run that goes on has no summary", () => {
  expect(renderSummary(gated)).toBe("");
});

test("the block says why, what came of the tasks, what it took and what to do", () => {
  const text = renderSummary(ended({ tokens: 12_345, costUsd: 1.5 }));
  expect(text).toMatch(
    /^\nrun \S+ ended: iterations-used-up \(exit 1\)\. 2 of 2 iterations used\n/u,
  );
  expect(row(text, "tasks")).toBe("2 of 3 done, 1 open");
  expect(row(text, "iterations")).toBe("1");
  expect(row(text, "commits")).toBe("3");
  expect(row(text, "time")).toBe("1m 05s");
  expect(row(text, "used")).toBe("12.3k tokens, $1.50, as told by the agent");
  expect(row(text, "next")).toContain("`ralph run` starts a new run");
});

test("waits are not work", () => {
  expect(row(renderSummary(ended({ now: 600_000 })), "time")).toBe(
    "1m 05s of work, 10m 00s since its start",
  );
});

test("iterations that were not charged are told apart", () => {
  const text = renderSummary(ended({ iteration: 4, charged: 2 }));
  expect(row(text, "iterations")).toBe("4, 2 of them charged");
});

test("unverified and laid aside are counted, and the first few are named", () => {
  const parked = Object.fromEntries(
    Array.from({ length: 7 }, (_, n) => [
      `T${n}`,
      { why: "asked", detail: `question ${n}` } as const,
    ]),
  );
  const text = renderSummary(ended({ parked, accepted: { A: "unverified" } }));
  expect(row(text, "tasks")).toBe("2 of 3 done (1 unverified), 1 open, 7 of them laid aside");
  expect(text).toContain("T4: question 4");
  expect(text).not.toContain("T5");
  expect(text).toContain("… and 2 more");
});

test("without gates it says that nothing has checked the work", () => {
  const bare = ended({ gates: {}, config: { ...gated.config, gates: [] } });
  expect(row(renderSummary(bare), "gates")).toContain("nothing has checked the work");
  expect(row(renderSummary(ended()), "gates")).toBeUndefined();
});
