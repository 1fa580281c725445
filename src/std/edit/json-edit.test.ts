import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  appendJsonItems,
  findJsonProblem,
  isTooDeep,
  locateJson,
  readJsonItems,
  setJsonKeys,
  setJsonValue,
} from "./json-edit.ts";

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

describe("setJsonKeys", () => {
  const set = (text: string, values: Record<string, unknown>): string => {
    const changes = Object.entries(values).map(([key, value]) => ({ path: [], key, value }));
    const result = setJsonKeys(text, changes);
    return result.ok ? result.value : result.error;
  };

  test.each([
    ['{ "a": 1 , "b": 2 }', { a: undefined }, '{ "b": 2 }'],
    ['{ "a": 1 , "b": 2 }', { b: undefined }, '{ "a": 1 }'],
    ['{"a":1, "b":2, "c":3}', { b: undefined }, '{"a":1, "c":3}'],
    ['{"a":1, "b":2, "c":3}', { a: undefined, b: undefined }, '{"c":3}'],
    ['{"a":1, "b":2, "c":3}', { b: undefined, c: undefined }, '{"a":1}'],
    ['{ "a": 1 }', { a: undefined }, "{  }"],
    ['{ "a": 1 }', { a: undefined, b: 2, c: 3 }, '{ "b": 2, "c": 3 }'],
    ['{"a":1,\n "b":2}', { b: undefined, c: 3 }, '{"a":1,"c": 3}'],
    ['{\n  "a": 1,\n  "b": 2\n}', { b: 9, c: 3, a: undefined }, '{\n  "b": 9,\n  "c": 3\n}'],
    ['{"a":1,"b":2,"a":3}', { a: undefined }, '{"b":2}'],
    ['{"a":1,"b":2,"a":3}', { a: 4 }, '{"a":1,"b":2,"a":4}'],
    ["{}", { a: 1 }, '{"a": 1}'],
    ['{"\\u0061":1}', { a: 2 }, '{"\\u0061":2}'],
    ['{"a":1}', { z: undefined }, '{"a":1}'],
  ])("%j with %j is %j", (text, values, expected) => {
    expect(set(text, values)).toBe(expected);
  });

  test("reaches several objects at once", () => {
    const changes = [
      { path: [1], key: "a", value: undefined },
      { path: [0], key: "a", value: 2 },
      { path: [1], key: "c", value: 3 },
    ];
    expect(setJsonKeys('[{"a":1},{"a":1,"b":2}]', changes)).toEqual({
      ok: true,
      value: '[{"a":2},{"b":2,"c": 3}]',
    });
    expect(setJsonKeys("[1]", changes)).toEqual({ ok: false, error: "there is no object at 1" });
  });

  test("what is read afterwards is what was written, whatever is put in and taken out", () => {
    const keys = fc.constantFrom(..."abcdef");
    const values = fc.dictionary(keys, fc.option(fc.integer(), { nil: undefined }));
    fc.assert(
      fc.property(
        fc.dictionary(keys, fc.integer()),
        values,
        fc.constantFrom(0, 2, "\t"),
        (old, young, indent) => {
          const expected: unknown = JSON.parse(JSON.stringify({ ...old, ...young }));
          expect(JSON.parse(set(JSON.stringify(old, null, indent), young))).toEqual(expected);
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe("appendJsonItems", () => {
  const append = (text: string, ...items: { source: string; indent: string }[]) => {
    const result = appendJsonItems(text, ["a"], items);
    return result.ok ? result.value : result.error;
  };
  const item = { source: '{\n    "x": 1\n  }', indent: "  " };

  test.each([
    ['{"a": [ 1 ]}', '{"a": [ 1, {\n  "x": 1\n} ]}'],
    ['{"a": [1, 2 ,\t3]}', '{"a": [1, 2 ,\t3 ,\t{\n  "x": 1\n}]}'],
    ['{"a": []}', '{"a": [{\n  "x": 1\n}]}'],
    ['{"a": [\r\n\t1\r\n]}', '{"a": [\r\n\t1,\r\n\t{\r\n\t  "x": 1\r\n\t}\r\n]}'],
    ['\uFEFF{"a": [\n1\n , 2]}', '\uFEFF{"a": [\n1\n , 2\n , {\n   "x": 1\n }]}'],
    ['{"b": []}', "there is no list at a"],
  ])("to %j gives %j", (text, expected) => {
    expect(append(text, item)).toBe(expected);
  });

  test("items read from one list stand in another as they stand in their own", () => {
    const text = '{"a": [\n  {\n    "x": 1\n  }, [2,\n    3]\n]}';
    const items = readJsonItems(text, ["a"]) ?? [];
    expect(items).toEqual([item, { source: "[2,\n    3]", indent: "  " }]);
    expect(append('{"a": [\n    0\n]}', ...items)).toBe(
      '{"a": [\n    0,\n    {\n      "x": 1\n    },\n    [2,\n      3]\n]}',
    );
    expect(readJsonItems(text, ["b"])).toBeUndefined();
    expect(append(text)).toBe(text);
  });
});

test("a text nested too deeply is neither read nor edited, and nothing throws", () => {
  const deep = "[".repeat(50_000) + "]".repeat(50_000);
  expect(isTooDeep(JSON.parse(deep))).toBe(true);
  expect(isTooDeep({ a: [{ b: [] }] })).toBe(false);
  expect(findJsonProblem(deep)).toEqual({
    line: 1,
    column: 1,
    message: "this is nested too deeply",
  });
  expect(setJsonValue(`{"a": ${deep}}`, ["b"], 1)).toEqual({
    ok: false,
    error: "the text is not JSON",
  });
  expect(readJsonItems(deep, [])).toBeUndefined();
  expect(locateJson(deep, [0])).toEqual({ line: 1, column: 1 });
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
