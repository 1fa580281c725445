import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventsSoFar, killWhen } from "../rig/killing.ts";
import { TestProject, until } from "../rig/project.ts";

const WAIT = `run: 'while [ ! -e "$HOME/go" ]; do sleep 0.05; done'`;
const DO_IT = "- do: [{run: 'echo x > work.txt'}, {mark: task}]\n";

function given(scenario: string, config = "", ids: readonly string[] = ["A", "B"]): TestProject {
  const project = new TestProject();
  project.stories(...ids.map((id) => ({ id })));
  project.config(`agent: scripted\n${config}`);
  project.scenario(scenario);
  project.commitAll();
  return project;
}

const GATE = "quality_checks: {right: 'cat work.txt; ! grep wrong work.txt'}\n";
const letGo = (project: TestProject): void => writeFileSync(join(project.home, "go"), "");
const isAtWork = (project: TestProject): boolean =>
  eventsSoFar(project).some(({ type }) => type === "agent-started");
const promptOf = (project: TestProject, iteration: string): string =>
  readFileSync(join(project.runFolder(), "iterations", iteration, "prompt"), "utf8");
const task = (id: string, status: string, verified: boolean): unknown =>
  expect.objectContaining({ id, title: `Title of ${id}`, status, verified });

test("V2 status --json has one shape before, during and after a run", async () => {
  const project = given(`- when: {task: B}\n  do: [{${WAIT}}, {mark: task}]\n${DO_IT}`, GATE);
  expect(await project.status()).toMatchObject({
    feature: "shop",
    state: "not-started",
    iteration: 0,
    tasks: [task("A", "open", false), task("B", "open", false)],
  });
  const run = project.start(["run"]);
  await until("the second story", async () => (await project.status()).iteration === 2);
  const during = await project.status();
  expect(during).toMatchObject({
    feature: "shop",
    state: "running",
    pid: run.pid,
    tasks: [task("A", "done", true), task("B", "open", false)],
  });
  // The second iteration has begun, and may be a few steps before its agent.
  await until("the agent", async () => {
    const current = (await project.status())["current"] as { doing?: string } | null;
    return current?.doing === "run-agent";
  });
  expect((await project.ralph(["status"])).stdout).toMatch(
    /^shop: running, iteration 2 for \S+, B, the agent works \(pid \d+\)\n/u,
  );
  letGo(project);
  expect((await run.ended).code).toBe(0);
  const after = await project.status();
  expect(after).toMatchObject({
    feature: "shop",
    state: "ended",
    iteration: 2,
    tasks: [task("A", "done", true), task("B", "done", true)],
    end: { reason: "complete", exitCode: 0 },
  });
  for (const status of [during, after])
    expect(Object.keys(status)).toEqual(
      expect.arrayContaining(["feature", "state", "iteration", "tasks"]),
    );
});

test("V2 status tells a run that was cut off from one that ended", async () => {
  const project = given("- do: [{hang: {signals: heed}}]\n");
  await killWhen(project, "the agent", () => isAtWork(project));
  expect((await project.status()).state).toBe("crashed");
  expect((await project.ralph(["status"])).stdout).toContain("`ralph run` goes on with it");
  expect((await project.ralph(["why"])).stdout).toMatch(
    /was cut off in iteration 1 \(step: the agent works\), after 1 iteration/u,
  );
});

test("V2 status --watch shows every change until the run ends", async () => {
  const project = given(`- do: [{${WAIT}}, {mark: task}]\n`);
  const run = project.start(["run"]);
  await until("the agent", () => isAtWork(project));
  const watch = project.start(["status", "--watch", "--json"]);
  await until("a first answer", () => watch.output().includes('"running"'));
  letGo(project);
  expect((await run.ended).code).toBe(0);
  const { code, stdout } = await watch.ended;
  expect(code).toBe(0);
  const states = stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { state: string });
  expect(states[0]?.state).toBe("running");
  expect(states.at(-1)).toMatchObject({ state: "ended", end: { reason: "complete" } });
});

test("V1 logs are lines for people; --last cuts them; --json is the log itself", async () => {
  const project = given(DO_IT);
  await project.ralph(["run"]);
  const people = (await project.ralph(["logs"])).stdout.trim().split("\n");
  expect(people[0]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z run .* of shop started/u);
  expect(people.at(-1)).toContain("ended: complete (exit 0)");
  const log = readFileSync(join(project.runFolder(), "events.ndjson"), "utf8");
  expect((await project.ralph(["logs", "--json"])).stdout).toBe(log);
  const last = (await project.ralph(["logs", "--json", "--last", "3"])).stdout;
  expect(last).toBe(`${log.trimEnd().split("\n").slice(-3).join("\n")}\n`);
});

