import { describe, expect, test } from "vitest";
import { untilFile } from "../rig/agents.ts";
import { TestProject } from "../rig/project.ts";
import { CTRL_C, Terminal } from "../rig/terminal.ts";

function given(steps: string): TestProject {
  const project = new TestProject();
  project.stories({ id: "A" });
  project.config("agent: scripted\nquality_checks: {work: 'true'}\n");
  project.scenario(`- do: [${steps}]\n`);
  project.commitAll();
  return project;
}

const WORK = "{run: 'echo x >> work.txt'}";

describe("exit codes of a run", () => {
  test.each([
    [0, "complete", "when all is done", `${WORK}, {mark: task}`, []],
    [1, "iterations-used-up", "when the iterations are used up", WORK, ["-n", "2"]],
    [1, "circuit-open", "when nothing changes any more", "{say: I looked around.}", []],
    [2, "usage-limit", "at a usage limit", "{limit: {resets_in: 5m}}", ["--on-limit", "exit"]],
    [2, "needs-human", "when a person is needed", "{say: 'NEEDS_HUMAN: which one?'}", []],
  ])("E15 %i (%s) %s, as told in every place", async (code, reason, _, steps, args) => {
    const project = given(steps);
    const { code: got, stdout, stderr } = await project.ralph(["run", "--json", ...args]);
    expect(got, `said: ${stderr}`).toBe(code);
    expect(JSON.parse(stdout)).toMatchObject({ reason, exitCode: code });
    expect(stderr).toContain(`ended: ${reason} (exit ${code})`);
    expect((await project.status()).end).toMatchObject({ reason, exitCode: code });
    expect((await project.ralph(["why"])).stdout).toContain(`ended: ${reason} (exit ${code})`);
  });

  const HANGS = "{write: {path: ready, text: x}}, {hang: {signals: heed}}";

  test("E15 130 after Ctrl+C at a terminal", async () => {
    const project = given(HANGS);
    const terminal = new Terminal(project, ["run"]);
    await untilFile(project, "ready");
    terminal.type(CTRL_C);
    await terminal.shows("once more stops at once");
    terminal.type(CTRL_C);
    expect((await terminal.exited).exitCode).toBe(130);
    expect((await project.status()).end).toMatchObject({ reason: "stopped", exitCode: 130 });
  });

  test("E15 130 after an interrupt without a terminal", async () => {
    const project = given(HANGS);
    const run = project.start(["run"]);
    await untilFile(project, "ready");
    run.child.kill("SIGINT");
    expect((await run.ended).code).toBe(130);
    expect((await project.status()).end).toMatchObject({ reason: "stopped", exitCode: 130 });
  });
});
