import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventsOf } from "../rig/agents.ts";
import { TestProject } from "../rig/project.ts";

const LIST = ".ralph/shop/prd.json";

const STORIES = [
  {
    id: "A",
    title: "Pay",
    description: "Take the money",
    acceptanceCriteria: ["one", "two"],
    priority: 1,
    dependsOn: [],
    checks: ["true"],
    owner: "Ann",
    notes: "",
    passes: false,
  },
  { id: "B", title: "Ship", priority: 2, notes: "", passes: false },
  { id: "C", title: "Thank", priority: 3, notes: "", passes: false },
];

interface List {
  feature: string;
  userStories: Record<string, unknown>[];
}

/** The agent changes the list with this function and then marks its task. */
type Edit = (list: List) => void;

/** A project whose agent makes of the list what `edit` makes of it, and marks its task. */
function givenEdit(edit: Edit, steps = ""): { project: TestProject; before: string; left: string } {
  const project = new TestProject();
  const list = (): List => ({ feature: "shop", userStories: structuredClone(STORIES) });
  const before = `${JSON.stringify(list(), null, 2)}\n`;
  const edited = list();
  edit(edited);
  const left = `${JSON.stringify(edited, null, 2)}\n`;
  project.write(LIST, before);
  project.write("edited.json", left);
  project.config("agent: scripted\nquality_checks: {fine: 'true'}\n");
  project.scenario(
    `- do: [{run: 'cp edited.json "$RALPH_TASKS_FILE"; echo x >> work.txt'}${steps}]\n`,
  );
  project.commitAll();
  return { project, before, left };
}

const mark = (list: List, id: string): void => {
  for (const story of list.userStories) if (story["id"] === id) story["passes"] = true;
};
const story = (list: List, id: string): Record<string, unknown> =>
  list.userStories.find((one) => one["id"] === id) ?? {};

const end = (project: TestProject, n = 0): Record<string, unknown> =>
  (eventsOf(project, "iteration-ended")[n]?.["end"] ?? {}) as Record<string, unknown>;
const aside = (project: TestProject, type: string): string => {
  const [event] = eventsOf(project, type);
  return readFileSync(join(project.root, ".git", String(event?.["keptAside"])), "utf8");
};

/** What an agent may not do to the list, and a word of the reason. */
const EDITS: readonly (readonly [string, Edit, string])[] = [
  ["a removed task", (list) => void list.userStories.splice(1, 1), "removed from the list (B)"],
  [
    "another title",
    (list) => void (story(list, "B")["title"] = "Ship later"),
    '"Ship" → "Ship later"',
  ],
  ["another description", (list) => void (story(list, "A")["description"] = "No"), "description"],
  [
    "fewer criteria",
    (list) => void (story(list, "A")["acceptanceCriteria"] = ["one"]),
    "criteria: 2 → 1",
  ],
  [
    "another criterion",
    (list) => void (story(list, "A")["acceptanceCriteria"] = ["one", "2"]),
    "criteria",
  ],
  ["another priority", (list) => void (story(list, "C")["priority"] = 9), "priority: 3 → 9"],
  ["a new dependency", (list) => void (story(list, "C")["dependsOn"] = ["B"]), "dependsOn"],
  ["no checks any more", (list) => void (story(list, "A")["checks"] = []), "checks"],
  ["another key of a story", (list) => void (story(list, "A")["owner"] = "Bob"), "other keys"],
  ["a key beside the stories", (list) => void (list.feature = "other"), "keys beside the stories"],
  [
    "another order",
    (list) => void (list.userStories = list.userStories.toReversed()),
    "the order of the stories",
  ],
];

test.each(EDITS)(
  "T6 %s is found, the claim rejected, the list put back, the edit kept aside",
  async (...row) => {
    const [, edit, words] = row;
    const { project, before, left } = givenEdit((list) => {
      edit(list);
      mark(list, "A");
    });
    expect((await project.ralph(["run", "-n", "1"])).code).toBe(1);
    expect(end(project)).toMatchObject({
      outcome: "rejected",
      claims: [{ kind: "mark", verdict: "rejected" }],
    });
    expect(end(project)["reason"]).toContain(words);
    expect(project.read(LIST)).toBe(before);
    expect(aside(project, "tasks-restored")).toBe(left);
  },
);

