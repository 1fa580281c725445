import fc from "fast-check";
import { estimateTokenCount } from "tokenx";
import { expect, test } from "vitest";
import { TaskId } from "../schema/ids.ts";
import type { Task } from "../schema/task.ts";
import { renderPrompt, type PromptInput } from "./render-prompt.ts";
import { countTokens } from "./token-budget.ts";

const OPENING = "# Rules\n\nOne task, then stop.\n";
const task: Task = {
  id: TaskId.parse("A"),
  title: "first",
  description: "what it is",
  criteria: ["one", "two"],
  priority: 1,
  status: "open",
  dependsOn: [],
  notes: "a note",
  checks: ["npm run check"],
  frozen: "",
};

function input(more: Partial<PromptInput> = {}): PromptInput {
  return {
    opening: { text: OPENING, tokens: countTokens(OPENING), kind: "template" },
    task,
    attempt: 2,
    counts: { done: 1, total: 3 },
    files: { tasks: "prd.json", memory: "progress.txt", specs: "specs" },
    specs: ["a.md"],
    gates: ["tests"],
    rejection: {
      task: { id: task.id, title: "first" },
      reason: 'the gate "tests" fails',
      lines: ["not ok 1"],
    },
    warning: "3 iterations have worked on this task and none was accepted",
    patterns: "- money is in cents",
    learnings: ["run the build first", "tests need a clock"],
    memory: "what went before",
    commits: ["abc feat: x"],
    tokensMax: 4000,
    ...more,
  };
}

test("all parts are there, the unchanging one first", () => {
  expect(renderPrompt(input()).text).toBe(`# Rules

One task, then stop.

## Your task

A: first

1 of 3 tasks are done. This is attempt 2 at this one.

3 iterations have worked on this task and none was accepted. Take another way, or say what stands in it: NEEDS_HUMAN: reason.

what it is

Acceptance criteria:
- one
- two

Checks of this task's own:
- npm run check

Notes: a note

## Why the last claim was rejected

the gate "tests" fails (A).

    not ok 1

## Files

- Task list: prd.json
- Progress log: progress.txt
- Specifications in specs: a.md
- Checks that will be run on your work: tests

## Patterns of this codebase

- money is in cents

## Recent learnings

- run the build first
- tests need a clock

## Recent progress

what went before

## Recent commits

- abc feat: x
`);
  expect(renderPrompt(input()).cut).toEqual([]);
});

test("an empty part leaves no heading behind", () => {
  const { text } = renderPrompt(
    input({ rejection: undefined, memory: " \n", learnings: [], commits: [] }),
  );
  expect(text).not.toMatch(/Why the last|Recent/u);
});

test("a project's own prompt is passed on to the last byte", () => {
  const own = "Do it.\r\n\n{{not a template}} $HOME \n\n\n";
  const opening = { text: own, tokens: countTokens(own), kind: "own" } as const;
  expect(renderPrompt(input({ opening })).text.startsWith(`${own}\n\n## Your task\n`)).toBe(true);
});

test("what is cut is said, with where the whole can be read", () => {
  const long = "word ".repeat(20_000);
  const { text, cut } = renderPrompt(
    input({ task: { ...task, description: long }, memory: `${long}the newest`, commits: [long] }),
  );
  expect(cut).toEqual(["Your task", "Recent progress", "Recent commits"]);
  for (const whole of ["prd.json", "progress.txt", "git log"])
    expect(text).toContain(`[cut to fit: the whole is in ${whole}]`);
  expect(text, "of the memory the end is kept").toContain("the newest\n");
  expect(text).toContain("A: first\n");
});

/** Texts of any kind and up to some hundred thousand characters. */
const huge = fc
  .tuple(
    fc.oneof(
      fc.string({ minLength: 1, maxLength: 40 }),
      fc.string({ minLength: 1, maxLength: 40, unit: "grapheme" }),
      fc.constantFrom(
        "漢字かな交じり",
        "a",
        "\n",
        "{}[]();",
        "supercalifragilistic",
        "😀",
        "    \n\n",
      ),
    ),
    fc.integer({ min: 0, max: 20_000 }),
  )
  .map(([piece, times]) => piece.repeat(times));

test("the whole stays within its budget whatever the size of what it is made of", () => {
  fc.assert(
    fc.property(
      fc.record({
        description: huge,
        notes: huge,
        criterion: huge,
        reason: huge,
        line: huge,
        memory: huge,
        commit: huge,
        spec: huge,
        tokensMax: fc.integer({ min: 1000, max: 20_000 }),
      }),
      ({ description, notes, criterion, reason, line, memory, commit, spec, tokensMax }) => {
        const prompt = renderPrompt(
          input({
            task: { ...task, description, notes, criteria: [criterion, criterion] },
            rejection: { reason, lines: [line, line] },
            memory,
            commits: [commit, commit],
            specs: [spec],
            tokensMax,
          }),
        );
        expect(prompt.tokens).toBeLessThanOrEqual(tokensMax);
        // What it tells about its size is true, by an estimate of its own.
        expect(estimateTokenCount(prompt.text)).toBeLessThanOrEqual(tokensMax * 1.02);
      },
    ),
    { numRuns: 40 },
  );
});
