import { expect, test } from "vitest";
import {
  afterAgent,
  change,
  exit,
  finished,
  gate,
  given,
  marked,
  said,
  type Given,
} from "../../../test/given.ts";
import type { AgentExit } from "../schema/event.ts";

const gated = () => given({ gates: [gate("tests")] });
const errorOf = (now: Given): string | undefined => finished(now).state.last?.end.error;
const after = (how: AgentExit) => afterAgent(how, change());

test("is what a red gate says, without numbers", () => {
  const red = (line: string) =>
    errorOf(
      afterAgent(exit(), marked(["A"], ["B"]), gated())
        .gate("red")
        .gate("red", line),
    );
  expect(red("Error: expected 1, got 2")).toBe(red("Error: expected 3, got 4"));
  expect(red("Error: expected 1, got 2")).not.toBe(red("Error: no such table"));
  expect(red("Error: expected 1, got 2")).toMatch(/^gate tests: /u);
});

test("is that a gate timed out, whatever it had said till then", () => {
  const slow = afterAgent(exit(), marked(["A"], ["B"]), gated())
    .gate("red")
    .answered({
      type: "gate-ran",
      result: {
        name: "tests",
        passed: false,
        code: null,
        timedOut: true,
        durationMs: 1,
        lines: ["Error: boom"],
        phase: "again",
      },
    });
  expect(errorOf(slow)).toBe("gate tests: timed out");
});

test("is nothing where a gate is as red as before, or the claim stands", () => {
  const old = afterAgent(exit(), marked(["A"], ["B"]), gated(), { red: ["tests"] }).gate("red");
  expect(errorOf(old)).toBeUndefined();
});

test.each([
  [
    "the clock that ran out",
    { terminated: { cause: "clock", clock: "idle" } },
    "the idle clock ran out",
  ],
  [
    "what the agent itself calls an error",
    { result: { good: false, text: "API is down" } },
    "api is down",
  ],
  [
    "that it failed, where it says no more",
    { result: { good: false, text: "" } },
    "the agent failed",
  ],
  [
    "the last error a program without events prints",
    { code: 1, stderr: "Error: one\nError: two" },
    "error: two",
  ],
  ["the exit code, where nothing is said", { code: 3 }, "exit code #"],
] as const)("is %s", (_, more, key) => {
  expect(errorOf(after(exit(more)))).toBe(key);
});

test.each([
  ["an agent that ended well and said nothing", exit()],
  ["errors in the words of a good result", said("Error: this is what I fixed")],
  [
    "the grace clock",
    exit({
      code: null,
      terminated: { cause: "clock", clock: "grace" },
      result: { good: true, text: "ok" },
    }),
  ],
])("is not %s", (_, how) => {
  expect(errorOf(after(how))).toBeUndefined();
});