test("T6 the next prompt tells what was changed in the list", async () => {
  const { project } = givenEdit((list) => {
    story(list, "B")["title"] = "Ship later";
    mark(list, "A");
  });
  await project.ralph(["run", "-n", "2"]);
  const prompt = readFileSync(join(project.runFolder(), "iterations", "2-2", "prompt"), "utf8");
  expect(prompt).toContain('title: "Ship" → "Ship later"');
});

test("T6 an edit of the list without any claim is rejected all the same", async () => {
  const { project, before } = givenEdit((list) => void (story(list, "A")["title"] = "Less"));
  await project.ralph(["run", "-n", "1"]);
  expect(project.outcomes()).toEqual(["rejected"]);
  expect(project.read(LIST)).toBe(before);
});

test("T6 status, notes and new tasks are the agent's to change, and stay byte for byte", async () => {
  const { project, left } = givenEdit((list) => {
    story(list, "B")["status"] = "in-progress";
    story(list, "B")["notes"] = "look at the $PATH \u2028 first";
    list.userStories.push({ id: "D", title: "New", passes: false });
    mark(list, "A");
  });
  await project.ralph(["run", "-n", "1"]);
  expect(project.outcomes()).toEqual(["accepted"]);
  expect(project.read(LIST)).toBe(left);
  expect(eventsOf(project, "tasks-restored")).toEqual([]);
});

test("T6 other blanks and another order of keys are no edit", async () => {
  const { project } = givenEdit((list) => mark(list, "A"));
  const list = JSON.parse(project.read("edited.json")) as List;
  const turned = list.userStories.map((one) =>
    Object.fromEntries(Object.entries(one).toReversed()),
  );
  const left = JSON.stringify({ userStories: turned, feature: list.feature });
  project.write("edited.json", left);
  project.commitAll("other bytes");
  await project.ralph(["run", "-n", "1"]);
  expect(project.outcomes()).toEqual(["accepted"]);
  expect(project.read(LIST)).toBe(left);
});

test("T6 of a mixed edit the legal part stays: states, notes and new tasks at the end of the list", async () => {
  const { project } = givenEdit((list) => {
    story(list, "B")["notes"] = "worth knowing";
    story(list, "C")["title"] = "Nothing";
    list.userStories.unshift({ id: "D", title: "New", passes: false });
    mark(list, "A");
  });
  await project.ralph(["run", "-n", "1"]);
  expect(project.outcomes()).toEqual(["rejected"]);
  const { userStories } = JSON.parse(project.read(LIST)) as List;
  expect(userStories.map(({ id, title, notes, passes }) => [id, title, notes, passes])).toEqual([
    ["A", "Pay", "", false],
    ["B", "Ship", "worth knowing", false],
    ["C", "Thank", "", false],
    ["D", "New", undefined, false],
  ]);
});

/** A project with gates and tests in it; the agent does the steps and then marks. */
function givenSteps(scenario: string, gate = "fine: 'true'"): TestProject {
  const project = new TestProject();
  project.stories({ id: "A" });
  project.config(`agent: scripted\nquality_checks: {${gate}}\n`);
  project.write(".ralph/shop/prompt.md", "Be careful.\n");
  project.write("check.sh", "#!/bin/sh\n! grep -qs wrong work.txt\n");
  chmodSync(join(project.root, "check.sh"), 0o755);
  project.write(
    "package.json",
    `${JSON.stringify({ name: "x", scripts: { test: "sh check.sh", start: "node ." } }, null, 2)}\n`,
  );
  project.write("test/pay.test.js", `test("pays", () => {\n  expect(pay(1)).toBe(1);\n});\n`);
  project.write("test/ship.test.js", `test("ships", () => {\n  expect(ship()).toBe(2);\n});\n`);
  project.scenario(scenario);
  project.commitAll();
  return project;
}

const AND_MARK = "{write: {path: work.txt, text: x}}, {mark: task}";

