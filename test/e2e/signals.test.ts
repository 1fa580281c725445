import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  eventsOf,
  leftovers,
  MARK,
  marked,
  newMark,
  shellAgent,
  untilFile,
} from "../rig/agents.ts";
import { type Started, TestProject, until } from "../rig/project.ts";
import { CTRL_C, Terminal } from "../rig/terminal.ts";

/** A child that no polite signal ends, in a session of its own, and one that heeds them. */
const stubborn = (mark: string): string =>
  `(trap '' TERM INT HUP; setsid sleep ${mark} &) ; sleep ${mark} &`;

/** The first attempt makes `ready` and works until there is a file `go`; any attempt then does the task. */
function given(mark: string): TestProject {
  const project = new TestProject();
  project.stories({ id: "S-1" });
  shellAgent(
    project,
    `${stubborn(mark)}
    until [ "$(ps -eo args | grep -c "^sleep ${mark}")" -ge 2 ]; do sleep 0.02; done
    echo working; touch ready
    while [ ! -e go ]; do sleep 0.05; done
    ${MARK}; echo done`,
  );
  project.write(".gitignore", "ready\ngo\n");
  project.commitAll();
  return project;
}

/** The same run, to its good end. */
async function goesOn(project: TestProject, mark: string): Promise<void> {
  const run = eventsOf(project, "run-started")[0]?.run;
  project.write("go", "");
  const { code, stdout } = await project.ralph(["run"]);
  expect(stdout).toContain(`run ${run} goes on`);
  expect(code).toBe(0);
  expect((await project.status()).run).toBe(run);
  expect(project.outcomes().at(-1)).toBe("accepted");
  expect(leftovers(project, mark)).toEqual([]);
}

/** Time from the order to stop at once to the end of the run, as the log has it. */
function stoppingMs(project: TestProject): number {
  const ordered = eventsOf(project, "cancel-ordered")[0]?.at ?? 0;
  return (eventsOf(project, "run-ended")[0]?.at ?? Number.POSITIVE_INFINITY) - ordered;
}

