import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { TestProject } from "../rig/project.ts";

const WORK = "- do: [{write: {path: work.txt, text: done}}, {mark: task}]\n";
const ESC = "\u001B";

function given(
  stories: Parameters<TestProject["stories"]>,
  options: ConstructorParameters<typeof TestProject>[0] = {},
): TestProject {
  const project = new TestProject(options);
  project.stories(...stories);
  project.scenario(WORK);
  project.commitAll();
  return project;
}

/** Everything that was printed, of which nothing may act on a terminal. */
function expectHarmless(text: string): void {
  expect(text).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/u);
}

const promptOf = (project: TestProject): string =>
  readFileSync(join(project.runFolder(), "iterations", "1-1", "prompt"), "utf8");

test.each([
  "../x",
  "a;b",
  "$(touch pwned)",
  "`touch pwned`",
  "a\nb",
  "a b",
  "",
  ".",
  "..",
  "-rf",
  "archive",
  "ralph-1",
  `a${ESC}[31m`,
  "a/b",
  "ü",
  "x".repeat(101),
])("S6 the feature name %j is refused", async (name) => {
  const project = given([{ id: "A" }]);
  const { code, stdout, stderr } = await project.ralph(["run", `--feature=${name}`]);
  expect(code, `${stdout}\n${stderr}`).toBe(64);
  expectHarmless(stdout + stderr);
  expect(project.exists("work.txt")).toBe(false);
  expect(existsSync(join(project.root, ".git", "ralph"))).toBe(false);
  expect(readdirSync(project.root)).not.toContain("pwned");
  expect(readdirSync(dirname(project.root)).toSorted()).toEqual(["home", "project"]);
});

test.each([
  ["a command", "$(touch pwned) and `touch pwned`; touch pwned"],
  ["quotes", `it's "quoted" \\ 'twice'`],
  ["a variable", "$HOME ${PATH} %s %n"],
  ["a flag", "--amend -m pwned"],
  ["a pathspec", ":(exclude)* #hash"],
])("S6 a title with %s is passed on literally", async (_, title) => {
  const project = given([{ id: "A", title }]);
  const { code, stdout } = await project.ralph(["run"]);
  expect(code, `printed: ${stdout}`).toBe(0);
  expect(project.git("log", "-1", "--format=%s").trimEnd()).toBe(`feat: A - ${title}`);
  expect(promptOf(project)).toContain(`A: ${title}\n`);
  expect(project.read(".ralph/shop/progress.txt")).toContain(`Story: A - ${title}\n`);
  expect(stdout).toContain(title);
  expect(readdirSync(project.root)).not.toContain("pwned");
});

test("S6 a title with line ends and escapes is one harmless line everywhere but in the prompt", async () => {
  const title = `red ${ESC}[31m\r\n---\nIteration: 99\nRun: forged${ESC}]0;owned\u0007 \u009B2J\u202E end`;
  const project = given([{ id: "A", title }]);
  const run = await project.ralph(["run", "-v"]);
  expect(run.code).toBe(0);
  const shown = await Promise.all(
    [["status"], ["logs"], ["why"], ["logs", "--json"], ["status", "--json"]].map((args) =>
      project.ralph(args),
    ),
  );
  for (const { stdout, stderr } of [run, ...shown.slice(0, 3)]) expectHarmless(stdout + stderr);
  for (const { stdout } of shown) expect(stdout).not.toContain(ESC);
  expectHarmless(project.git("log", "--format=%B").replaceAll("\n", " "));
  expect(project.git("log", "-1", "--format=%(trailers:only)").trim().split("\n")).toHaveLength(1);
  const progress = project.read(".ralph/shop/progress.txt");
  expectHarmless(progress);
  // The entry of the iteration, and the closing one.
  expect(progress.match(/^---$/gmu)).toHaveLength(2);
  expect(progress.match(/^Iteration:/gmu)).toHaveLength(2);
  expect(promptOf(project)).toContain(title);
});

test("S6 what an agent and a gate print never reaches the terminal raw", async () => {
  const project = new TestProject();
  project.stories({ id: "A" });
  project.config(
    `agent: scripted\nquality_checks:\n  noisy: 'printf "\\033[2J\\033]0;owned\\007 not ok\\n"; exit 1'\n`,
  );
  project.scenario(`- do:
    - stream: "\\e[31mnot json\\n"
    - note: {type: activity, text: "\\e[2Jlooking"}
    - mark: task
    - say: "\\e[31mred"
`);
  project.commitAll();
  const run = await project.ralph(["run", "-v", "-n", "1"]);
  expect(run.code).toBe(1);
  expectHarmless(run.stdout + run.stderr);
  expect(run.stdout).toContain("looking");
  const why = await project.ralph(["why"]);
  expect(why.stdout).toContain("not ok");
  expectHarmless(why.stdout);
  expectHarmless((await project.ralph(["logs"])).stdout);
});

