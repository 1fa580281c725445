import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TestProject, until } from "../rig/project.ts";

interface Finding {
  readonly check: string;
  readonly level: string;
  readonly text: string;
  readonly remedy?: string;
}

function given(config = "agent: scripted\nquality_checks: {unit: 'true'}\n"): TestProject {
  const project = new TestProject();
  project.stories({ id: "A" });
  project.config(config);
  project.scenario("- do: [{mark: task}, {say: done}]\n");
  project.commitAll();
  return project;
}

async function examine(
  project: TestProject,
  env: Record<string, string> = {},
): Promise<{ code: number | null; findings: Finding[]; of: (check: string) => Finding[] }> {
  const { code, stdout } = await project.ralph(["doctor", "--json"], { env });
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  return { code, findings, of: (check) => findings.filter((one) => one.check === check) };
}

/** A program of this name on a PATH of its own. */
function program(project: TestProject, name: string, text: string): string {
  const folder = join(project.home, "bin");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
  chmodSync(join(folder, name), 0o755);
  return `${folder}:${process.env["PATH"] ?? ""}`;
}

describe("doctor", () => {
  test("finds nothing wrong with a project that is ready, and changes nothing", async () => {
    const project = given();
    const before = project.git("status", "--porcelain");
    const { code, stdout, stderr } = await project.ralph(["doctor"]);
    expect(stderr).toBe("");
    expect(code, `printed: ${stdout}`).toBe(0);
    for (const check of ["node", "git", "identity", "repository", "disk", "agent", "gates", "runs"])
      expect(stdout).toMatch(new RegExp(`^ok +${check}: `, "mu"));
    expect(stdout).toMatch(/\n(?:all is well|no problem, \d notes?)\n$/u);
    expect(stdout).not.toContain("\u001B");
    expect(project.git("status", "--porcelain")).toBe(before);
    expect(project.exists(".git/ralph")).toBe(false);
  });

  test("names a git that does not know who commits, and an unfinished merge", async () => {
    const project = given();
    project.git("config", "--unset", "user.email");
    // Nor may it make an address out of the machine's name.
    project.git("config", "user.useConfigOnly", "true");
    project.write(".git/MERGE_HEAD", project.git("rev-parse", "HEAD"));
    const { code, of } = await examine(project);
    expect(code).toBe(1);
    expect(of("identity")[0]).toMatchObject({ level: "problem" });
    expect(of("identity")[0]?.text).toContain("user.email");
    expect(of("repository")[0]).toMatchObject({ level: "problem", text: "a merge is in progress" });
    expect(of("repository")[0]?.remedy).toContain("git merge --abort");
  });

  test("an agent that is missing, silent or there", async () => {
    const project = given("agent: claude\nquality_checks: {unit: 'true'}\n");
    const path = { PATH: "/usr/bin:/bin" };
    const missing = await examine(project, path);
    expect(missing.code).toBe(1);
    expect(missing.of("agent")[0]).toMatchObject({ level: "problem" });
    expect(missing.of("agent")[0]?.remedy).toContain("npm install -g");
    const broken = await examine(project, { PATH: program(project, "claude", "exit 3") });
    expect(broken.of("agent")[0]?.text).toContain("--version does not answer");
    const there = await examine(project, {
      PATH: program(project, "claude", "echo '2.1.325 (Claude Code)'"),
    });
    expect(there.of("agent")[0]).toMatchObject({ level: "ok" });
    expect(there.of("agent")[0]?.text).toContain("2.1.325");
    // Without any cap on money or time a night can be dear.
    expect(there.of("caps")[0]).toMatchObject({ level: "note" });
    expect(there.of("caps")[0]?.remedy).toContain("--max-cost");
  });

  test("a program with its arguments in one word, and a list that still is a placeholder", async () => {
    const project = given(
      "agent: {name: command, command: cat -u}\nquality_checks: {unit: 'true'}\n",
    );
    project.stories({ id: "S-1", title: "TODO: what is to be done" });
    const { code, of } = await examine(project);
    expect(code).toBe(1);
    expect(of("agent")[0]?.text).toContain("arguments belong into agent.arguments");
    expect(of("tasks")[0]).toMatchObject({ level: "problem" });
    expect(of("tasks")[0]?.text).toContain("TODO");
  });

  test("root and skipped permissions do not go together with claude", async () => {
    const project = given("agent: claude\nclaude: {dangerously_skip_permissions: true}\n");
    const { of } = await examine(project, { PATH: program(project, "claude", "echo 1") });
    const isRoot = process.getuid?.() === 0;
    expect(of("permissions")[0]?.level).toBe(isRoot ? "problem" : "note");
    expect(of("gates")[0]).toMatchObject({ level: "note" });
  });

  test("a gate whose program is missing, and settings that cannot be read", async () => {
    const project = given("agent: scripted\nquality_checks: {unit: no-such-program --all}\n");
    const { of, code } = await examine(project);
    expect(code).toBe(1);
    expect(of("gates")[0]?.text).toContain('"no-such-program" was not found');
    project.config("agent: scripted\nbuget: {usd: 1}\n");
    const broken = await examine(project);
    expect(broken.of("settings")[0]?.text).toContain(".ralph/config.yaml:2");
    expect(broken.of("agent")).toEqual([]);
  });

  test("a run that was cut off is a note with what to do", async () => {
    const project = given();
    project.scenario("- do: [{hang: {signals: heed}}]\n");
    project.commitAll();
    const run = project.start(["run"]);
    await until("the run", async () => (await project.status()).state === "running");
    run.child.kill("SIGKILL");
    await run.ended;
    const { code, of } = await examine(project);
    expect(code).toBe(0);
    expect(of("runs")[0]).toMatchObject({ level: "note" });
    expect(of("runs")[0]?.remedy).toContain("ralph run -f shop");
  });

  test("a place without a project or a repository has notes, and no problem", async () => {
    const project = new TestProject({ git: false });
    const { code, of } = await examine(project);
    expect((await project.ralph(["doctor", "-f", "nosuch"])).code).toBe(1);
    expect(of("tasks")[0]).toMatchObject({ level: "note" });
    expect(of("repository")[0]).toMatchObject({ level: "note", remedy: "git init" });
    expect(of("settings")[0]?.level).toBe("ok");
    // Whether the agent is there depends on the machine of the test.
    expect(code).toBe(of("agent")[0]?.level === "problem" ? 1 : 0);
  });
});
