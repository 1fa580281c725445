import { spawn } from "node:child_process";
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
import { cli, isAlive, TestProject, until } from "../rig/project.ts";
import { Terminal } from "../rig/terminal.ts";

function given(mark: string): TestProject {
  const project = new TestProject();
  project.stories({ id: "S-1" }, { id: "S-2" });
  shellAgent(
    project,
    `(trap '' TERM INT HUP; setsid sleep ${mark} &) ; sleep ${mark} &
    until [ "$(ps -eo args | grep -c "^sleep ${mark}")" -ge 2 ]; do sleep 0.02; done
    echo working; touch ready
    while [ ! -e go ]; do sleep 0.05; done
    ${MARK}; echo done`,
  );
  project.write(".gitignore", "ready\ngo\n");
  project.commitAll();
  return project;
}

/** Starts a run in one of two ways; resolves when its agent works, with the pid of the runner. */
const WAYS = {
  "in the foreground": async (project: TestProject): Promise<number> => {
    const run = project.start(["run"]);
    await untilFile(project, "ready");
    return run.pid;
  },
  detached: async (project: TestProject): Promise<number> => {
    const { code, stdout } = await project.ralph(["run", "--detach"]);
    expect(code).toBe(0);
    const pid = Number(/in the background \(pid (\d+)\)/u.exec(stdout)?.[1]);
    await untilFile(project, "ready");
    return pid;
  },
} as const;

/** Time from the writing of the request to its place in the log; its id begins with when it was written. */
function heardMs(project: TestProject): number {
  const heard = eventsOf(project, "control-received")[0];
  return (heard?.at ?? Number.POSITIVE_INFINITY) - Number(String(heard?.["id"]).split("-")[0]);
}

describe.each(Object.entries(WAYS))("a run %s", (_, begin) => {
  test("P5 `ralph stop` is acknowledged at once and stops after the iteration", async () => {
    const mark = newMark();
    const project = given(mark);
    const pid = await begin(project);
    const stop = await project.ralph(["stop"]);
    expect(stop.code).toBe(0);
    expect(stop.stdout).toContain("will stop after iteration 1; --now stops it at once");
    expect(heardMs(project)).toBeLessThan(5_000);
    expect(isAlive(pid)).toBe(true);
    expect((await project.status()).state).toBe("stopping");
    project.write("go", "");
    await until("the run has ended", () => !isAlive(pid));
    expect(leftovers(project, mark)).toEqual([]);
    expect(project.outcomes()).toEqual(["accepted"]);
    expect((await project.status()).end).toMatchObject({ reason: "stopped", exitCode: 130 });
  });

  test("P5 `ralph stop --now` ends the run and its tree within 5 s, and `ralph run` goes on", async () => {
    const mark = newMark();
    const project = given(mark);
    const pid = await begin(project);
    expect(marked(mark).length).toBeGreaterThanOrEqual(2);
    const stop = await project.ralph(["stop", "--now"]);
    expect(stop).toMatchObject({ code: 0, stderr: "" });
    const run = eventsOf(project, "run-started")[0]?.run;
    expect(stop.stdout).toBe(`run ${run} has stopped; \`ralph run\` goes on with it\n`);
    await until("the runner is gone", () => !isAlive(pid), 2_000);
    expect(leftovers(project, mark)).toEqual([]);
    expect(heardMs(project)).toBeLessThan(5_000);
    const stoppedMs =
      (eventsOf(project, "run-ended")[0]?.at ?? Number.POSITIVE_INFINITY) -
      (eventsOf(project, "control-received")[0]?.at ?? 0);
    expect(stoppedMs).toBeLessThan(5_000);
    project.write("go", "");
    const again = await project.ralph(["run"]);
    expect(again.code).toBe(0);
    expect(again.stdout).toContain(`run ${run} goes on`);
  });

  test("P5 a stop after the iteration can be hastened by `--now`", async () => {
    const mark = newMark();
    const project = given(mark);
    const pid = await begin(project);
    await project.ralph(["stop"]);
    expect(isAlive(pid)).toBe(true);
    expect((await project.ralph(["stop", "--now"])).code).toBe(0);
    await until("the runner is gone", () => !isAlive(pid), 2_000);
    expect(leftovers(project, mark)).toEqual([]);
  });
});

test("P5 a detached run outlives the process and the terminal that started it", async () => {
  const mark = newMark();
  const project = given(mark);
  const terminal = new Terminal(project, ["run", "--detach"]);
  await terminal.shows(/in the background \(pid \d+\)/u);
  expect((await terminal.exited).exitCode).toBe(0);
  terminal.close();
  await untilFile(project, "ready");
  const pid = (await project.status()).pid ?? 0;
  expect(isAlive(pid)).toBe(true);
  expect(isAlive(terminal.pid)).toBe(false);
  project.write("go", "");
  await until("the run has ended", () => !isAlive(pid));
  expect((await project.status()).end?.reason).toBe("complete");
  expect(leftovers(project, mark)).toEqual([]);
});

test("P5 a detached run does not need anyone to hear that it has started", async () => {
  const mark = newMark();
  const project = given(mark);
  project.write("go", "");
  const child = spawn(process.execPath, [cli, "run"], {
    cwd: project.root,
    env: project.environment(),
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let errors = "";
  child.stderr?.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  child.disconnect();
  const code = await new Promise((resolve) => child.once("exit", resolve));
  expect(errors).toBe("");
  expect(code).toBe(0);
});

test("P5 mistakes of a detached run are told by the command that started it", async () => {
  const project = new TestProject();
  project.stories({ id: "S-1" });
  project.config("agent: nobody\n");
  project.commitAll();
  const { code, stderr } = await project.ralph(["run", "--detach"]);
  expect(code).toBe(64);
  expect(stderr).toContain(".ralph/config.yaml:1");
});

test("P5 without a run there is nothing to stop", async () => {
  const project = new TestProject();
  project.stories({ id: "S-1" });
  project.commitAll();
  const { code, stdout } = await project.ralph(["stop", "--now"]);
  expect(code).toBe(0);
  expect(stdout).toContain("nothing to stop");
});