test.each([
  [
    "config.yaml",
    "settings",
    ".ralph/config.yaml",
    "agent: scripted\nquality_checks: {fine: 'exit 0'}\n",
  ],
  ["prompt.md", "prompt", ".ralph/shop/prompt.md", "Do as you like.\n"],
])("T6 a changed %s is put back, kept aside, and the claim rejected", async (...row) => {
  const [, file, path, text] = row;
  const project = givenSteps(
    `- do: [{write: {path: ${path}, text: ${JSON.stringify(text)}}}, ${AND_MARK}]\n`,
  );
  const before = project.read(path);
  expect((await project.ralph(["run", "-n", "1"])).code).toBe(1);
  expect(end(project)).toMatchObject({
    outcome: "rejected",
    claims: [{ kind: "mark", verdict: "rejected" }],
  });
  expect(project.read(path)).toBe(before);
  expect(eventsOf(project, "file-restored")).toMatchObject([{ file }]);
  expect(aside(project, "file-restored")).toBe(text);
});

test("T6 a config.yaml that was deleted or left broken is put back", async () => {
  for (const step of [
    "{remove: .ralph/config.yaml}",
    "{write: {path: .ralph/config.yaml, text: '['}}",
  ]) {
    const project = givenSteps(`- do: [${step}, ${AND_MARK}]\n`);
    const before = project.read(".ralph/config.yaml");
    expect((await project.ralph(["run", "-n", "1"])).code).toBe(1);
    expect(project.outcomes()).toEqual(["rejected"]);
    expect(project.read(".ralph/config.yaml")).toBe(before);
  }
});

test("T6 a whole .ralph folder that was deleted: list, settings and prompt are there again", async () => {
  const project = givenSteps(`- do: [{run: 'rm -rf .ralph; echo x > work.txt'}]\n`);
  const files = [LIST, ".ralph/config.yaml", ".ralph/shop/prompt.md"];
  const before = files.map((path) => project.read(path));
  expect((await project.ralph(["run", "-n", "1"])).code).toBe(1);
  expect(project.outcomes()).toEqual(["rejected"]);
  expect(files.map((path) => project.read(path))).toEqual(before);
});

test("T6 a prompt.md that an agent made is taken out of the way", async () => {
  const project = givenEdit((list) => mark(list, "A")).project;
  project.scenario(`- do: [{write: {path: .ralph/shop/prompt.md, text: mine}}, ${AND_MARK}]\n`);
  project.commitAll("own prompt");
  await project.ralph(["run", "-n", "1"]);
  expect(project.outcomes()).toEqual(["rejected"]);
  expect(project.exists(".ralph/shop/prompt.md")).toBe(false);
  expect(aside(project, "file-restored")).toBe("mine");
});

/** What an agent does to tests and gates, where it is found, and in which words. */
const WEAKENINGS: readonly (readonly [string, string, string, string])[] = [
  ["a deleted test", "{remove: test/pay.test.js}", "test/pay.test.js", "test file deleted"],
  [
    "a removed assertion",
    "{edit: {path: test/pay.test.js, find: 'expect(pay(1)).toBe(1);', replace: 'pay(1);'}}",
    "test/pay.test.js",
    "1 assertion removed",
  ],
  [
    "a skipped test",
    `{edit: {path: test/ship.test.js, find: 'test(', replace: 'test.skip('}}`,
    "test/ship.test.js",
    "a test is skipped",
  ],
  [
    "a changed gate script",
    "{write: {path: check.sh, text: 'exit 0'}}",
    "check.sh",
    "gate script changed",
  ],
  [
    "a changed script of package.json",
    "{edit: {path: package.json, find: 'sh check.sh', replace: 'true'}}",
    "package.json",
    `the script "test" in package.json changed`,
  ],
];