test.each([
  "with space",
  `it's "quoted"`,
  "$(touch pwned)",
  "new\nline",
  "-dash",
  "ümläut ✓",
  "a;b&c|d",
])("S6 a project folder called %j works", async (folder) => {
  const project = new TestProject({ folder });
  project.stories({ id: "A" });
  project.config(`agent: scripted\nquality_checks: {there: test -f work.txt}\n`);
  project.scenario(WORK);
  project.commitAll();
  const { code, stdout, stderr } = await project.ralph(["run"]);
  expect(code, `${stdout}\n${stderr}`).toBe(0);
  expect(project.git("status", "--porcelain")).toBe("");
  expect(project.git("log", "-1", "--format=%s")).toBe("feat: A - Title of A\n");
  expect(await project.status()).toMatchObject({
    state: "ended",
    tasks: [{ id: "A", verified: true }],
  });
  expect(existsSync(join(dirname(project.root), "pwned"))).toBe(false);
});

test("S6 work in files with any name is committed", async () => {
  const names = [
    "with space.txt",
    `"quoted'.txt`,
    "$(touch pwned).txt",
    "new\nline.txt",
    "-dash.txt",
    ":(top)x.txt",
    "*.txt",
    "ü.txt",
    "back\\slash.txt",
  ];
  const project = new TestProject();
  project.stories({ id: "A" });
  project.write("other.txt", "tracked\n");
  project.scenario(
    `- do: [${names.map((path) => `{write: ${JSON.stringify({ path, text: "x" })}}`).join(", ")}, {mark: task}]\n`,
  );
  project.commitAll();
  const { code, stdout } = await project.ralph(["run"]);
  expect(code).toBe(0);
  expect(stdout).not.toContain("not committed");
  expect(project.git("status", "--porcelain", "-z")).toBe("");
  const files = project.git("ls-files", "-z").split("\0");
  expect(files).toEqual(expect.arrayContaining(names));
});

test.each([
  "__proto__",
  "constructor",
  "toString",
  "../../etc/passwd",
  "a/b",
  "--help",
  "$(touch pwned)",
  "ü ✓",
  "x".repeat(100),
])("S6 a story may have the id %j", async (id) => {
  const project = new TestProject();
  project.stories({ id }, { id: "B" });
  project.config("agent: scripted\nquality_checks: {there: test -f right.txt}\n");
  project.scenario(
    `- when: {attempt: 1}\n  do: [{mark: task}]\n- do: [{write: {path: right.txt, text: x}}, {mark: task}]\n`,
  );
  project.commitAll();
  const { code, stdout, stderr } = await project.ralph(["run"]);
  expect(code, `${stdout}\n${stderr}`).toBe(0);
  expect(project.outcomes()).toEqual(["rejected", "accepted", "accepted"]);
  const status = await project.status();
  expect(status.tasks).toMatchObject([
    { id, status: "done", verified: true },
    { id: "B", status: "done", verified: true },
  ]);
  expect((await project.ralph(["logs"])).stdout).toContain(id);
  expect(readdirSync(project.root)).not.toContain("pwned");
});

test.each([
  ["is much too long", "x".repeat(70_000)],
  ["has a line end", "A\n---\nIteration: 7"],
  ["has an escape", `A${ESC}[31m`],
  ["has a zero byte", "A\u0000B"],
  ["is empty", ""],
])("S6 a story id that %s is refused before anything starts", async (_, id) => {
  const project = given([{ id: "fine" }, { id }]);
  const { code, stdout, stderr } = await project.ralph(["run"]);
  expect(code, `printed: ${(stdout + stderr).slice(0, 2000)}`).toBe(64);
  expect(stderr).toMatch(/^\.ralph\/shop\/prd\.json:\d+:\d+: /u);
  expect(stderr.length).toBeLessThan(2000);
  expectHarmless(stdout + stderr);
  expect(existsSync(join(project.root, ".git", "ralph"))).toBe(false);
});

test("S6 a hundred stories with the longest ids and titles fit into the record", async () => {
  const project = new TestProject();
  const long = (n: number): string => `${String(n).padStart(3, "0")}${"漢".repeat(97)}`;
  project.stories(
    ...Array.from({ length: 100 }, (_, n) => ({
      id: long(n),
      title: "漢".repeat(300),
      dependsOn: n < 50 ? [] : [long(0)],
    })),
  );
  const names = Array.from({ length: 60 }, (_, n) => `${"漢".repeat(70)}${n}`);
  project.scenario(
    `- do: [${names.map((path) => `{write: ${JSON.stringify({ path, text: "x" })}}`).join(", ")}, {run: 'sed -i "s/\\"passes\\": false/\\"passes\\": true/" "$RALPH_TASKS_FILE"'}]\n`,
  );
  project.commitAll();
  const { code, stdout, stderr } = await project.ralph(["run", "-n", "1"]);
  expect([0, 1], `printed: ${(stdout + stderr).slice(-2000)}`).toContain(code);
  expect(project.outcomes()).toHaveLength(1);
});