test("V2 logs --follow --json is live and ends with the run", async () => {
  const project = given(`- do: [{${WAIT}}, {mark: task}]\n`);
  const run = project.start(["run"]);
  await until("the agent", () => isAtWork(project));
  const follow = project.start(["logs", "--follow", "--json"]);
  await until("the start of the agent", () => follow.output().includes('"agent-started"'));
  expect(follow.output()).not.toContain('"iteration-ended"');
  letGo(project);
  await run.ended;
  const { code, stdout } = await follow.ended;
  expect(code).toBe(0);
  expect(stdout).toBe(readFileSync(join(project.runFolder(), "events.ndjson"), "utf8"));
});

test("logs --follow ends when the run's process has died", async () => {
  const project = given("- do: [{hang: {signals: heed}}]\n");
  const run = project.start(["run"]);
  await until("the agent", () => isAtWork(project));
  const follow = project.start(["logs", "--follow"]);
  await until("a first line", () => follow.output().includes("started"));
  run.child.kill("SIGKILL");
  expect((await follow.ended).code).toBe(0);
});

test("V1 settings that changed while a run was stopped are told by their names in config.yaml", async () => {
  const project = given("- do: [{say: 'NEEDS_HUMAN: which one?'}]\n");
  expect((await project.ralph(["run"])).code).toBe(2);
  project.config(`agent: scripted\nlimits: {wait: 5m}\n${GATE}`);
  const { stdout } = await project.ralph(["run", "-n", "7"]);
  expect(stdout).toContain(
    "settings changed: defaults.max_iterations, quality_checks, limits.wait\n",
  );
});

test("commands about a run that never was say so and are no error", async () => {
  const project = given(DO_IT);
  expect(await project.ralph(["why"])).toMatchObject({ code: 0, stdout: "shop has no run yet\n" });
  expect(await project.ralph(["logs"])).toMatchObject({ code: 0, stdout: "" });
  expect((await project.ralph(["status"])).stdout).toContain("shop: no run yet");
  expect((await project.ralph(["stop"])).code).toBe(0);
});

test("V3 run --json prints exactly one object on standard output, all else on standard error", async () => {
  const project = given(DO_IT, GATE);
  const { code, stdout, stderr } = await project.ralph(["run", "--json"]);
  expect(code).toBe(0);
  expect(stdout.trim().split("\n")).toHaveLength(1);
  expect(JSON.parse(stdout)).toMatchObject({
    feature: "shop",
    reason: "complete",
    exitCode: 0,
    iterations: 2,
    tasks: { total: 2, done: 2, open: 0 },
    accepted: { A: "verified", B: "verified" },
  });
  expect(stderr).toContain("iteration 2: accepted");
});

test("L6 -n 2 ends the run with exit 1 when the iterations are used up; why tells", async () => {
  const project = given("- do: [{run: 'echo x >> work.txt'}]\n");
  const { code, stdout } = await project.ralph(["run", "-n", "2"]);
  expect(code).toBe(1);
  expect(stdout).toContain("iterations-used-up (exit 1). 2 of 2 iterations used, 2 tasks open");
  expect(project.outcomes()).toEqual(["progressed", "progressed"]);
  const why = (await project.ralph(["why"])).stdout;
  expect(why).toContain("iterations-used-up (exit 1)");
  expect(why).toContain("`ralph run` starts a new run");
  expect((await project.status()).end).toMatchObject({ reason: "iterations-used-up", exitCode: 1 });
});

test("L6 --max-time ends an agent that is at work and the run with exit 3; no further agent starts", async () => {
  const project = given("- do: [{run: 'echo x >> work.txt'}, {hang: {}}]\n");
  const { code, stdout } = await project.ralph(["run", "--max-time", "1500ms"]);
  expect(code).toBe(3);
  expect(stdout).toContain("budget-used-up (exit 3)");
  expect(project.outcomes()).toEqual(["timed-out"]);
  expect((await project.ralph(["why"])).stdout).toContain("--max-time");
});

test("why names the agent that cannot be started, and what to do", async () => {
  const project = new TestProject();
  project.stories({ id: "A" });
  project.config("agent: {name: command, command: ./no-such-agent}\n");
  project.commitAll();
  const { code } = await project.ralph(["run"]);
  expect(code).toBe(4);
  const why = (await project.ralph(["why"])).stdout;
  expect(why).toContain("agent-unusable (exit 4)");
  expect(why).toContain("./no-such-agent");
  expect(await project.status()).toMatchObject({ charged: expect.any(Number) as number });
});

test("why of a complete and of a stopped run", async () => {
  const project = given(DO_IT);
  await project.ralph(["run"]);
  expect((await project.ralph(["why"])).stdout).toContain("complete (exit 0), after 2 iterations");
  const stopped = given("- do: [{hang: {signals: heed}}]\n");
  const run = stopped.start(["run"]);
  await until("the agent", () => isAtWork(stopped));
  run.child.kill("SIGTERM");
  expect((await run.ended).code).toBe(143);
  expect((await stopped.ralph(["why"])).stdout).toContain("stopped (exit 143)");
});

