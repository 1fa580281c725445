import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventsSoFar, trailers } from "../rig/killing.ts";
import { type Ended, TestProject, until } from "../rig/project.ts";

const WORK = "- do: [{write: {path: work.txt, text: done}}, {mark: task}]\n";

function given(
  scenario = WORK,
  options: ConstructorParameters<typeof TestProject>[0] = {},
): TestProject {
  const project = new TestProject(options);
  project.stories({ id: "A" });
  project.scenario(scenario);
  if (options.git !== false) project.commitAll();
  return project;
}

function expectRefused(project: TestProject, end: Ended, ...words: string[]): void {
  expect(end.code, `${end.stdout}\n${end.stderr}`).toBe(64);
  for (const word of words) expect(end.stderr).toContain(word);
  expect(end.stderr).toContain("to do: ");
  expect(existsSync(join(project.root, ".git", "ralph", "runs"))).toBe(false);
  expect(project.exists("work.txt")).toBe(false);
}

const committedFiles = (project: TestProject, commit = "HEAD"): string[] =>
  project.git("show", "--format=", "--name-only", commit).trim().split("\n").toSorted();

test("S5 uncommitted changes are said before the start, with what to do", async () => {
  const project = given();
  project.write("code.txt", "one\n");
  project.commitAll("code");
  project.write("code.txt", "two\n");
  const { code, stdout } = await project.ralph(["run"]);
  expect(code).toBe(0);
  const [note] = stdout.split("\n");
  expect(note).toContain("note: 1 tracked file has uncommitted changes");
  expect(note).toContain("git stash");
  expect(project.read("code.txt")).toBe("two\n");
});

test("S5 a detached HEAD is refused with what to do", async () => {
  const project = given();
  project.git("checkout", "--quiet", "--detach");
  expectRefused(project, await project.ralph(["run"]), "HEAD is detached", "git switch -c NAME");
});

test("S5 a git that does not know who commits is refused before an agent costs anything, with what to do", async () => {
  const project = given();
  project.git("config", "--unset", "user.name");
  project.git("config", "--unset", "user.email");
  // Nor may it make them out of the machine's names.
  project.git("config", "user.useConfigOnly", "true");
  const end = await project.ralph(["run"]);
  expectRefused(project, end, "git does not know who commits: user.name and user.email not set");
  expect(end.stderr).toContain('to do: git config --global user.name "Your Name"');
  project.git("config", "user.name", "Test");
  project.git("config", "user.email", "test@localhost");
  expect((await project.ralph(["run"])).code).toBe(0);
});

test("S5 a merge in progress is refused with what to do", async () => {
  const project = given();
  project.git("switch", "--quiet", "-c", "side");
  project.write("x.txt", "side\n");
  project.commitAll("side");
  project.git("switch", "--quiet", "main");
  project.write("x.txt", "main\n");
  project.commitAll("main");
  expect(() => project.git("merge", "side")).toThrow("merge side");
  expectRefused(
    project,
    await project.ralph(["run"]),
    "a merge is in progress",
    "git merge --abort",
  );
  expect(project.exists(".git/MERGE_HEAD")).toBe(true);
});

test("S5 a rebase in progress is refused with what to do", async () => {
  const project = given();
  project.git("switch", "--quiet", "-c", "side");
  project.write("x.txt", "side\n");
  project.commitAll("side");
  project.git("switch", "--quiet", "main");
  project.write("x.txt", "main\n");
  project.commitAll("main");
  expect(() => project.git("rebase", "side")).toThrow("rebase side");
  expectRefused(
    project,
    await project.ralph(["run"]),
    "a rebase is in progress",
    "git rebase --abort",
  );
});

test("S5 a stale index.lock is refused with what to do, and is not removed by us", async () => {
  const project = given();
  const lock = join(project.root, ".git", "index.lock");
  writeFileSync(lock, "");
  const past = Date.now() / 1000 - 3600;
  utimesSync(lock, past, past);
  expectRefused(
    project,
    await project.ralph(["run"]),
    "has left its lock behind (index.lock)",
    `rm '${lock}'`,
  );
  expect(existsSync(lock)).toBe(true);
});

