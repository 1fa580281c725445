import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findErrors } from "./error-lines.ts";

const samples = (name: string): string[] =>
  readFileSync(new URL(`../../../test/rig/errors/${name}.txt`, import.meta.url), "utf8")
    .trimEnd()
    .split("\n\n");

describe("an error in a real stream is found", () => {
  test.each(samples("true"))("%j", (sample) => {
    expect(findErrors(sample).length).toBeGreaterThan(0);
  });

  test("in at least 20 samples", () => {
    expect(samples("true").length).toBeGreaterThanOrEqual(20);
  });
});

describe("the word in a real stream is no error", () => {
  test.each(samples("false"))("%j", (sample) => {
    expect(findErrors(sample)).toEqual([]);
  });

  test("in at least 20 samples", () => {
    expect(samples("false").length).toBeGreaterThanOrEqual(20);
  });

  test("nor in all of them together", () => {
    expect(findErrors(samples("false").join("\n"))).toEqual([]);
  });
});

test.each([
  ["result", { type: "result", is_error: true, result: "API Error: 500" }, ["API Error: 500"]],
  ["subtype", { subtype: "error_max_turns", errors: ["Too many turns"] }, ["Too many turns"]],
  ["subtype alone", { subtype: "error_max_turns" }, ["error_max_turns"]],
  ["type", { type: "error", message: "no route" }, ["no route"]],
  ["error string", { error: "rate_limit" }, ["rate_limit"]],
  ["error object", { error: { message: "at capacity" } }, ["at capacity"]],
  ["list of events", [{ type: "user" }, { type: "error", message: "late" }], ["late"]],
  ["is_error false", { is_error: false, result: "Error: none left" }, []],
  ["error null", { error: null }, []],
  ["error empty", { error: "" }, []],
  ["error without words", { error: { code: 3 } }, []],
  ["errors empty", { errors: [] }, []],
  ["error_count", { error_count: 0 }, []],
  ["nested result", { type: "user", message: { content: [{ is_error: true }] } }, []],
  ["nested text", { type: "assistant", message: { content: [{ text: "Error: x" }] } }, []],
  ["tool event", { type: "tool_result", status: "error", error: { message: "exit 1" } }, []],
])("a JSON line is judged by its own fields: %s", (_, value, errors) => {
  expect(findErrors(JSON.stringify(value))).toEqual(errors);
});

test("a JSON line longer than a plain line is still read whole", () => {
  const event = { padding: "x".repeat(5000), is_error: true, result: "late" };
  expect(findErrors(JSON.stringify(event))).toEqual(["late"]);
});

test.each([
  ["after a time", "[12:00:01] Error: boom"],
  ["after a date", "2026-11-15 12:00:01,123 TypeError: boom"],
  ["after a level", "ERROR worker: boom"],
  ["in a level in brackets", "[ERROR] boom"],
  ["after a name in brackets", "[vite] Error: boom"],
  ["after a cross", "  ✖ Error: boom"],
  ["in a box", "│ Error: boom"],
  ["from Java", "java.lang.IllegalStateException: boom"],
  ["from a Python logger", "2026-11-15 12:00:01,123 - app - ERROR - boom"],
  ["from logfmt", 'time=2026-11-15T12:00:01Z level=error msg="boom"'],
  ["from eslint", "  3:5 error 'x' is not defined no-undef"],
  ["from zsh", "zsh: command not found: nope"],
  ["from a login shell", "-bash: nope: command not found"],
  ["from ssh", "git@host: Permission denied (publickey)."],
  ["from a linker", "ld: fatal error: no input files"],
  ["from old npm", "npm ERR! missing script: build"],
  ["by the kernel", "Killed"],
  ["by memory", "Out of memory"],
  ["with a core", "Segmentation fault (core dumped)"],
])("a report is found %s", (_, line) => {
  expect(findErrors(line)).toEqual([line.trim()]);
});

