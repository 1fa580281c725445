import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventsOf } from "../rig/agents.ts";
import { eventsSoFar } from "../rig/killing.ts";
import { type Story, TestProject, until } from "../rig/project.ts";

const LIST = ".ralph/shop/prd.json";
const CONFIG = ".ralph/config.yaml";
const NOTHING = "there is nothing to accept";

function given(
  scenario: string,
  stories: readonly Story[] = [{ id: "A" }],
  config = "",
): TestProject {
  const project = new TestProject();
  project.stories(...stories);
  project.config(`agent: scripted\n${config}`);
  project.write("test/pay.test.js", `test("pays", () => {\n  expect(pay(1)).toBe(1);\n});\n`);
  project.scenario(scenario);
  project.commitAll();
  return project;
}

interface List {
  readonly userStories: (Story & { passes: boolean })[];
}

const list = (project: TestProject): List => JSON.parse(project.read(LIST)) as List;
const titles = (project: TestProject): [string, string | undefined, boolean][] =>
  list(project).userStories.map(({ id, title, passes }) => [id, title, passes]);

/** Rewrites the list as a person or an agent would. */
function edit(project: TestProject, change: (list: List) => void): void {
  const edited = list(project);
  change(edited);
  project.write(LIST, `${JSON.stringify(edited, null, 2)}\n`);
}

/** The words in which a run has logged a person's edits. */
function logged(project: TestProject): string[] {
  return eventsOf(project, "project-read").flatMap(
    (event) => (event["reading"] as { edits?: { words: string[] } }).edits?.words ?? [],
  );
}

const RETITLE = `{run: 'sed -i "s/Title of B/Easier B/" "$RALPH_TASKS_FILE"'}`;
const WORK = "{run: 'echo x >> work.txt'}";

test("G5 T6 accept-edits --show tells what was put aside, and changes nothing", async () => {
  const project = given(`- do: [${RETITLE}, {remove: test/pay.test.js}, {mark: task}]\n`, [
    { id: "A" },
    { id: "B" },
  ]);
  await project.ralph(["run", "-n", "1"]);
  const before = [
    project.read(LIST),
    readFileSync(join(project.runFolder(), "events.ndjson"), "utf8"),
  ];
  const { code, stdout } = await project.ralph(["accept-edits", "--show"]);
  expect(code).toBe(0);
  expect(stdout).toContain(LIST);
  expect(stdout).toContain("test/pay.test.js: test file deleted");
  expect(stdout).toMatch(/^ {4}-.*expect\(pay\(1\)\)/mu);
  const [, path = ""] = /^ {4}(\/\S+tasks\.broken)$/mu.exec(stdout) ?? [];
  expect(readFileSync(path, "utf8")).toContain("Easier B");
  expect([
    project.read(LIST),
    readFileSync(join(project.runFolder(), "events.ndjson"), "utf8"),
  ]).toEqual(before);
});

test("G5 T6 accept-edits takes the list: the edit is in, removed tasks are gone, states and later tasks stay", async () => {
  const project = given(
    `
- when: {task: A, attempt: 1}
  do: [${RETITLE}, {run: 'node -e "$DROP_C"'}, ${WORK}]
- do: [${WORK}, {mark: task}]
`,
    [{ id: "A" }, { id: "B" }, { id: "C" }, { id: "D", passes: true }],
  );
  const drop = `const f = require("fs"), p = process.env.RALPH_TASKS_FILE, l = JSON.parse(f.readFileSync(p)); l.userStories = l.userStories.filter((s) => s.id !== "C"); f.writeFileSync(p, JSON.stringify(l, null, 2));`;
  await project.ralph(["run", "-n", "2"], { env: { DROP_C: drop } });
  expect(project.outcomes()).toEqual(["rejected", "accepted"]);
  expect(titles(project)).toEqual([
    ["A", "Title of A", true],
    ["B", "Title of B", false],
    ["C", "Title of C", false],
    ["D", "Title of D", true],
  ]);
  edit(project, ({ userStories }) => {
    userStories.push({ id: "E", title: "Later", passes: false });
  });
  const { code, stdout } = await project.ralph(["accept-edits"]);
  expect(code).toBe(0);
  expect(stdout).toContain(`accepted: ${LIST}`);
  expect(titles(project)).toEqual([
    ["A", "Title of A", true],
    ["B", "Easier B", false],
    ["D", "Title of D", true],
    ["E", "Later", false],
  ]);
  expect((await project.ralph(["accept-edits"])).stdout).toContain(NOTHING);
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(eventsOf(project, "tasks-restored")).toEqual([]);
});