test("T11 without a gate every accepted task is shown as unverified", async () => {
  const project = given(DO_IT);
  const { stdout } = await project.ralph(["run"]);
  expect(stdout).toContain("no gates (work will be unverified)");
  expect(stdout).toContain("iteration 1: accepted [unverified]");
  const status = await project.status();
  expect(status.tasks).toEqual([task("A", "done", false), task("B", "done", false)]);
  expect((await project.ralph(["status"])).stdout.match(/\(unverified\)/gu)).toHaveLength(2);
});

test("T2 a promise with work open is a rejected claim, and the next prompt says why", async () => {
  const project = given(
    `- when: {task: A, attempt: 1}\n  do: [{run: 'echo x > a.txt'}, {say: "<promise>COMPLETE</promise>"}]\n${DO_IT}`,
  );
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(project.outcomes()).toEqual(["rejected", "accepted", "accepted"]);
  expect(promptOf(project, "2-2")).toContain("promises that all is done, but 2 tasks are open");
});

test("T2 T3 all done and gates green ends the run complete without a promise, also on the last iteration", async () => {
  const project = given(DO_IT, GATE);
  expect((await project.ralph(["run", "-n", "2"])).code).toBe(0);
  expect(project.outcomes()).toEqual(["accepted", "accepted"]);
});

test("T3 everything marked done but a gate red as before is accepted unverified, and not complete", async () => {
  const project = given(DO_IT, "quality_checks: {never: 'false'}\n", ["A"]);
  const { code } = await project.ralph(["run", "-n", "2"]);
  expect(code).toBe(2);
  expect(project.outcomes()).toEqual(["accepted", "needs-human"]);
  const status = await project.status();
  expect(status.tasks).toEqual([task("A", "done", false)]);
  expect(status.end).toMatchObject({ reason: "needs-human", exitCode: 2 });
  expect(status.end?.detail).toContain('every task is marked done, but the gate "never" fails');
});

test("T4 a mark whose gate fails is taken back; the first failing lines are in the next prompt and in why", async () => {
  const project = given(
    `- when: {attempt: 1}\n  do: [{run: 'echo "wrong answer 42" > work.txt'}, {mark: task}]\n${DO_IT}`,
    GATE,
    ["A"],
  );
  const { code } = await project.ralph(["run", "-n", "1"]);
  expect(code).toBe(1);
  expect(project.outcomes()).toEqual(["rejected"]);
  expect((await project.status()).tasks).toEqual([task("A", "open", false)]);
  expect((await project.ralph(["why"])).stdout).toContain("    wrong answer 42");
  expect(project.git("log", "--format=%s").trim()).toBe("start");
});

test("T4 the next attempt reads why the claim was rejected", async () => {
  const project = given(
    `- when: {attempt: 1}\n  do: [{run: 'echo "wrong answer 42" > work.txt'}, {mark: task}]\n${DO_IT}`,
    GATE,
    ["A"],
  );
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(project.outcomes()).toEqual(["rejected", "accepted"]);
  const prompt = promptOf(project, "2-2");
  expect(prompt).toContain('the gate "right" fails (A).');
  expect(prompt).toContain("    wrong answer 42");
  expect(promptOf(project, "1-1")).not.toContain("Why the last claim was rejected");
});

test.each([
  [
    "left as broken JSON",
    '{"userStories": [',
    `run: 'printf "{\\"userStories\\": [" > "$RALPH_TASKS_FILE"'`,
  ],
  ["deleted", undefined, `run: 'rm "$RALPH_TASKS_FILE"'`],
  ["emptied", "", `run: ': > "$RALPH_TASKS_FILE"'`],
])(
  "T8 a task list that was %s is put back, and what was there is kept aside",
  async (_, left, harm) => {
    const project = given(`- when: {attempt: 1}\n  do: [{${harm}}]\n${DO_IT}`, "", ["A"]);
    const before = project.read(".ralph/shop/prd.json");
    const { code, stdout } = await project.ralph(["run", "-n", "1"]);
    expect(code).toBe(1);
    expect(project.read(".ralph/shop/prd.json")).toBe(before);
    expect(project.outcomes()).toEqual(["rejected"]);
    expect(stdout).toContain("the task list was put back");
    const aside = join(project.runFolder(), "iterations", "1-1", "tasks.broken");
    // A list that was deleted leaves nothing to keep.
    expect(existsSync(aside) ? readFileSync(aside, "utf8") : undefined).toBe(left);
    expect((await project.ralph(["run"])).code).toBe(0);
  },
);

test("T9 exit 0 without any change is a no-op, never done", async () => {
  const project = given("- do: [{say: all is well}]\n");
  const { code } = await project.ralph(["run", "-n", "2"]);
  expect(code).toBe(1);
  expect(project.outcomes()).toEqual(["no-op", "no-op"]);
});

test("help and version answer and do nothing", async () => {
  const project = given(DO_IT);
  for (const args of [[], ["--help"], ["run", "--help"], ["--version"], ["help", "status"]]) {
    const { code, stdout, stderr } = await project.ralph(args);
    expect(code, `printed: ${stderr}`).toBe(0);
    expect(stdout).not.toBe("");
  }
  expect(project.exists(".git/ralph")).toBe(false);
});