test("S5 the user's untracked files are neither committed nor changed, in folders of any kind", async () => {
  const project = given(
    "- do: [{write: {path: work.txt, text: done}}, {write: {path: src/new.ts, text: new}}, {mark: task}]\n",
  );
  project.write("src/old.ts", "tracked\n");
  project.commitAll("src");
  const mine = ["notes.txt", "drafts/one.txt", "drafts/deep/two.txt", "src/mine.ts"];
  for (const path of mine) project.write(path, `mine: ${path}\n`);
  const before = mine.map((path) => statSync(join(project.root, path)).mtimeMs);
  expect((await project.ralph(["run", "--no-archive"])).code).toBe(0);
  expect(mine.map((path) => project.read(path))).toEqual(mine.map((path) => `mine: ${path}\n`));
  expect(mine.map((path) => statSync(join(project.root, path)).mtimeMs)).toEqual(before);
  expect(project.git("status", "--porcelain").trim().split("\n")).toEqual([
    "?? drafts/",
    "?? notes.txt",
    "?? src/mine.ts",
  ]);
  expect(committedFiles(project)).toEqual([
    ".ralph/shop/prd.json",
    ".ralph/shop/progress.txt",
    "src/new.ts",
    "work.txt",
  ]);
});

test("S5 a file that appears while the run is stopped is the user's and is not committed", async () => {
  const stopped = given(
    "- when: {attempt: 1}\n  do: [{write: {path: half.txt, text: half}}, {hang: {}}]\n" + WORK,
  );
  const run = stopped.start(["run"]);
  await until("the agent to be at work", () => stopped.exists("half.txt"));
  await stopped.ralph(["stop", "--now"]);
  await run.ended;
  stopped.write("my-secret.env", "mine\n");
  expect((await stopped.ralph(["run"])).code).toBe(0);
  expect(stopped.git("status", "--porcelain").trim()).toBe("?? my-secret.env");
  expect(committedFiles(stopped)).toEqual(expect.arrayContaining(["half.txt", "work.txt"]));
});

test("S5 work in a folder that git did not know before is committed beside the user's files in it", async () => {
  const project = given("- do: [{write: {path: src/work.txt, text: done}}, {mark: task}]\n");
  project.write("src/mine.txt", "mine\n");
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(committedFiles(project)).toContain("src/work.txt");
  expect(project.git("status", "--porcelain").trim()).toBe("?? src/mine.txt");
});

test("S5 a change inside a folder that git does not know is a change of the tree", async () => {
  const project = given("- do: [{append: {path: src/mine.txt, text: more}}]\n");
  project.write("src/mine.txt", "mine\n");
  await project.ralph(["run", "-n", "1"]);
  expect(project.outcomes()).toEqual(["progressed"]);
});

test("S5 an untracked file stays the user's when the agent removes everything around it", async () => {
  const project = given(
    "- do: [{run: 'git rm -q old/tracked.txt && git commit -qm away'}, {write: {path: work.txt, text: done}}, {mark: task}]\n",
  );
  project.write("old/tracked.txt", "tracked\n");
  project.commitAll("old");
  project.write("old/mine.txt", "mine\n");
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(project.read("old/mine.txt")).toBe("mine\n");
  expect(project.git("status", "--porcelain")).toBe("?? old/\n");
});

test("S5 what a person has staged besides stays staged and is not lost", async () => {
  const project = given();
  project.write("drafts/staged.txt", "staged\n");
  project.git("add", "drafts/staged.txt");
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(project.read("drafts/staged.txt")).toBe("staged\n");
});