test.each([
  ["a fenced block", "Before:\n```\nError: boom\n```\nAfter."],
  ["a fenced block in another language", "```ts\nError: boom\n```"],
  ["a tail that begins in a block", "boom\n```\nFine.\n```sh\nError: boom\n```"],
  ["an added line", "+Error: boom"],
  ["a removed line", "-Error: boom"],
  ["a bullet", "- Error: boom is handled now"],
  ["a star bullet", "  * Error: boom is handled now"],
  ["a numbered item", "1. Error: boom is handled now"],
  ["a heading", "# Error: boom"],
  ["a quotation", "> Error: boom"],
  ["a table", "| Error: boom | 3 |"],
  ["a sentence", "I fixed the error: the path was wrong."],
  ["a sentence about handling", "Error handling in the parser: rewritten."],
  ["a loud heading", "ERROR HANDLING"],
  ["a commit", "fix(errors): report an error once"],
  ["a typed field", "  error: string;"],
  ["a union", "error: Error | undefined;"],
  ["an object's field", "  error: describe(err),"],
  ["a field without a comma", "  error: new Error(text)"],
  ["a list in a sentence", "Steps: (1) read the error, (2) fix it"],
  ["a status", "status: not found"],
  ["a place in a text", "README.md:3: Error handling is described here"],
  ["a description", "    ValueError: If the input is empty."],
  ["a variable", "parseError: null"],
  ["a callback", "error: (problem) => {"],
  ["a Rust type", "fn read() -> Result<String, Error> {"],
  ["an import", 'import { findErrors } from "./error-lines.ts";'],
  ["a call", 'console.error("Error: boom");'],
  ["a count of none", "errors: 0"],
  ["a count of none in words", "No errors found"],
  ["zero failures", "0 failed, 12 passed"],
  ["a skipped test", "not ok 3 - slow # SKIP"],
  ["a warning", "warning: Error: boom was ignored"],
  ["a warning after a time", "12:00:01 WARN Error: boom"],
  ["a file", "src/errors/error-lines.ts"],
  ["a killed sentence", "Killed the old process."],
  ["the end of a cut JSON line", 'Error: boom","is_error":true}]}'],
  ["the start of a cut JSON line", '{"type":"error","message":"bo'],
])("%s is no report", (_, text) => {
  expect(findErrors(text)).toEqual([]);
});

test("a fence that nothing closes hides nothing", () => {
  expect(findErrors("```\nError: boom")).toEqual(["Error: boom"]);
});

test.each([
  "SyntaxError: Unexpected token in catch (error) { throw new Error() }",
  "TypeError: (x) => y is not a function",
  "error: type 'string | undefined' is not assignable to type 'string'",
  "AssertionError: expected [Function] to throw new Error",
])("a quotation of code does not make a report less of one: %s", (line) => {
  expect(findErrors(line)).toEqual([line]);
});

test("colours are taken out", () => {
  expect(findErrors("\u001B[31m\u001B[1mTypeError\u001B[22m: boom\u001B[39m")).toEqual([
    "TypeError: boom",
  ]);
});

test("an error that repeats is told once, and at most 20 are told", () => {
  const lines = Array.from({ length: 50 }, (_, n) => `Error: no ${n}\nError: no ${n}`);
  expect(findErrors(lines.join("\n"))).toEqual(
    Array.from({ length: 20 }, (_, n) => `Error: no ${n}`),
  );
});

test("a long error is cut", () => {
  expect(findErrors(`Error: ${"x".repeat(5000)}`).map((line) => line.length)).toEqual([300]);
});

test.each([
  "Error ",
  "a",
  "a.",
  "a: ",
  "0",
  "0:",
  "[",
  "{",
  "×",
  "error: '",
  "(",
  "\u001B[",
  "Error when ",
  "FAIL ",
  "`",
])("64 KiB of %j take no time", (piece) => {
  const line = piece.repeat(65_536 / piece.length);
  expect(findErrors(line).length).toBeLessThanOrEqual(1);
  expect(findErrors(line.replaceAll(/.{1,1000}/gu, "$&\n")).length).toBeLessThanOrEqual(20);
});

test("any text is judged without a throw, within the bounds", () => {
  const words = fc.constantFrom(
    "Error",
    ": ",
    "error",
    "\n",
    "```",
    "{",
    '"',
    "FAIL",
    " ",
    "0",
    "x/y",
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(words).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(text, (given) => {
      const errors = findErrors(given);
      expect(errors.length).toBeLessThanOrEqual(20);
      for (const line of errors) expect(line).toMatch(/^[^\n\u001B]{1,300}$/u);
    }),
  );
});