test("G5 T6 accept-edits takes what was done to tests: the findings are gone and the claim is accepted", async () => {
  const project = given(
    `- when: {attempt: 1}\n  do: [{remove: test/pay.test.js}, ${WORK}, {mark: task}]\n- do: [${WORK}, {mark: task}]\n`,
  );
  await project.ralph(["run", "-n", "1"]);
  expect(project.outcomes()).toEqual(["rejected"]);
  expect((await project.ralph(["accept-edits"])).stdout).toContain(
    "accepted: test/pay.test.js: test file deleted",
  );
  expect((await project.status())["findings"]).toEqual([]);
  expect((await project.ralph(["run", "-n", "1"])).code).toBe(0);
  expect(project.outcomes()).toEqual(["accepted"]);
});

test("G5 T6 accept-edits makes the agent's config.yaml and prompt.md the person's", async () => {
  const settings = "agent: scripted\nquality_checks: {new: 'true'}\n";
  const project = given(
    `
- do: [{write: {path: ${CONFIG}, text: ${JSON.stringify(settings)}}}, {write: {path: .ralph/shop/prompt.md, text: "Own words.\\n"}}]
`,
  );
  project.write(".ralph/shop/prompt.md", "Old words.\n");
  project.commitAll("prompt");
  await project.ralph(["run", "-n", "1"]);
  expect(project.read(".ralph/shop/prompt.md")).toBe("Old words.\n");
  expect((await project.ralph(["accept-edits"])).code).toBe(0);
  expect(project.read(CONFIG)).toBe(settings);
  expect(project.read(".ralph/shop/prompt.md")).toBe("Own words.\n");
  project.scenario(`- do: [${WORK}, {mark: task}]\n`);
  const { stdout } = await project.ralph(["run", "-n", "1"]);
  expect(stdout).toContain("gates: new");
  expect(project.outcomes()).toEqual(["accepted"]);
});

test("G5 T6 an edit that cannot be read is not taken: where it lies is said, and nothing changes", async () => {
  const project = given(`- do: [{run: 'echo "{" > "$RALPH_TASKS_FILE"'}]\n`);
  await project.ralph(["run", "-n", "1"]);
  const before = project.read(LIST);
  const { code, stderr } = await project.ralph(["accept-edits"]);
  expect(code).toBe(64);
  expect(stderr).toContain("tasks.broken");
  expect(project.read(LIST)).toBe(before);
});

test("G5 accept-edits is refused while a run works, and says what to do", async () => {
  const project = given(
    `
- when: {task: A, attempt: 1}
  do: [${RETITLE}]
- do: [{hang: {}}]
`,
    [{ id: "A" }, { id: "B" }],
  );
  const run = project.start(["run"]);
  await until("the second agent", () =>
    eventsSoFar(project).some(({ type, iteration }) => type === "agent-started" && iteration === 2),
  );
  const before = project.read(LIST);
  const { code, stderr } = await project.ralph(["accept-edits"]);
  expect(code).toBe(64);
  expect(stderr).toContain(String(run.pid));
  expect(stderr).toContain("to do: stop it first: ralph stop");
  expect(project.read(LIST)).toBe(before);
  await project.ralph(["stop", "--now"]);
  await run.ended;
  expect((await project.ralph(["accept-edits"])).code).toBe(0);
  expect(project.read(LIST)).toContain("Easier B");
});

test("G5 with nothing put aside accept-edits says so and is no error", async () => {
  const project = given(`- do: [${WORK}, {mark: task}]\n`);
  for (const when of ["before any run", "after a good one"]) {
    for (const args of [["accept-edits"], ["accept-edits", "--show"]]) {
      const { code, stdout } = await project.ralph(args);
      expect(code, `${when}: ${stdout}`).toBe(0);
      expect(stdout).toContain(NOTHING);
    }
    await project.ralph(["run"]);
  }
});

const PAUSE = "defaults: {pause_between: 1500ms}\n";

/** A run that is in the pause after its first iteration. */
async function paused(project: TestProject) {
  const run = project.start(["run"]);
  await until("the pause", () => eventsSoFar(project).some(({ type }) => type === "wait-started"));
  return run;
}

