import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergeLists } from "./merge-lists.ts";
import { parsePrd } from "./parse-prd.ts";
import { readList } from "./stories.ts";

const BASE = `{
  "feature": "pay",
  "userStories": [
    { "id": "A", "title": "a", "passes": false, "notes": "old" },
    {
      "id": "B",
      "passes":true,
      "title": "b"
    }
  ]
}
`;
const merged = (base: string, states: string, marks: "keep" | "drop" = "keep"): string => {
  const result = mergeLists(base, states, marks);
  if (!result.ok) throw new Error(result.error);
  return result.value;
};

describe("of the states of the other text", () => {
  const states = JSON.stringify({
    feature: "other",
    userStories: [
      { id: "B", title: "other", passes: false, status: "in-progress", notes: "é\n" },
      { id: "A", title: "a", passes: true, priority: 7 },
    ],
  });
  const changed = BASE.replace(', "notes": "old"', "").replace(
    '"title": "b"',
    '"title": "b",\n      "status": "in-progress",\n      "notes": "é\\n"',
  );

  test("passes, status and notes are taken and nothing else", () => {
    expect(merged(BASE, states)).toBe(
      changed
        .replace('"passes": false', '"passes": true')
        .replace('"passes":true', '"passes":false'),
    );
  });

  test("a mark is dropped, a reopening is not", () => {
    expect(merged(BASE, states, "drop")).toBe(changed.replace('"passes":true', '"passes":false'));
  });

  test("a story that was done and still is stays done", () => {
    expect(merged(BASE, BASE, "drop")).toBe(BASE);
  });
});

test("a new story comes last, in its own words, indented as the list is", () => {
  const states = `{"userStories": [
\t{
\t  "id": "N", "passes" : true,
\t  "own": [1.0,
\t    2], "title": "n\\u00e9"
\t},
\t{"id": "A", "title": "a", "passes": false, "notes": "old"},
\t{"id": "B", "title": "b", "passes": true},
\t{"id": "M", "title": "m", "passes": false} ]}`;
  const appended = (mark: string): string =>
    BASE.replace(
      "    }\n  ]",
      `    },
    {
      "id": "N", "passes" : ${mark},
      "own": [1.0,
        2], "title": "n\\u00e9"
    },
    {"id": "M", "title": "m", "passes": false}
  ]`,
    );
  expect(merged(BASE, states)).toBe(appended("true"));
  expect(merged(BASE, states, "drop")).toBe(appended("false"));
});

test("a new story takes the line ends of the list; a list on one line leaves them alone", () => {
  const base = BASE.replaceAll("\n", "\r\n");
  const states = BASE.replace('"A"', '"N"').replace('"B"', '"M"');
  const crlf = merged(`\uFEFF${base}`, states);
  expect(crlf.startsWith("\uFEFF{\r\n")).toBe(true);
  expect(crlf.replaceAll("\r\n", "")).not.toContain("\n");
  const line = '{"userStories":[{"id":"A","title":"a","passes":false}]}';
  const added = '{\n  "id": "N",\n  "title": "n",\n  "passes": true\n}';
  expect(merged(line, `{"userStories":[${added}]}`)).toBe(line.replace("]}", `,${added}]}`));
});

test("of keys that stand there twice the last one counts", () => {
  const base =
    '{"userStories":[{"id":"A","title":"a","passes":true,"notes":"1","passes":false,"notes":"2"}]}';
  const states = '{"userStories":[{"id":"A","title":"a","passes":true}]}';
  expect(merged(base, states)).toBe(
    '{"userStories":[{"id":"A","title":"a","passes":true,"passes":true}]}',
  );
  const twice =
    '{"userStories":[{"passes":false}],"userStories":[{"id":"A","title":"a","passes":false}]}';
  expect(merged(twice, states)).toBe(twice.replace('"a","passes":false', '"a","passes":true'));
});

test.each([
  "",
  "{",
  '{"userStories": []}',
  '{"userStories": [{"id": "A", "passes": true}]}',
  `{"userStories": [{"id": "A", "title": "a", "passes": true, "x": ${"[".repeat(20_000)}${"]".repeat(20_000)}}]}`,
])("states that cannot be read change nothing (case %$)", (states) => {
  expect(mergeLists(BASE, states, "keep")).toEqual({ ok: true, value: BASE });
});

test("a base that cannot be read is refused with the reason", () => {
  expect(mergeLists('{"userStories": [7]}', BASE, "keep")).toEqual({
    ok: false,
    error: "userStories[0] is 7",
  });
});

test("two thousand stories are merged in one go", () => {
  const list = (passes: boolean): string =>
    JSON.stringify({
      userStories: Array.from({ length: 2000 }, (_, n) => ({ id: `s${n}`, title: "t", passes })),
    });
  expect(merged(list(false), list(true))).toBe(list(true));
});

const blank = fc.constantFrom("", " ", "\n", "\r\n", "\t", "  ", "\n    ", "\n  ", "\r\n\t");
/** Ways to write a list: by an indent, by odd blanks everywhere, with and without a mark at the start. */
const style = fc.record({
  bom: fc.constantFrom("", "\uFEFF"),
  indent: fc.constantFrom(0, 1, 2, 4, "\t"),
  lineEnd: fc.constantFrom("\n", "\r\n"),
  gaps: fc.option(fc.array(blank, { minLength: 6, maxLength: 6 })),
  end: fc.constantFrom("", "\n", "\r\n\r\n"),
});
type Style = typeof style extends fc.Arbitrary<infer T> ? T : never;

