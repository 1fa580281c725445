import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TestProject, until } from "../rig/project.ts";
import { Terminal } from "../rig/terminal.ts";

/** A folder without anything, as on a machine nobody has set up: no HOME of use, no git identity. */
function nowhere(): TestProject {
  const project = new TestProject({ git: false });
  project.git("--version");
  return project;
}

const DEMO_MS_MAX = 15_000;
/** The machine of the tests may be busy with others. */
const PATIENCE = 3;

/** It works, its tests pass, and what was done stands in git and in the record. */
async function expectProgram(project: TestProject, place: string): Promise<void> {
  const run = (file: string, ...args: string[]): string =>
    execFileSync(file, args, {
      cwd: place,
      encoding: "utf8",
      env: { PATH: process.env["PATH"] },
    });
  run(process.execPath, "todo.js", "add", "tea");
  expect(run(process.execPath, "todo.js")).toBe("1 [ ] tea\n1 left\n");
  expect(run(process.execPath, "--test")).toMatch(/pass 5/u);
  expect(run("git", "log", "--format=%an").trim().split("\n").length).toBeGreaterThan(5);
  const why = await project.ralph(["why"], { cwd: place });
  expect(why.stdout).toContain("complete (exit 0)");
  const status = await project.ralph(["status", "--json"], { cwd: place });
  expect(JSON.parse(status.stdout)).toMatchObject({ state: "ended", costUsd: 0.51 });
}

describe("the demo", () => {
  test("the demo ends complete with a program that works, past a rejected claim, a killed hang and a limit", async () => {
    const project = nowhere();
    const place = join(project.home, "demo");
    const startedAt = Date.now();
    const { code, stdout, stderr } = await project.ralph(["demo", "--keep", place]);
    expect(stderr).toBe("");
    expect(code, `printed: ${stdout}`).toBe(0);
    expect(Date.now() - startedAt).toBeLessThan(DEMO_MS_MAX * PATIENCE);
    expect(stdout.match(/iteration \d+: [a-z-]+/gu)).toEqual([
      "iteration 1: accepted",
      "iteration 2: rejected",
      "iteration 3: accepted",
      "iteration 4: timed-out",
      "iteration 5: accepted",
      "iteration 6: usage-limited",
      "iteration 7: accepted",
      "iteration 8: accepted",
    ]);
    expect(stdout).toContain("ended: complete (exit 0)");
    expect(stdout).toContain("5 of 5 done");
    expect(stdout).not.toContain("\u001B");
    for (const word of [`cd ${place}`, "ralph status", "ralph logs", "ralph why"])
      expect(stdout).toContain(word);
    expect(project.processes()).toEqual([]);
    await expectProgram(project, place);
  });

  test("the demo is not changed by settings, variables and git of the person", async () => {
    const project = nowhere();
    mkdirSync(join(project.home, ".ralph"));
    project.write("../home/.ralph/config.yaml", "agent: claude\ndefaults: {max_iterations: 1}\n");
    project.write(
      "../home/.gitconfig",
      "[commit]\n  gpgsign = true\n[core]\n  hooksPath = /nowhere\n",
    );
    const env = { MAX_ITERATIONS: "1", TIMEOUT_MINUTES: "1", GIT_DIR: "/nowhere" };
    const { code, stdout } = await project.ralph(["demo"], {
      env: { ...env, TMPDIR: project.home },
    });
    expect(code, `printed: ${stdout}`).toBe(0);
    const made = readdirSync(project.home).find((name) => name.startsWith("ralph-demo-")) ?? "";
    expect(stdout).toContain(join(project.home, made));
    expect(readFileSync(join(project.home, made, ".ralph/todo/prd.json"), "utf8")).not.toContain(
      "false",
    );
  });

  test("the demo takes no folder in which something lies", async () => {
    const project = nowhere();
    project.write("mine.txt", "mine");
    const { code, stderr } = await project.ralph(["demo", "--keep", project.root]);
    expect(code).toBe(64);
    expect(stderr).toContain("is not empty");
    expect(existsSync(join(project.root, ".git"))).toBe(false);
  });

  test("the demo shows a live line on a terminal and leaves none behind", async () => {
    const project = nowhere();
    const terminal = new Terminal(project, ["demo", "--keep", join(project.home, "demo")]);
    await terminal.shows(
      /iteration 4 · STORY-003 .* · Thinking about where to keep the file · \ds/u,
    );
    await terminal.shows(/\ds to wait; Ctrl\+C stops/u);
    await until("the end", () => terminal.text().includes("Look around"), 60_000);
    expect(terminal.text().slice(terminal.text().indexOf("ended:"))).not.toContain("\u001B[J");
    expect((await terminal.exited).exitCode).toBe(0);
  });
});
