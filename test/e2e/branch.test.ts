import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { eventsSoFar } from "../rig/killing.ts";
import { type Ended, TestProject } from "../rig/project.ts";

const DO_IT = "- do: [{run: 'echo $RALPH_TASK_ID >> work.txt'}, {mark: task}]\n";

function given(prd: Record<string, unknown> = {}, config = ""): TestProject {
  const project = new TestProject();
  project.config(`agent: scripted\n${config}`);
  project.scenario(DO_IT);
  list(project, prd);
  project.commitAll();
  return project;
}

function list(project: TestProject, prd: Record<string, unknown>, ids: readonly string[] = ["A"]) {
  const userStories = ids.map((id) => ({ id, title: `Title of ${id}`, passes: false }));
  project.write(".ralph/shop/prd.json", `${JSON.stringify({ ...prd, userStories }, null, 2)}\n`);
}

const branch = (project: TestProject): string => project.git("branch", "--show-current").trim();
const branches = (project: TestProject): string[] =>
  project.git("branch", "--format=%(refname:short)").trim().split("\n");

function expectDone(end: Ended): void {
  expect(end.code, `${end.stdout}${end.stderr}`).toBe(0);
}

/** Exit 64, on the branch as before, and no run was begun. */
function expectRefused(project: TestProject, end: Ended, words: RegExp): void {
  expect(end.code, `${end.stdout}${end.stderr}`).toBe(64);
  expect(end.stderr).toMatch(words);
  expect(end.stderr).toContain("to do: ");
  expect(branch(project)).toBe("main");
  expect(existsSync(join(project.root, ".git/ralph/runs"))).toBe(false);
}

describe("the branch of a run", () => {
  test("E12 branchName is created where it is missing, and the work is done there", async () => {
    const project = given({ branchName: "feature/42-shop" });
    const before = project.git("rev-parse", "main");
    const end = await project.ralph(["run"]);
    expectDone(end);
    expect(end.stdout).toContain("branch feature/42-shop was created");
    expect(branch(project)).toBe("feature/42-shop");
    expect(project.git("rev-parse", "main")).toBe(before);
    expect(project.git("show", "feature/42-shop:work.txt")).toBe("A\n");
    expect(eventsSoFar(project)[0]).toMatchObject({ branch: "feature/42-shop" });
  });

  test("E12 on that branch already, nothing happens to it", async () => {
    const project = given({ branchName: "main" });
    const end = await project.ralph(["run"]);
    expectDone(end);
    expect(end.stdout).not.toContain("branch main");
    expect(branches(project)).toEqual(["main"]);
  });

  test("E12 one that exists is switched to, with the list and the settings it has", async () => {
    const project = given({ branchName: "work" });
    project.git("switch", "-q", "-c", "work");
    list(project, { branchName: "work" }, ["A", "B"]);
    project.commitAll("more work");
    project.git("switch", "-q", "main");
    expectDone(await project.ralph(["run"]));
    expect(branch(project)).toBe("work");
    expect(project.read("work.txt")).toBe("A\nB\n");
  });

  test("E12 without branchName: prefix and feature, where auto_create is true", async () => {
    const project = given({}, "branch: {prefix: work/, auto_create: true}\n");
    expectDone(await project.ralph(["run"]));
    expect(branch(project)).toBe("work/shop");
  });

  test.each(["", "branch: {prefix: work/}\n", "branch: {auto_create: false}\n"])(
    "E12 without branchName and with %j the branch stays",
    async (config) => {
      const project = given({}, config);
      expectDone(await project.ralph(["run"]));
      expect(branch(project)).toBe("main");
    },
  );

  test("E12 uncommitted work that is in nobody's way comes along", async () => {
    const project = given({ branchName: "work" });
    project.write("mine.txt", "mine\n");
    expectDone(await project.ralph(["run"]));
    expect(branch(project)).toBe("work");
    expect(project.read("mine.txt")).toBe("mine\n");
    expect(project.git("status", "--porcelain")).toContain("?? mine.txt");
  });

  test("E12 before the first commit the branch is begun with", async () => {
    const project = new TestProject();
    project.scenario(DO_IT);
    list(project, { branchName: "feature/first" });
    expectDone(await project.ralph(["run"]));
    expect(branches(project)).toEqual(["feature/first"]);
  });

  test("E12 without git it is passed over", async () => {
    const project = new TestProject({ git: false });
    project.scenario(DO_IT);
    list(project, { branchName: "feature/first" });
    expectDone(await project.ralph(["run"]));
  });

  test("E12 a run that goes on stays where it is", async () => {
    const project = given({ branchName: "work" });
    project.scenario("- do: [{exit: 1}]\n");
    project.write(".ralph/shop/WAITING", "look at this");
    expect((await project.ralph(["run"])).code).toBe(2);
    expect(branch(project)).toBe("work");
    project.git("switch", "-q", "-c", "mine");
    project.git("clean", "-fdq");
    project.scenario(DO_IT);
    expectDone(await project.ralph(["run"]));
    expect(branch(project)).toBe("mine");
  });
});

