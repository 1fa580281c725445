import fc from "fast-check";
import { expect, test } from "vitest";
import { checkFeature, indexStories, parsePrd, parseStories, readNames } from "./parse-prd.ts";

const prd = (...stories: unknown[]): string => JSON.stringify({ userStories: stories }, null, 2);
const story = (id: string, more: object = {}) => ({ id, title: `t-${id}`, passes: false, ...more });

function problems(text: string) {
  const parsed = parsePrd(text, "prd.json");
  return parsed.ok ? [] : parsed.error;
}

test("a story of every key and one of the fewest", () => {
  const full = story("A", {
    description: "d",
    acceptanceCriteria: ["one"],
    priority: 2,
    passes: true,
    dependsOn: ["B"],
    notes: "n",
    checks: ["npm test", "npm run lint"],
    ownKey: { kept: true },
  });
  expect(parsePrd(prd(full, story("B")), "prd.json")).toEqual({
    ok: true,
    value: {
      frame: "{}",
      tasks: [
        {
          id: "A",
          title: "t-A",
          description: "d",
          criteria: ["one"],
          priority: 2,
          status: "done",
          dependsOn: ["B"],
          notes: "n",
          checks: ["npm test", "npm run lint"],
          frozen:
            '{"acceptanceCriteria":["one"],"checks":["npm test","npm run lint"],"dependsOn":["B"],"description":"d","id":"A","ownKey":{"kept":true},"priority":2,"title":"t-A"}',
        },
        {
          id: "B",
          title: "t-B",
          description: "",
          criteria: [],
          priority: undefined,
          status: "open",
          dependsOn: [],
          notes: "",
          checks: [],
          frozen: '{"id":"B","title":"t-B"}',
        },
      ],
    },
  });
});

test.each([["in-progress"], ["in_progress"]])(
  "the status %s is in progress until it passes",
  (status) => {
    const parsed = parsePrd(
      prd(story("A", { status }), story("B", { status, passes: true })),
      "prd.json",
    );
    expect(parsed.ok && parsed.value.tasks.map((task) => task.status)).toEqual([
      "in-progress",
      "done",
    ]);
  },
);

test("a byte order mark and Windows line ends change nothing", () => {
  const text = `\uFEFF${prd(story("A")).replaceAll("\n", "\r\n")}`;
  expect(parsePrd(text, "prd.json").ok).toBe(true);
  expect(indexStories(text)).toEqual(new Map([["A", 0]]));
});

test("every mistake is told with its own place", () => {
  const text = prd(story("A", { priority: "high" }), { id: "B", passes: 1 }, 7);
  expect(problems(text).map(({ line, problem }) => [line, problem])).toEqual([
    [7, 'userStories[0].priority is "high"'],
    [9, "userStories[1].title is missing"],
    [11, "userStories[1].passes is 1"],
    [13, "userStories[2] is 7"],
  ]);
});

test.each([[7], [["npm test", 7]], [{ command: "npm test" }], [null]])(
  "checks that are %j are refused",
  (checks) => {
    expect(problems(prd(story("A", { checks })))).toEqual([
      {
        file: "prd.json",
        line: 7,
        column: 17,
        problem: `userStories[0].checks is ${JSON.stringify(checks)}`,
        expected: "a command, or a list of commands",
        remedy: "mend the file and start again; nothing was changed",
      },
    ]);
  },
);

test("the stories as they stand in the file keep the keys that nobody knows, and no others", () => {
  const stories = [story("A", { ownKey: { kept: true } }), story("B", { notes: "" })];
  expect(parseStories(prd(...stories), "prd.json")).toEqual({ ok: true, value: stories });
});

test("a file nested too deeply is refused, not run into", () => {
  const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  expect(problems(`{"userStories": [{"id":"A","title":"t","passes":false,"x":${deep}}]}`)).toEqual([
    {
      file: "prd.json",
      problem: "the file is nested too deeply",
      expected: "at most 500 levels",
      remedy: "mend the file and start again; nothing was changed",
    },
  ]);
  expect(problems(`${deep},`).map(({ problem }) => problem)).toEqual(["this is nested too deeply"]);
});

test.each(["x".repeat(101), "a\nb", "a\u001B[31m", "a\u0000", "a\u2028b", ""])(
  "the id %j is refused",
  (id) => {
    const [first, ...more] = problems(prd(story(id)));
    expect(more).toEqual([]);
    expect(first).toMatchObject({ line: 4, expected: "a text of 1 to 100 characters on one line" });
    expect(first?.problem.length).toBeLessThan(200);
  },
);

test("an id used twice and a dependency on nothing are told", () => {
  const text = prd(story("A"), story("A", { dependsOn: ["Z"] }));
  expect(problems(text).map(({ problem }) => problem)).toEqual([
    'the id "A" is used twice',
    '"A" depends on "Z", which is not in the list',
  ]);
});

test("no text makes it throw, and every refusal has place, expectation and remedy", () => {
  const anything = fc.oneof(
    fc.string(),
    fc.json(),
    fc.json().map((json) => `{"userStories": ${json}}`),
  );
  fc.assert(
    fc.property(anything, (text) => {
      for (const { file, expected, remedy, problem } of problems(text)) {
        expect(file).toBe("prd.json");
        for (const words of [expected, remedy, problem]) expect(words).not.toBe("");
      }
    }),
  );
});

test("the list says which feature and which branch it is for", () => {
  const text = '{\n  "feature": "shop",\n  "branchName": "work",\n  "userStories": []\n}';
  expect(readNames(text)).toEqual({ feature: "shop", branch: "work" });
  expect(readNames("{")).toEqual({ feature: undefined, branch: undefined });
  expect(checkFeature(text, "prd.json", "shop")).toEqual([]);
  expect(checkFeature('{"userStories": []}', "prd.json", "shop")).toEqual([]);
  expect(checkFeature(text, "prd.json", "store")).toMatchObject([
    { file: "prd.json", line: 2, problem: 'feature is "shop", but its folder is "store"' },
  ]);
});