test.each(WEAKENINGS)(
  "T6 %s is found with its diff, and rejected again in the next iteration and in the next run until undone",
  async (...row) => {
    const [, step, path, what] = row;
    // The second is read and never gets as far as npm.
    const gate = "script: ./check.sh, npm: 'true || npm test'";
    const project = givenSteps(
      `
- when: {attempt: 1}
  do: [${step}, ${AND_MARK}]
- do: [{run: 'echo more >> work.txt'}, {mark: task}]
`,
      gate,
    );
    expect((await project.ralph(["run", "-n", "2"])).code).toBe(1);
    expect(project.outcomes()).toEqual(["rejected", "rejected"]);
    expect(end(project)["reason"]).toContain(`${what} (${path})`);
    expect(end(project)["reason"]).toContain("ralph accept-edits");
    expect((await project.status())["findings"]).toMatchObject([{ path, what }]);
    const prompt = readFileSync(join(project.runFolder(), "iterations", "2-2", "prompt"), "utf8");
    expect(prompt).toContain(`${what} (${path})`);
    expect(prompt).toMatch(/^ {4}[-+]\S/mu);
    project.scenario("- do: [{run: 'echo again >> work.txt'}, {mark: task}]\n");
    expect((await project.ralph(["run", "-n", "1"])).code).toBe(1);
    expect(project.outcomes()).toEqual(["rejected"]);
    project.scenario(`- do: [{run: 'git checkout -q HEAD -- ${path}'}, {mark: task}]\n`);
    const { code, stdout } = await project.ralph(["run", "-n", "1"]);
    expect(code, `printed: ${stdout}`).toBe(0);
    expect((await project.status())["findings"]).toEqual([]);
  },
);

test("T6 a weakened test that the agent committed is found, too", async () => {
  const project = givenSteps(
    `- do: [{remove: test/pay.test.js}, {commit: "tidy up"}, ${AND_MARK}]\n`,
  );
  expect((await project.ralph(["run", "-n", "1"])).code).toBe(1);
  expect(end(project)["reason"]).toContain("test file deleted (test/pay.test.js)");
});

test.each(["--assume-unchanged", "--skip-worktree"])(
  "T6 a test hidden from git with %s is found while it is hidden, in the next iteration, too",
  async (flag) => {
    const hide = `git update-index ${flag} test/pay.test.js && echo > test/pay.test.js`;
    const project = givenSteps(
      `
- when: {attempt: 1}
  do: [{run: '${hide}'}, ${AND_MARK}]
- do: [{run: 'echo more >> work.txt'}, {mark: task}]
`,
    );
    expect((await project.ralph(["run", "-n", "2"])).code).toBe(1);
    expect(project.outcomes()).toEqual(["rejected", "rejected"]);
    expect(end(project)["reason"]).toContain("hidden from git");
    expect(end(project)["reason"]).toContain("test/pay.test.js");
  },
);

test("T6 a test that is weakened without a claim is remembered until the claim comes", async () => {
  const project = givenSteps(
    `
- when: {attempt: 1}
  do: [{remove: test/pay.test.js}, {commit: "tidy up"}]
- do: [${AND_MARK}]
`,
  );
  await project.ralph(["run", "-n", "2"]);
  expect(project.outcomes()).toEqual(["progressed", "rejected"]);
});

test("T6 a test that an agent has committed away and a person put back in the tree is missed when it goes again", async () => {
  const project = givenSteps('- do: [{remove: test/pay.test.js}, {commit: "tidy up"}]\n');
  const run = async (scenario: string): Promise<void> => {
    project.write(".ralph/shop/scenario.yaml", scenario);
    await project.ralph(["run", "-n", "1", "--reset-circuit"]);
  };
  await project.ralph(["run", "-n", "1"]);
  // Put back, and not committed: the last commit is the agent's and has no such test.
  project.git("restore", "--source=HEAD~1", "test/pay.test.js");
  await run("- do: [{run: 'echo more >> work.txt'}]\n");
  await run(`- do: [{remove: test/pay.test.js}, ${AND_MARK}]\n`);
  expect(end(project)).toMatchObject({ outcome: "rejected", accepted: [] });
  expect(end(project)["reason"]).toContain("test file deleted (test/pay.test.js)");
});

test("T6 new tests, moved tests and a person's own change are no tampering", async () => {
  const moved = givenSteps(
    `- do: [{run: 'git mv test/pay.test.js test/money.test.js'}, {write: {path: test/new.test.js, text: 'test("n", () => { expect(1).toBe(1) });'}}, ${AND_MARK}]\n`,
  );
  expect((await moved.ralph(["run"])).code).toBe(0);
  const person = givenSteps("- do: [{run: 'echo x >> work.txt'}]\n");
  await person.ralph(["run", "-n", "1"]);
  person.git("rm", "-q", "test/pay.test.js");
  person.git("commit", "-q", "-m", "a person drops a test");
  person.scenario(`- do: [${AND_MARK}]\n`);
  expect((await person.ralph(["run", "-n", "1"])).code).toBe(0);
});