test("S5 work that the agent moved or removed with git is committed, staged or not", async () => {
  const project = given(
    "- do: [{run: 'git mv from.txt to.txt; git rm -q gone.txt; rm plain.txt; git add -N intent.txt 2> /dev/null; echo x > work.txt; git add work.txt; echo y >> work.txt'}, {mark: task}]\n",
  );
  for (const name of ["from.txt", "gone.txt", "plain.txt"]) project.write(name, `${name}\n`);
  project.commitAll("files");
  const { code, stdout } = await project.ralph(["run"]);
  expect(code).toBe(0);
  expect(stdout).not.toContain("not committed");
  expect(project.git("status", "--porcelain")).toBe("");
  expect(project.git("ls-files").split("\n")).toEqual(
    expect.arrayContaining(["to.txt", "work.txt"]),
  );
  expect(project.git("ls-files")).not.toMatch(/from|gone|plain/u);
  expect(project.git("show", "HEAD:work.txt")).toBe("x\ny\n");
  expect(trailers(project)).toHaveLength(1);
});

test("S5 a repository without any commit works", async () => {
  const project = new TestProject();
  project.stories({ id: "A" });
  project.scenario(WORK);
  const { code, stdout } = await project.ralph(["run"]);
  expect(code, `printed: ${stdout}`).toBe(0);
  expect(trailers(project)).toHaveLength(1);
  expect(committedFiles(project)).toContain("work.txt");
});

test("S5 outside git it works, says so, and keeps its record in the state folder", async () => {
  const project = given(WORK, { git: false });
  const state = join(project.home, "state");
  const { code, stdout } = await project.ralph(["run"], { env: { XDG_STATE_HOME: state } });
  expect(code, `printed: ${stdout}`).toBe(0);
  expect(stdout).toContain("this is no git repository");
  expect(readdirSync(join(state, "ralph"))).toHaveLength(1);
  expect(project.read(".ralph/shop/prd.json")).toContain('"passes": true');
  const again = await project.ralph(["status", "--json"], { env: { XDG_STATE_HOME: state } });
  expect(JSON.parse(again.stdout)).toMatchObject({ state: "ended", end: { reason: "complete" } });
});

test("S5 a linked worktree has a lock and runs of its own; the record is in the common folder", async () => {
  const project = given();
  const linked = join(project.home, "linked tree");
  project.git("worktree", "add", "--quiet", "-b", "side", linked);
  const { code, stdout } = await project.ralph(["run"], { cwd: linked });
  expect(code, `printed: ${stdout}`).toBe(0);
  expect(readFileSync(join(linked, "work.txt"), "utf8")).toBe("done");
  expect(project.exists("work.txt")).toBe(false);
  expect(eventsSoFar(project)[0]).toMatchObject({ type: "run-started", tree: linked });
  expect(project.git("log", "--format=%s", "side").split("\n")[0]).toBe("feat: A - Title of A");
  expect((await project.status()).state).toBe("not-started");
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(project.read("work.txt")).toBe("done");
});

test("S5 from a subfolder it works on the project around it", async () => {
  const project = given();
  mkdirSync(join(project.root, "src", "deep"), { recursive: true });
  const { code } = await project.ralph(["run"], { cwd: join(project.root, "src", "deep") });
  expect(code).toBe(0);
  expect(project.read("work.txt")).toBe("done");
});

test("S5 a project in a subfolder of its repository commits what is its own", async () => {
  const project = new TestProject();
  project.write(
    "package/.ralph/shop/prd.json",
    '{"userStories": [{"id": "A", "title": "a", "passes": false}]}',
  );
  project.write("package/.ralph/shop/scenario.yaml", WORK);
  project.write("package/.ralph/config.yaml", "agent: scripted\n");
  project.commitAll();
  const { code, stdout } = await project.ralph(["run"], { cwd: join(project.root, "package") });
  expect(code, `printed: ${stdout}`).toBe(0);
  const day = new Date().toISOString().slice(0, 10);
  const archived = ["prd.json", "progress.txt", "run.json"].map(
    (name) => `package/.ralph/archive/${day}-shop/${name}`,
  );
  expect(committedFiles(project)).toEqual([
    ...archived,
    "package/.ralph/shop/prd.json",
    "package/.ralph/shop/progress.txt",
    "package/work.txt",
  ]);
  expect(project.git("status", "--porcelain")).toBe("");
});