function write(value: unknown, { bom, indent, lineEnd, gaps, end }: Style): string {
  const text =
    gaps === null
      ? JSON.stringify(value, null, indent).replaceAll("\n", lineEnd)
      : writeOddly(value, gaps);
  return bom + text + end;
}

function writeOddly(value: unknown, gaps: readonly string[]): string {
  const [a = "", b = "", c = "", d = "", e = "", f = ""] = gaps;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) {
    return `[${a}${value.map((item) => writeOddly(item, gaps)).join(`${b},${c}`)}${d}]`;
  }
  const members = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}${e}:${f}${writeOddly(item, gaps)}`,
  );
  return `{${c}${members.join(`${a},${d}`)}${b}}`;
}

const state = fc.record(
  {
    passes: fc.boolean(),
    status: fc.constantFrom("open", "in-progress"),
    notes: fc.string({ maxLength: 5 }),
  },
  { requiredKeys: ["passes"] },
);
const story = (ids: string) =>
  fc.record({
    id: fc.constantFrom(...ids),
    title: fc.string({ maxLength: 5 }),
    state,
    own: fc.dictionary(
      fc.string({ maxLength: 3 }).map((key) => `x${key}`),
      fc.jsonValue({ maxDepth: 1 }),
      { maxKeys: 2 },
    ),
    turn: fc.integer({ min: 0, max: 2 }),
  });
type Plan = ReturnType<typeof story> extends fc.Arbitrary<infer T> ? T : never;

/** Its state stands before, between or behind its other keys, so that taking a key out meets every place. */
function build(plan: Plan): Record<string, unknown> {
  const parts = [{ id: plan.id, title: plan.title }, plan.state, plan.own];
  return Object.assign({}, ...parts.slice(plan.turn), ...parts.slice(0, plan.turn));
}

const stories = (ids: string, minLength: number) =>
  fc.uniqueArray(story(ids), { minLength, maxLength: 4, selector: ({ id }) => id });
const frame = fc.constantFrom({}, { feature: "x" }, { feature: "y", branchName: "z" });

/** A list, what an agent lawfully made of it, and what it made of it without heed of the law. */
const edits = fc
  .record({
    frame,
    ours: stories("abcd", 1),
    states: fc.array(state, { minLength: 4, maxLength: 4 }),
    added: stories("efgh", 0),
    foreign: stories("abcdefgh", 1),
    foreignFrame: frame,
    styles: fc.tuple(style, style),
    marks: fc.constantFrom("keep" as const, "drop" as const),
  })
  .map(({ ours, states, added, styles: [one, other], ...rest }) => {
    const moved = ours.map((plan, index) => ({ ...plan, state: states[index] ?? plan.state }));
    const [head, ...tail] = added;
    const lawful = [...(head === undefined ? [] : [head]), ...moved, ...tail];
    return {
      base: write({ ...rest.frame, userStories: ours.map(build) }, one),
      lawful: write({ ...rest.frame, userStories: lawful.map(build) }, other),
      lawless: write({ userStories: rest.foreign.map(build), ...rest.foreignFrame }, other),
      marks: rest.marks,
    };
  });

describe("whatever the texts", () => {
  const RUNS = { numRuns: 500 };

  test("merging twice is merging once", () => {
    fc.assert(
      fc.property(edits, ({ base, lawful, lawless, marks }) => {
        for (const states of [lawful, lawless]) {
          const once = merged(base, states, marks);
          expect(merged(base, once, marks)).toBe(once);
        }
      }),
      RUNS,
    );
  });

  test("the result is a sound list, and what is frozen is as in the base", () => {
    fc.assert(
      fc.property(edits, ({ base, lawful, lawless, marks }) => {
        for (const states of [lawful, lawless]) {
          const result = parsePrd(merged(base, states, marks), "prd.json");
          const [old, list] = [readList(base), result.ok ? result.value : undefined];
          expect(list?.frame).toBe(old.frame);
          expect(list?.tasks.slice(0, old.tasks.length).map(({ frozen }) => frozen)).toEqual(
            old.tasks.map(({ frozen }) => frozen),
          );
        }
      }),
      RUNS,
    );
  });

  test("what an agent may do is all there when its marks are kept", () => {
    fc.assert(
      fc.property(edits, ({ base, lawful }) => {
        const known = new Set(readList(base).tasks.map(({ id }) => id));
        const { tasks } = readList(lawful);
        const sorted = [
          ...tasks.filter(({ id }) => known.has(id)),
          ...tasks.filter(({ id }) => !known.has(id)),
        ];
        expect(readList(merged(base, lawful)).tasks).toEqual(sorted);
      }),
      RUNS,
    );
  });

  test("nothing is done that the base does not call done when marks are dropped", () => {
    fc.assert(
      fc.property(edits, ({ base, lawless }) => {
        const done = (text: string): string[] =>
          readList(text).tasks.flatMap(({ id, status }) => (status === "done" ? [id] : []));
        const open = new Set<string>(
          readList(lawless).tasks.flatMap(({ id, status }) => (status === "done" ? [] : [id])),
        );
        expect(done(merged(base, lawless, "drop"))).toEqual(
          done(base).filter((id) => !open.has(id)),
        );
      }),
      RUNS,
    );
  });

  test("a list merged with itself does not change by a byte", () => {
    fc.assert(
      fc.property(edits, ({ base, marks }) => {
        expect(merged(base, base, marks)).toBe(base);
      }),
      RUNS,
    );
  });
});