describe("P4 on a terminal", () => {
  test("P4 the first Ctrl+C stops after the current iteration and says so", async () => {
    const mark = newMark();
    const project = given(mark);
    project.stories({ id: "S-1" }, { id: "S-2" });
    project.commitAll();
    const terminal = new Terminal(project, ["run"]);
    await untilFile(project, "ready");
    terminal.type(CTRL_C);
    await terminal.shows("stopping after this iteration (Ctrl+C); once more stops at once");
    expect(marked(mark).length).toBeGreaterThanOrEqual(2);
    project.write("go", "");
    expect((await terminal.exited).exitCode).toBe(130);
    expect(project.outcomes()).toEqual(["accepted"]);
    expect(leftovers(project, mark)).toEqual([]);
    expect((await project.status()).end?.reason).toBe("stopped");
    await goesOn(project, mark);
    expect(project.outcomes()).toEqual(["accepted", "accepted"]);
  });

  test("P4 the second Ctrl+C stops now, with the tree dead within 5 s and exit 130", async () => {
    const mark = newMark();
    const project = given(mark);
    const terminal = new Terminal(project, ["run"]);
    await untilFile(project, "ready");
    terminal.type(CTRL_C);
    await terminal.shows("stopping after this iteration");
    terminal.type(CTRL_C);
    await terminal.shows("stopping now (Ctrl+C)");
    expect((await terminal.exited).exitCode).toBe(130);
    expect(leftovers(project, mark)).toEqual([]);
    expect(stoppingMs(project)).toBeLessThan(5_000);
    await goesOn(project, mark);
    expect(project.outcomes()).toEqual(["interrupted", "accepted"]);
  });

  test("P4 the third Ctrl+C kills the tree at once and exits", async () => {
    const mark = newMark();
    const project = given(mark);
    const terminal = new Terminal(project, ["run"]);
    await untilFile(project, "ready");
    terminal.type(CTRL_C);
    await terminal.shows("stopping after this iteration");
    terminal.type(CTRL_C);
    await terminal.shows("stopping now (Ctrl+C)");
    terminal.type(CTRL_C);
    expect((await terminal.exited).exitCode).toBe(130);
    await until("the tree is dead", () => leftovers(project, mark).length === 0, 1_000);
    // It did not wait for the children that ignore TERM, so there was no time to write an end.
    expect(eventsOf(project, "run-ended")).toEqual([]);
    await goesOn(project, mark);
    expect(project.outcomes()[0]).toBe("interrupted");
  });

  test("P4 the third Ctrl+C kills an agent that forks all the time with all it started", async () => {
    const mark = newMark();
    const project = new TestProject();
    project.stories({ id: "S-1" });
    // Eight shells that each keep forking, so that some fork while the others are being killed.
    shellAgent(
      project,
      `trap '' TERM INT HUP
      for i in 1 2 3 4 5 6 7 8; do
        setsid sh -c 'while [ -e "$HOME" ]; do setsid sleep ${mark} & kill $!; sleep 0.005; done' &
      done
      wait`,
    );
    project.commitAll();
    const terminal = new Terminal(project, ["run"]);
    await until("the shells are forking", () => marked(mark).length >= 8);
    terminal.type(CTRL_C);
    await terminal.shows("stopping after this iteration");
    terminal.type(CTRL_C);
    await terminal.shows("stopping now (Ctrl+C)");
    terminal.type(CTRL_C);
    expect((await terminal.exited).exitCode).toBe(130);
    await until("the tree is dead", () => leftovers(project, mark).length === 0, 1_000);
  });

  test("P4 ten fast Ctrl+C never wedge it", async () => {
    const mark = newMark();
    const project = given(mark);
    const terminal = new Terminal(project, ["run"]);
    await untilFile(project, "ready");
    for (let i = 0; i < 10; i++) {
      terminal.type(CTRL_C);
      // The terminal merges signals that are not yet taken, so each gets a moment.
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
    expect((await terminal.exited).exitCode).toBe(130);
    await until("the tree is dead", () => leftovers(project, mark).length === 0, 1_000);
    await goesOn(project, mark);
  });

  test("P4 a closed terminal leaves nothing behind", async () => {
    const mark = newMark();
    const project = given(mark);
    const terminal = new Terminal(project, ["run"]);
    await untilFile(project, "ready");
    terminal.close();
    await until("everything has ended", () => leftovers(project, mark).length === 0);
    expect(eventsOf(project, "run-ended")[0]).toMatchObject({ reason: "stopped", exitCode: 129 });
    expect(stoppingMs(project)).toBeLessThan(5_000);
    await goesOn(project, mark);
  });

  test("P4 Ctrl+C between two iterations ends a pause at once", async () => {
    const project = new TestProject();
    project.stories({ id: "S-1" }, { id: "S-2" });
    shellAgent(project, `${MARK}; echo done`, { config: "defaults: {pause_between: 1000s}\n" });
    project.commitAll();
    const terminal = new Terminal(project, ["run"]);
    await terminal.shows("pause between iterations");
    terminal.type(CTRL_C);
    expect((await terminal.exited).exitCode).toBe(130);
    expect((await project.status()).end?.reason).toBe("stopped");
  });
});

describe("P4 without a terminal", () => {
  const SIGNALS = [
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const;

  test.each(SIGNALS)("P4 the first %s stops now with exit %i", async (signal, exitCode) => {
    const mark = newMark();
    const project = given(mark);
    const run = await started(project);
    run.child.kill(signal);
    const { code, stdout } = await run.ended;
    expect(code).toBe(exitCode);
    expect(leftovers(project, mark)).toEqual([]);
    expect(stdout).toContain("stopping now");
    expect(stoppingMs(project)).toBeLessThan(5_000);
    expect(eventsOf(project, "run-ended")[0]).toMatchObject({ reason: "stopped", exitCode });
    await goesOn(project, mark);
  });

  test("P4 the second SIGINT kills at once", async () => {
    const mark = newMark();
    const project = given(mark);
    const run = await started(project);
    run.child.kill("SIGINT");
    await until("it is heard", () => run.output().includes("stopping now"));
    run.child.kill("SIGINT");
    expect((await run.ended).code).toBe(130);
    await until("the tree is dead", () => leftovers(project, mark).length === 0, 1_000);
    expect(eventsOf(project, "run-ended")).toEqual([]);
    await goesOn(project, mark);
  });

  test("P4 ten fast signals of each kind never wedge it", async () => {
    const mark = newMark();
    const project = given(mark);
    const run = await started(project);
    for (let i = 0; i < 30; i++) {
      run.child.kill(SIGNALS[i % 3]?.[0]);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect([129, 130, 143]).toContain((await run.ended).code);
    await until("the tree is dead", () => leftovers(project, mark).length === 0, 1_000);
    await goesOn(project, mark);
  });

  test("P4 a stop while a commit is being made leaves no lock of git behind", async () => {
    const mark = newMark();
    const project = new TestProject();
    project.stories({ id: "S-1" });
    shellAgent(project, `${MARK}; echo done`);
    project.commitAll();
    const hook = `#!/bin/sh\n[ -e go ] || { touch ready; sleep ${mark}; }\n`;
    project.write(".git/hooks/pre-commit", hook);
    chmodSync(join(project.root, ".git/hooks/pre-commit"), 0o755);
    const run = await started(project);
    expect(project.exists(".git/index.lock")).toBe(true);
    run.child.kill("SIGTERM");
    expect((await run.ended).code).toBe(143);
    expect(leftovers(project, mark)).toEqual([]);
    expect(project.exists(".git/index.lock")).toBe(false);
    await goesOn(project, mark);
    expect(eventsOf(project, "agent-started")).toHaveLength(1);
  });

  test("P4 a signal at any moment of the start or the end never wedges or breaks the run", async () => {
    const mark = newMark();
    const project = new TestProject();
    project.stories({ id: "S-1" }, { id: "S-2" }, { id: "S-3" });
    shellAgent(project, `setsid sleep ${mark} & ${MARK}; echo done`, {
      config: "quality_checks:\n  quick: sleep 0.02\n",
    });
    project.commitAll();
    // Fifteen moments between the first millisecond and the natural end.
    for (let i = 0; i < 15 && !isComplete(project); i++) {
      const run = project.start(["run", "-n", "100"]);
      const timer = setTimeout(() => run.child.kill("SIGTERM"), 20 + i * 25);
      const { code, signal, stderr } = await run.ended;
      clearTimeout(timer);
      expect(
        code === 0 || code === 143 || signal === "SIGTERM",
        `${code} ${signal} ${stderr}`,
      ).toBe(true);
      // A `git status` of the first look may outlive a runner that had not begun to listen yet, for a moment.
      await until("nothing to be left", () => leftovers(project, mark).length === 0, 3_000);
    }
    expect(await project.ralph(["run", "-n", "100"])).toMatchObject({ code: 0, stderr: "" });
    const tasks = (await project.status()).tasks.map((task) => task.status);
    expect(tasks).toEqual(["done", "done", "done"]);
  });
});

async function started(project: TestProject): Promise<Started> {
  const run = project.start(["run"]);
  await untilFile(project, "ready");
  return run;
}

function isComplete(project: TestProject): boolean {
  return !project.read(".ralph/shop/prd.json").includes('"passes": false');
}
