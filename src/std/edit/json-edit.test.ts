import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findJsonProblem, locateJson, setJsonValue } from "./json-edit.ts";

describe("setJsonValue", () => {
  test("changes one value and no other byte", () => {
    const text =
      '\uFEFF{\r\n\t"a" : [ {"x":1 , "passes":false},\r\n  {"passes" :\tfalse, "y":"é\\u00e9"} ]  ,"z":1e2}\r\n';
    expect(setJsonValue(text, ["a", 1, "passes"], true)).toEqual({
      ok: true,
      value: text.replace('"passes" :\tfalse', '"passes" :\ttrue'),
    });
  });

  test("adds a missing key at the end of its object, spaced as the first one", () => {
    expect(setJsonValue('{\n  "a": 1\n}\n', ["b"], "x")).toEqual({
      ok: true,
      value: '{\n  "a": 1,\n  "b": "x"\n}\n',
    });
    expect(setJsonValue('{"a":1}', ["b"], true)).toEqual({ ok: true, value: '{"a":1,"b": true}' });
  });

  test("refuses where there is no object to put it in", () => {
    expect(setJsonValue("[]", [0, "a"], 1).ok).toBe(false);
    expect(setJsonValue("", ["a"], 1).ok).toBe(false);
    expect(setJsonValue('{"a":1}', ["a", "b"], 1).ok).toBe(false);
  });

  const blank = fc.constantFrom("", " ", "\n", "\r\n", "\t", "  ");
  /** A JSON text with odd spacing, the way to one of its values, and what stands before and behind that value. */
  const place = fc
    .record({
      keys: fc.uniqueArray(fc.string({ maxLength: 6 }), { minLength: 1, maxLength: 5 }),
      values: fc.array(fc.jsonValue({ maxDepth: 2 }), { minLength: 5, maxLength: 5 }),
      gaps: fc.array(blank, { minLength: 8, maxLength: 8 }),
      chosen: fc.nat(4),
      story: fc.nat(2),
    })
    .map(({ keys, values, gaps, chosen, story }) => {
      const [a = "", b = "", c = "", d = ""] = gaps;
      const index = chosen % keys.length;
      const member = (key: string, i: number): string =>
        `${a}${JSON.stringify(key)}${b}:${c}${JSON.stringify(values[i])}${d}`;
      const object = `{${keys.map(member).join(",")}}`;
      const before = `{${a}"list"${b}:${c}[${`${object},`.repeat(story)}{${keys
        .slice(0, index)
        .map((key, i) => `${member(key, i)},`)
        .join("")}${a}${JSON.stringify(keys[index])}${b}:${c}`;
      const behind = `${d}${keys
        .slice(index + 1)
        .map((key, i) => `,${member(key, index + 1 + i)}`)
        .join("")}}]${d}}\n`;
      return {
        before,
        behind,
        old: JSON.stringify(values[index]),
        path: ["list", story, keys[index] ?? ""],
      };
    });

  test("only the bytes of the value change, whatever the text", () => {
    fc.assert(
      fc.property(place, fc.jsonValue({ maxDepth: 1 }), ({ before, behind, old, path }, value) => {
        const edited = setJsonValue(before + old + behind, path, value);
        expect(edited).toEqual({ ok: true, value: before + JSON.stringify(value) + behind });
      }),
      { numRuns: 500 },
    );
  });
});

describe("findJsonProblem", () => {
  test.each([
    ['{"a":1,}', 1, 8, "comma too many"],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3, "comma is missing"],
    ['{"a" 1}', 1, 6, "colon is missing"],
    ['{"a": 1} 2', 1, 10, "more text follows"],
    ['{"a": [1', 1, 9, "closing ]"],
    ['{"a": 1', 1, 8, "closing }"],
    ['{"a": x}', 1, 7, "not valid JSON"],
    ['{"a": "x', 1, 7, "string is not closed"],
    ['{"a": 1 // c\n}', 1, 9, "comments are not allowed"],
  ])("%j is broken at %i:%i", (text, line, column, words) => {
    expect(findJsonProblem(text)).toMatchObject({ line, column });
    expect(findJsonProblem(text)?.message).toContain(words);
  });

  test("says nothing about what JSON.parse takes, and something about what it does not", () => {
    const piece = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"a"',
      "1",
      "true",
      "null",
      " ",
      "\n",
      "-",
      "x",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join("");
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        expect(findJsonProblem(text) === undefined).toBe(isJson);
      }),
      { numRuns: 3000 },
    );
  });
});

test("a value is located, or else its nearest parent", () => {
  const text = '{\n  "a": [\n    {"b": 1}\n  ]\n}';
  expect(locateJson(text, ["a", 0, "b"])).toEqual({ line: 3, column: 11 });
  expect(locateJson(text, ["a", 0, "c"])).toEqual({ line: 3, column: 5 });
  expect(locateJson(text, ["z"])).toEqual({ line: 1, column: 1 });
  expect(locateJson("", ["z"])).toEqual({ line: 1, column: 1 });
});