test("G5 T6 a person's edits of the list while the run waits are taken and logged", async () => {
  const project = given(
    `- when: {task: A, attempt: 1}\n  do: [${WORK}]\n- do: [${WORK}, {mark: task}]\n`,
    [{ id: "A" }, { id: "B" }],
    PAUSE,
  );
  const run = await paused(project);
  edit(project, ({ userStories }) => {
    userStories.splice(1, 1);
    userStories[0] = { id: "A", title: "Pay at once", passes: false };
    userStories.push({ id: "C", title: "Thank", passes: true });
  });
  const edited = project.read(LIST);
  expect((await run.ended).code).toBe(0);
  expect(logged(project).join("; ")).toMatch(/C.*B.*"Title of A" → "Pay at once"/u);
  expect(eventsOf(project, "tasks-restored")).toEqual([]);
  expect(project.read(LIST)).toBe(edited.replace('"passes": false', '"passes": true'));
  const prompt = readFileSync(join(project.runFolder(), "iterations", "2-2", "prompt"), "utf8");
  expect(prompt).toContain("A: Pay at once");
});

test("G5 a person's prompt.md while the run waits is taken, a config.yaml stays as it is, and both are logged", async () => {
  const project = given(
    `- when: {attempt: 1}\n  do: [${WORK}]\n- do: [${WORK}, {mark: task}]\n`,
    [{ id: "A" }],
    PAUSE,
  );
  const run = await paused(project);
  project.write(".ralph/shop/prompt.md", "A person's words.\n");
  project.config(`agent: scripted\n# a person was here\n${PAUSE}`);
  expect((await run.ended).code).toBe(0);
  expect(logged(project)).toEqual([".ralph/config.yaml", ".ralph/shop/prompt.md"]);
  expect(eventsOf(project, "file-restored")).toEqual([]);
  expect(project.read(".ralph/shop/prompt.md")).toBe("A person's words.\n");
  const prompt = readFileSync(join(project.runFolder(), "iterations", "2-2", "prompt"), "utf8");
  expect(prompt).toContain("A person's words.");
});

test("G5 a person's edits of a stopped run are taken and logged when it goes on", async () => {
  const project = given(
    `- when: {task: A, attempt: 1}\n  do: [{run: 'while [ ! -e "$HOME/go" ]; do sleep 0.05; done'}, ${WORK}]\n- do: [${WORK}, {mark: task}]\n`,
    [{ id: "A" }, { id: "B" }],
  );
  const run = project.start(["run"]);
  await until("the agent", () => eventsSoFar(project).some(({ type }) => type === "agent-started"));
  await project.ralph(["stop"]);
  writeFileSync(join(project.home, "go"), "");
  expect((await run.ended).code).toBe(130);
  edit(project, ({ userStories }) => void userStories.splice(1, 1));
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(logged(project).join()).toContain("removed (B)");
  expect(titles(project)).toEqual([["A", "Title of A", true]]);
});

test("G5 a person's edits between two runs are what the next one works on", async () => {
  const project = given(`- do: [${WORK}, {mark: task}]\n`, [{ id: "A" }, { id: "B" }]);
  await project.ralph(["run", "-n", "1"]);
  edit(project, ({ userStories }) => {
    userStories[1] = { id: "B", title: "Something else", passes: false, checks: "true" };
  });
  expect((await project.ralph(["run", "-n", "1"])).code).toBe(0);
  expect(titles(project)).toEqual([
    ["A", "Title of A", true],
    ["B", "Something else", true],
  ]);
  expect(eventsOf(project, "gate-ran")).toHaveLength(1);
});

test("G5 the same edit by an agent is a claim: put back, and logged as nobody's", async () => {
  const project = given(`- do: [${RETITLE}, ${WORK}]\n`, [{ id: "A" }, { id: "B" }]);
  await project.ralph(["run", "-n", "2"]);
  expect(titles(project)[1]?.[1]).toBe("Title of B");
  expect(logged(project)).toEqual([]);
});

test("G5 an edit that was put aside can be accepted after the next run, too", async () => {
  const project = new TestProject();
  project.stories({ id: "A" }, { id: "B" });
  project.scenario(`
- when: {attempt: 1, task: A}
  do: [{edit: {path: .ralph/shop/prd.json, find: Title of B, replace: Another title}}]
- do: [{run: 'echo x >> work.txt'}]
`);
  project.commitAll();
  await project.ralph(["run", "-n", "1"]);
  await project.ralph(["run", "-n", "1"]);
  expect(project.read(".ralph/shop/prd.json")).toContain("Title of B");
  const { stdout } = await project.ralph(["accept-edits"]);
  expect(stdout).toContain(".ralph/shop/prd.json");
  expect(project.read(".ralph/shop/prd.json")).toContain("Another title");
});
