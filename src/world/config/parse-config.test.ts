import fc from "fast-check";
import { expect, test } from "vitest";
import { parseConfig } from "./parse-config.ts";

function problems(text: string) {
  const parsed = parseConfig(text, "config.yaml");
  return parsed.ok ? [] : parsed.error;
}

test("an empty file and one of comments set nothing", () => {
  expect(parseConfig("", "config.yaml")).toEqual({ ok: true, value: {} });
  expect(parseConfig("# nothing\n", "config.yaml")).toEqual({ ok: true, value: {} });
});

test("durations are read in the unit their key has always had", () => {
  const text =
    "defaults: {timeout_minutes: 15, max_time: 2h, pause_between: 5}\nclocks: {idle: 90s}\n";
  expect(parseConfig(text, "config.yaml")).toEqual({
    ok: true,
    value: {
      defaults: { timeout_minutes: 900_000, max_time: 7_200_000, pause_between: 5_000 },
      clocks: { idle: 90_000 },
    },
  });
});

test("a wrong value is told with its place, what it is, what was expected and what to do", () => {
  expect(problems("agent: scripted\ndefaults:\n  max_iterations: many\n")).toEqual([
    {
      file: "config.yaml",
      line: 3,
      column: 3,
      problem: 'defaults.max_iterations is "many"',
      expected: "a whole number above zero",
      remedy: "mend the file and start again; nothing was changed",
    },
  ]);
});

test("an unknown key is told with the one that was meant", () => {
  expect(problems("defaults:\n  max_iteration: 5\n")).toEqual([
    {
      file: "config.yaml",
      line: 2,
      column: 3,
      problem: "defaults.max_iteration is no setting",
      expected:
        "one of max_iterations, timeout_minutes, rate_limit_per_hour, max_time, pause_between",
      remedy: 'did you mean "max_iterations"?',
    },
  ]);
});

test("a key inside a choice is told as precisely as any other", () => {
  expect(problems("agent: {nam: claude}\n")).toMatchObject([
    { line: 1, column: 9, problem: "agent.nam is no setting", remedy: 'did you mean "name"?' },
  ]);
  expect(problems("agent: {arguments: one}\n")).toMatchObject([
    { problem: 'agent.arguments is "one"', expected: "a list of texts" },
  ]);
});

test("all mistakes are told, and broken YAML with its place", () => {
  const lines = problems("a: 1\nb: 2\nprompt: {tokens: 3}\n").map(({ line }) => line);
  expect(new Set(lines)).toEqual(new Set([1, 2, 3]));
  expect(problems("defaults: {a: [1\n")[0]).toMatchObject({ expected: "valid YAML" });
  expect(problems("a: 1\na: 2\n")[0]).toMatchObject({ line: 2, expected: "valid YAML" });
});

test("no text makes it throw, and every refusal has place, expectation and remedy", () => {
  const keys = fc.constantFrom("defaults", "agent", "clocks", "quality_checks", "x");
  const text = fc.oneof(
    fc.string(),
    fc.dictionary(keys, fc.jsonValue()).map((value) => JSON.stringify(value)),
  );
  fc.assert(
    fc.property(text, (yaml) => {
      for (const { line, column, expected, remedy, problem } of problems(yaml)) {
        expect(line).toBeGreaterThan(0);
        expect(column).toBeGreaterThan(0);
        for (const words of [expected, remedy, problem]) expect(words).not.toBe("");
      }
    }),
  );
});