describe("refused", () => {
  test("E12 auto_create: false and no such branch", async () => {
    const project = given({ branchName: "work" }, "branch: {auto_create: false}\n");
    expectRefused(
      project,
      await project.ralph(["run"]),
      /prd\.json:2:\d+: there is no branch "work"/u,
    );
    expect(branches(project)).toEqual(["main"]);
  });

  test("E12 changes that the switch would write over: git's own words, and they stay", async () => {
    const project = given({ branchName: "work" });
    project.write("code.txt", "one\n");
    project.commitAll();
    project.git("switch", "-q", "-c", "work");
    project.write("code.txt", "two\n");
    project.commitAll();
    project.git("switch", "-q", "main");
    project.write("code.txt", "mine\n");
    expectRefused(project, await project.ralph(["run"]), /code\.txt[\s\S]+git stash/u);
    expect(project.read("code.txt")).toBe("mine\n");
  });

  test("E12 a branch that is checked out in another working tree: it is named", async () => {
    const project = given({ branchName: "work" });
    const other = join(dirname(project.root), "other");
    project.git("worktree", "add", "-q", "-b", "work", other);
    expectRefused(project, await project.ralph(["run"]), new RegExp(other, "u"));
  });

  test.each(["-x", "a b", "a..b", "@{-1}", "HEAD", "x.lock", "a\nb", "a~1"])(
    "E12 S6 the name %j",
    async (name) => {
      const project = given({ branchName: name });
      expectRefused(project, await project.ralph(["run"]), /cannot be the name of a branch/u);
      expect(branches(project)).toEqual(["main"]);
    },
  );

  test("E12 a branch whose name is part of another's: git says so", async () => {
    const project = given({ branchName: "main/shop" });
    expectRefused(project, await project.ralph(["run"]), /main/u);
  });

  test("E12 a branch without the feature: back on the old one, and said", async () => {
    const project = given({ branchName: "work" });
    project.git("switch", "-q", "--orphan", "work");
    project.git("commit", "-q", "--allow-empty", "-m", "nothing here");
    project.git("switch", "-q", "main");
    expectRefused(project, await project.ralph(["run"]), /branch work/u);
    expect(project.exists(".ralph/shop/prd.json")).toBe(true);
  });

  test("E12 a branch whose list names yet another one", async () => {
    const project = given({ branchName: "work" });
    project.git("switch", "-q", "-c", "work");
    list(project, { branchName: "third" });
    project.commitAll();
    project.git("switch", "-q", "main");
    expectRefused(project, await project.ralph(["run"]), /third/u);
    expect(branches(project)).toEqual(["main", "work"]);
  });

  test("E12 E4 a branchName that is no text", async () => {
    const project = given({ branchName: 5 });
    expectRefused(project, await project.ralph(["run"]), /branchName is 5/u);
  });
});

describe("another branch than the run before", () => {
  const archived = (project: TestProject, name: string, file: string): string =>
    readFileSync(join(project.root, ".ralph/archive", name, file), "utf8");

  test("E11 the run before is archived with its own old list, and progress starts anew", async () => {
    const project = given({ branchName: "one" });
    list(project, { branchName: "one" }, ["A", "B"]);
    project.commitAll();
    expect((await project.ralph(["run", "-n", "1"])).code).toBe(1);
    const old = project.read(".ralph/shop/prd.json");
    const progress = project.read(".ralph/shop/progress.txt");
    list(project, { branchName: "two" }, ["X"]);
    const end = await project.ralph(["run"]);
    expectDone(end);
    const names = readdirSync(join(project.root, ".ralph/archive")).toSorted();
    expect(names).toHaveLength(2);
    const [first = "", second = ""] = names;
    expect(archived(project, first, "prd.json")).toBe(old);
    expect(archived(project, first, "progress.txt")).toBe(progress);
    expect(JSON.parse(archived(project, first, "run.json"))).toMatchObject({
      branch: "one",
      end: "iterations-used-up",
      tasks: { total: 2, done: 1 },
    });
    expect(end.stdout).toContain(`.ralph/archive/${first}`);
    const now = project.read(".ralph/shop/progress.txt");
    expect(now).toContain("Story: X");
    expect(now).not.toContain("Story: A");
    expect(archived(project, second, "progress.txt")).toBe(now);
    expect(branch(project)).toBe("two");
    expect(project.git("status", "--porcelain")).toBe("");
    expect(execFileSync("git", ["ls-files"], { cwd: project.root, encoding: "utf8" })).toContain(
      `.ralph/archive/${first}/prd.json`,
    );
  });

  test("E11 one that was archived when it was complete is not archived again", async () => {
    const project = given({ branchName: "one" });
    expectDone(await project.ralph(["run"]));
    list(project, { branchName: "two" }, ["X"]);
    expectDone(await project.ralph(["run"]));
    expect(readdirSync(join(project.root, ".ralph/archive"))).toHaveLength(2);
    expect(project.read(".ralph/shop/progress.txt")).not.toContain("Story: A");
  });

  test("E11 on the same branch nothing is archived and the memory stays", async () => {
    const project = given({ branchName: "one" });
    list(project, { branchName: "one" }, ["A", "B"]);
    project.commitAll();
    await project.ralph(["run", "-n", "1"]);
    expectDone(await project.ralph(["run"]));
    expect(readdirSync(join(project.root, ".ralph/archive"))).toHaveLength(1);
    expect(project.read(".ralph/shop/progress.txt")).toContain("Story: A");
  });
});
