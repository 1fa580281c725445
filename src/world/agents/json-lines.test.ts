import fc from "fast-check";
import { expect, test } from "vitest";
import { parseLine } from "./json-lines.ts";

const found = (objects: object[], garbled: boolean) => ({ objects, garbled });

test.each([
  ['{"a":1}', found([{ a: 1 }], false)],
  ['  {"a":1}\r', found([{ a: 1 }], false)],
  ["", found([], false)],
  ["   ", found([], false)],
  ["{}", found([{}], false)],
  ['{"a":1}{"b":2}', found([{ a: 1 }, { b: 2 }], false)],
  ['{"a":1} {"b":2} ', found([{ a: 1 }, { b: 2 }], false)],
  ['{"a":1,"t":"cut he{"b":{"c":"}"}}', found([{ b: { c: "}" } }], true)],
  ['{"a":{"x":1},"t":[{"b":2}', found([{ x: 1 }, { b: 2 }], true)],
  ['warning: {"b":2}', found([{ b: 2 }], true)],
  ['{"b":2} bye', found([{ b: 2 }], true)],
  ["no object at all", found([], true)],
  ["[1]", found([], true)],
  ['"text"', found([], true)],
  ["null", found([], true)],
  ['{"a":"\\"{\\"b\\":1}"}', found([{ a: '"{"b":1}' }], false)],
  ['{"a":"\\\\"}{"b":"{"}', found([{ a: "\\" }, { b: "{" }], false)],
])("%j", (line, expected) => {
  expect(parseLine(line)).toEqual(expected);
});

test("any objects on one line are found again", () => {
  fc.assert(
    fc.property(
      fc.array(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1, maxKeys: 4 }), {
        minLength: 1,
        maxLength: 6,
      }),
      fc.constantFrom("", " "),
      (objects, gap) => {
        const texts = objects.map((object) => JSON.stringify(object));
        const plain = texts.map((text): unknown => JSON.parse(text));
        expect(parseLine(texts.join(gap))).toEqual({ objects: plain, garbled: false });
      },
    ),
  );
});

test("an object that follows one cut anywhere is found, as the last one", () => {
  const result = { type: "result", text: 'with "quotes", {braces} and \\ more', list: [{ x: 1 }] };
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue(), { minKeys: 1, maxKeys: 4 }),
      fc.nat(),
      (object, cut) => {
        const text = JSON.stringify(object);
        const line = text.slice(0, cut % text.length) + JSON.stringify(result);
        expect(parseLine(line).objects.at(-1)).toEqual(result);
      },
    ),
    { numRuns: 1000 },
  );
});

test("of more objects than are kept the last are kept", () => {
  const { objects, garbled } = parseLine(
    `{"rows":[${Array.from({ length: 5000 }, (_, n) => `{"n":${n}}`).join(",")},{"last":true}`,
  );
  expect(objects.length).toBe(100);
  expect(objects.at(-1)).toEqual({ last: true });
  expect(garbled).toBe(true);
});

// The limit is the claim: followed to the end, these lines would take minutes.
test("a line made to be slow is given up, not followed for ever", { timeout: 10_000 }, () => {
  for (const piece of ['{"', '{"a":[', '{"a":"', '{"\\']) {
    expect(parseLine(piece.repeat(Math.ceil(4_000_000 / piece.length))).garbled).toBe(true);
  }
});

test("never throws", () => {
  const piece = fc.constantFrom(
    '{"',
    "{",
    "}",
    '"',
    "\\",
    ":",
    ",",
    "a",
    "1",
    "[",
    "]",
    " ",
    "\uD800",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      expect(() => parseLine(pieces.join(""))).not.toThrow();
    }),
    { numRuns: 2000 },
  );
});
