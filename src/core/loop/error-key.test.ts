import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { errorKey } from "./error-key.ts";
import { findErrors } from "./error-lines.ts";

const real = readFileSync(new URL("../../../test/rig/errors/true.txt", import.meta.url), "utf8")
  .trimEnd()
  .split("\n\n")
  .flatMap((sample) => findErrors(sample));

test.each([
  ["numbers", "expected 2 to be 3", "expected 17 to be 4.5"],
  ["signs", "errno -2", "errno 13"],
  ["lists", "got 1, 2, 3", "got 4"],
  ["lines and columns", "src/x.ts(3,5): error TS1: no", "src/x.ts(30,51): error TS1: no"],
  ["paths", "cat: /a/b.txt: No such file", "cat: ../c: No such file"],
  ["relative paths", "src/x.ts:3:5: error: no", "lib/deep/y.ts:1:1: error: no"],
  ["file names", "test_a.py:2: AssertionError", "test_b.py:9: AssertionError"],
  ["Windows paths", "open C:\\a\\b.txt failed", "open \\\\host\\c failed"],
  ["file addresses", "at file:///a/b.js:1:2", "at node:internal/vm:209:10"],
  ["addresses", "no answer from http://a.b/c?d=1", "no answer from https://e:80"],
  ["ISO times", "2026-11-15T07:05:58.869538Z ERROR x", "2027-01-02 03:04:05 ERROR x"],
  ["clocks", "[12:00:01] Error: x", "[7:03:59] Error: x"],
  ["spoken times", "try again at Jan 1st, 2030 12:00 AM.", "try again at Feb 12th, 2031 1:30 PM."],
  ["durations", "timed out after 300ms", "timed out after 1m 30s"],
  ["durations in words", "timed out after 3 seconds", "timed out after 2 minutes"],
  ["hashes", "bad object a81a6aa", "bad object 2ed9d54c0ffee0"],
  ["memory", "at 0x7ffd3", "at 0xdeadbeef"],
  [
    "ids",
    "thread 01a1de06-e660-7d50-9ff4-6dca044c5c86 lost",
    "thread aaaaaaaa-bbbb-4ccc-dddd-eeeeeeeeeeee lost",
  ],
  ["request ids", "request req_011CSHoEeqs5C35K", "request req_9zX8y7W6"],
  ["ports", "connect ECONNREFUSED 127.0.0.1:9", "connect ECONNREFUSED 10.0.0.12:8080"],
  ["temporary names", "cannot remove 'tmp.XaBcDe'", "cannot remove '/tmp/ralph-Qq'"],
  ["colours", "\u001B[31mError\u001B[39m: x", "Error: x"],
  ["spaces and case", "ERROR:   x ", "Error: x"],
])("the same error has the same key whatever its %s", (_, one, other) => {
  expect(errorKey(one)).toBe(errorKey(other));
});

test.each([
  ["name", "TypeError: x is 3", "RangeError: x is 3"],
  ["words", "Cannot find name 'foo'", "Cannot find name 'bar'"],
  ["test", "FAILED tests/x.py::test_a", "FAILED tests/x.py::test_b"],
  ["unit that is no number", "input/output error", "permission error"],
  ["property", "a.b is not a function", "a.c is not a function"],
])("another %s gives another key", (_, one, other) => {
  expect(errorKey(one)).not.toBe(errorKey(other));
});

test("keeps the words and marks what it took", () => {
  expect(
    errorKey("2026-11-15T07:05:58Z Error: Cannot find '/a/b.js' (took 12ms, see http://x/y)"),
  ).toBe("# error: cannot find '<path>' (took #, see <url>)");
});

describe("a real error", () => {
  test.each(real)("has a stable key that keeps its words: %s", (line) => {
    const key = errorKey(line);
    expect(key).toMatch(/[a-z]{3}/u);
    expect(key.length).toBeLessThanOrEqual(200);
    expect(errorKey(key)).toBe(key);
  });

  test("that differs has another key", () => {
    const keys = new Map(real.map((line) => [errorKey(line), line]));
    expect(keys.size).toBe(new Set(real).size);
  });

  test("keeps its key when any number is another", () => {
    fc.assert(
      fc.property(fc.constantFrom(...real), fc.infiniteStream(fc.nat()), (line, numbers) => {
        const other = line.replaceAll(/\d+/gu, () => String(numbers.next().value));
        expect(errorKey(other)).toBe(errorKey(line));
      }),
    );
  });
});

const pieces = fc.constantFrom(
  ..."/ \\ : . , - # < > ( ) [ ] ' \" = + _ 1 23 a f0 x ts .ts .c :3 jan am ms s node: tmp. <path> :: \u001B[".split(
    " ",
  ),
  " ",
  "  ",
);
const anyLine = fc.oneof(
  fc.string({ maxLength: 300 }),
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.array(pieces, { maxLength: 300 }).map((parts) => parts.join("")),
);

test("a key is its own key, and never longer than 200 characters", () => {
  fc.assert(
    fc.property(anyLine, (line) => {
      const key = errorKey(line);
      expect(key.length).toBeLessThanOrEqual(200);
      expect(errorKey(key)).toBe(key);
    }),
    { numRuns: 500 },
  );
});

test("a number in any words may be another", () => {
  const words = fc.stringMatching(/^[a-zA-Z .:'()]{0,30}$/u);
  fc.assert(
    fc.property(words, fc.nat(), fc.nat(), words, (before, one, other, after) => {
      expect(errorKey(`${before}${one}${after}`)).toBe(errorKey(`${before}${other}${after}`));
    }),
    { numRuns: 500 },
  );
});

test.each(["a", "1", "a1", "/", "a/", "1:", "a.", "#", "# ", "jan ", "\u001B["])(
  "64 KiB of %j take no time",
  (piece) => {
    expect(errorKey(piece.repeat(65_536)).length).toBeLessThanOrEqual(200);
  },
);
