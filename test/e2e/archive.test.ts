import { chmodSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { eventsSoFar, killWhen } from "../rig/killing.ts";
import { TestProject, until } from "../rig/project.ts";

const DO_IT = "- do: [{write: {path: '$RALPH_TASK_ID.txt', text: x}}, {mark: task}]\n";
const WAIT = `run: 'while [ ! -e "$HOME/go" ]; do sleep 0.05; done'`;
const today = (): string => new Date().toISOString().slice(0, 10);

function given(ids: readonly string[] = ["A", "B"], scenario = DO_IT, config = ""): TestProject {
  const project = new TestProject();
  project.stories(...ids.map((id) => ({ id })));
  project.config(`agent: scripted\n${config}`);
  project.scenario(scenario);
  project.write(".ralph/shop/specs/api.md", "the specification\n");
  project.commitAll();
  return project;
}

const archives = (project: TestProject): string[] =>
  existsSync(join(project.root, ".ralph/archive"))
    ? readdirSync(join(project.root, ".ralph/archive")).toSorted()
    : [];
const about = (project: TestProject, name: string): Record<string, unknown> =>
  JSON.parse(project.read(`.ralph/archive/${name}/run.json`)) as Record<string, unknown>;

describe("on completion", () => {
  test("E11 list, progress and specs are copied and committed with the last work, and the feature stays", async () => {
    const project = given();
    const { code, stdout } = await project.ralph(["run"]);
    expect(code).toBe(0);
    const name = `${today()}-shop`;
    expect(archives(project)).toEqual([name]);
    expect(stdout).toContain(`archived in .ralph/archive/${name}`);
    const folder = `.ralph/archive/${name}`;
    expect(project.read(`${folder}/prd.json`)).toBe(project.read(".ralph/shop/prd.json"));
    expect(project.read(`${folder}/progress.txt`)).toBe(project.read(".ralph/shop/progress.txt"));
    expect(project.read(`${folder}/progress.txt`)).toContain("ALL STORIES COMPLETE");
    expect(project.read(`${folder}/specs/api.md`)).toBe("the specification\n");
    const run = eventsSoFar(project)[0]?.run;
    expect(about(project, name)).toMatchObject({
      run,
      end: "complete",
      iterations: 2,
      tasks: { total: 2, done: 2 },
    });
    expect(project.git("show", "--name-only", "--format=%s", "HEAD")).toMatch(
      /^feat: B - Title of B[\s\S]+archive\/[\s\S]+progress\.txt/u,
    );
    expect(project.git("status", "--porcelain")).toBe("");
  });

  test("E11 a second one that day gets a number, and a run that finds all done makes none", async () => {
    const project = given(["A"]);
    await project.ralph(["run"]);
    expect((await project.ralph(["run"])).code).toBe(0);
    expect(archives(project)).toEqual([`${today()}-shop`]);
    project.stories({ id: "A", passes: true }, { id: "B" });
    expect((await project.ralph(["run"])).code).toBe(0);
    expect(archives(project)).toEqual([`${today()}-shop`, `${today()}-shop-2`]);
    expect(about(project, `${today()}-shop-2`)).toMatchObject({ tasks: { total: 2, done: 2 } });
  });

  test.each([
    ["--no-archive", ["run", "--no-archive"], ""],
    ["archive: false", ["run"], "archive: false\n"],
  ])("E11 %s leaves it out", async (_, argv, config) => {
    const project = given(["A"], DO_IT, config);
    expect((await project.ralph(argv)).code).toBe(0);
    expect(archives(project)).toEqual([]);
    // The last entry is committed all the same.
    expect(project.git("show", "HEAD:.ralph/shop/progress.txt")).toContain("ALL STORIES COMPLETE");
  });

  test("E11 a run that does not end complete archives nothing", async () => {
    const project = given();
    expect((await project.ralph(["run", "-n", "1"])).code).toBe(1);
    expect(archives(project)).toEqual([]);
  });

  test("E11 without git it is archived as well", async () => {
    const project = new TestProject({ git: false });
    project.stories({ id: "A" });
    project.scenario(DO_IT);
    expect((await project.ralph(["run"])).code).toBe(0);
    expect(archives(project)).toEqual([`${today()}-shop`]);
  });

  test("E11 S1 a runner that is killed right after the archive makes no second one", async () => {
    const project = given(["A"]);
    // The commit hangs in its hook, so the archive is made and its fact is written when the runner dies.
    project.write(".git/hooks/pre-commit", '#!/bin/sh\n[ -e "$HOME/go" ] || sleep 60\n');
    chmodSync(join(project.root, ".git/hooks/pre-commit"), 0o755);
    await killWhen(project, "the archive", () =>
      archives(project).some((name) => !name.startsWith(".")),
    );
    writeFileSync(join(project.home, "go"), "");
    const { code, stdout, stderr } = await project.ralph(["run"]);
    expect(code, `${stdout}${stderr}`).toBe(0);
    expect(archives(project)).toEqual([`${today()}-shop`]);
    expect(project.read(".ralph/shop/progress.txt").match(/ALL STORIES COMPLETE/gu)).toHaveLength(
      1,
    );
    expect(project.git("status", "--porcelain")).toBe("");
    expect(new Set(eventsSoFar(project).map(({ run }) => run)).size).toBe(1);
  });

  test("E11 specs that cannot be read do not hold up finished work", async () => {
    const project = given(["A"]);
    // A pipe can be copied by nobody, and is waited for by nobody.
    project.scenario(
      "- do: [{run: 'mkfifo .ralph/shop/specs/pipe'}, {write: {path: a.txt, text: x}}, {mark: task}]\n",
    );
    project.commitAll();
    expect((await project.ralph(["run"])).code).toBe(0);
    expect(readdirSync(join(project.root, ".ralph/archive", `${today()}-shop`, "specs"))).toEqual([
      "api.md",
    ]);
  });
});

describe("ralph archive", () => {
  test("E11 moves the whole feature and commits that, and nothing else", async () => {
    const project = given();
    await project.ralph(["run", "-n", "1"]);
    project.write("mine.txt", "not yours\n");
    const { code, stdout } = await project.ralph(["archive"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/1 of 2 stories open/u);
    const name = `${today()}-shop`;
    expect(project.exists(".ralph/shop")).toBe(false);
    expect(project.exists(`.ralph/archive/${name}/scenario.yaml`)).toBe(true);
    expect(about(project, name)).toMatchObject({ iterations: 1, end: "iterations-used-up" });
    expect(project.git("status", "--porcelain")).toBe("?? mine.txt\n");
    expect(project.git("log", "-1", "--format=%s").trim()).toBe("chore: archive shop");
    expect((await project.ralph(["status"])).code).toBe(64);
  });

  test("E11 a finished feature takes the place of the copy that its run has made", async () => {
    const project = given();
    await project.ralph(["run"]);
    const { code, stdout } = await project.ralph(["archive"]);
    const name = `${today()}-shop`;
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining(`shop was moved to .ralph/archive/${name} (all done)`),
    ]);
    expect(archives(project)).toEqual([name]);
    expect(project.exists(`.ralph/archive/${name}/scenario.yaml`)).toBe(true);
    expect(about(project, name)).toMatchObject({ end: "complete", tasks: { total: 2, done: 2 } });
    expect(project.git("status", "--porcelain")).toBe("");
  });

  test.each(["prd.json", "progress.txt", "specs/api.md"])(
    "E11 a copy whose %s is another than now stays beside it",
    async (file) => {
      const project = given();
      await project.ralph(["run"]);
      const [path, copy] = [`.ralph/shop/${file}`, `.ralph/archive/${today()}-shop/${file}`];
      const before = project.read(copy);
      project.write(path, `${project.read(path)}\n`);
      expect((await project.ralph(["archive"])).code).toBe(0);
      expect(archives(project)).toEqual([`${today()}-shop`, `${today()}-shop-2`]);
      expect(project.read(copy)).toBe(before);
    },
  );

  test("E11 a feature of the same name begins anew afterwards", async () => {
    const project = given(["A"], "- do: [{hang: {signals: heed}}]\n");
    await killWhen(project, "the agent", () =>
      eventsSoFar(project).some(({ type }) => type === "agent-started"),
    );
    expect((await project.ralph(["archive"])).code).toBe(0);
    project.stories({ id: "A" });
    project.scenario(DO_IT);
    expect((await project.ralph(["run", "--resume"])).code).toBe(64);
    expect((await project.ralph(["run"])).code).toBe(0);
    expect(archives(project)).toEqual([`${today()}-shop`, `${today()}-shop-2`]);
  });

  test("E11 --keep copies it", async () => {
    const project = given();
    expect((await project.ralph(["archive", "-f", "shop", "--keep"])).code).toBe(0);
    expect(archives(project)).toEqual([`${today()}-shop`]);
    expect(project.exists(".ralph/shop/prd.json")).toBe(true);
    expect(project.git("status", "--porcelain")).toBe("");
  });

  test("E11 S2 while a run is at work it is refused with exit 73", async () => {
    const project = given(["A"], `- do: [{${WAIT}}, {mark: task}]\n`);
    const run = project.start(["run"]);
    await until("the agent", () =>
      eventsSoFar(project).some(({ type }) => type === "agent-started"),
    );
    const { code, stderr } = await project.ralph(["archive"]);
    expect(code).toBe(73);
    expect(stderr).toContain("ralph stop");
    expect(project.exists(".ralph/shop/prd.json")).toBe(true);
    writeFileSync(join(project.home, "go"), "");
    expect((await run.ended).code).toBe(0);
  });
});
