import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventsOf, shellAgent } from "../rig/agents.ts";
import { eventsSoFar } from "../rig/killing.ts";
import { type Story, TestProject, until } from "../rig/project.ts";

const WORK = "{run: 'echo x >> work.txt'}";
const IDLE = "- do: [{say: I looked around.}]\n";
const DO_IT = `- do: [${WORK}, {mark: task}]\n`;
const ONE: readonly Story[] = [{ id: "A" }];
const TWO: readonly Story[] = [{ id: "A" }, { id: "B" }];

function given(scenario: string, stories: readonly Story[] = ONE, config = ""): TestProject {
  const project = new TestProject();
  project.stories(...stories);
  project.config(`agent: scripted\n${config}`);
  project.scenario(scenario);
  project.commitAll();
  return project;
}

/** A plain-text agent that runs the script; `$HOME` is where it may keep what git must not see. */
function givenScript(body: string, stories: readonly Story[] = ONE, config = ""): TestProject {
  const project = new TestProject();
  project.stories(...stories);
  shellAgent(project, `cat > /dev/null\n${body}`, { config });
  project.commitAll();
  return project;
}

interface End {
  readonly outcome: string;
  readonly task?: { id: string };
  readonly error?: string;
  readonly charged: boolean;
  readonly parked?: { why: string; detail: string };
}

const ends = (project: TestProject): End[] =>
  eventsOf(project, "iteration-ended").map((event) => event["end"] as End);
const tasksTried = (project: TestProject): (string | undefined)[] =>
  ends(project).flatMap(({ task }) => (task === undefined ? [] : [task.id]));
const breaker = async (project: TestProject): Promise<unknown> =>
  (await project.status())["breaker"];
const endReason = async (project: TestProject): Promise<string | undefined> =>
  (await project.status()).end?.reason;
const runs = (project: TestProject): number =>
  readdirSync(join(project.root, ".git", "ralph", "runs")).length;

test("E5 S4 three iterations without any change open the breaker: exit 1, circuit-open", async () => {
  const project = given(IDLE);
  expect((await project.ralph(["run"])).code).toBe(1);
  expect(project.outcomes()).toEqual(["no-op", "no-op", "no-op"]);
  expect(await endReason(project)).toBe("circuit-open");
  expect(await breaker(project)).toMatchObject({
    state: "open",
    why: "3 iterations in a row without any change",
  });
});

test("E5 a change in between starts the count anew", async () => {
  const project = given(`- when: {attempt: 3}\n  do: [${WORK}]\n${IDLE}`);
  expect((await project.ralph(["run"])).code).toBe(1);
  expect(project.outcomes()).toEqual(["no-op", "no-op", "progressed", "no-op", "no-op", "no-op"]);
});

/** The same mistake with other numbers, paths, times and ids each time. */
const SAME_ERROR = `echo x >> work.txt; n=$(wc -l < work.txt)
echo "2026-11-15T07:0$n:5$n.13$nZ ERROR /tmp/build-$n$n/src/file$n.ts:1$n:2 cannot connect to 127.0.0.1:80$n$n after $n.5s (request 0x$n$n\${n}f)"`;

test("E5 E10 five iterations with the same error open it, whatever its numbers, paths and times", async () => {
  const project = givenScript(SAME_ERROR);
  expect((await project.ralph(["run"])).code).toBe(1);
  expect(project.outcomes()).toEqual(Array.from({ length: 5 }, () => "progressed"));
  expect(new Set(ends(project).map(({ error }) => error)).size).toBe(1);
  expect(await breaker(project)).toMatchObject({
    state: "open",
    why: expect.stringContaining("the same error 5 times") as string,
  });
});

test("E5 another error each time opens nothing", async () => {
  const words = ["apples", "pears", "plums", "nuts", "figs", "dates"];
  const project = givenScript(
    `echo x >> work.txt; set -- ${words.join(" ")}; shift $((RALPH_ITERATION - 1)); echo "Error: no $1 left"`,
  );
  expect((await project.ralph(["run", "-n", "6"])).code).toBe(1);
  expect(await endReason(project)).toBe("iterations-used-up");
});

test("E5 the same gate failure five times opens it, with other claims in between", async () => {
  const project = given(
    `- do: [{run: 'echo wrong >> work.txt'}, {mark: task}]\n`,
    ONE,
    "quality_checks: {t: 'test ! -e work.txt || { wc -l work.txt; echo Error: bad; false; }'}\ncompletion: {consecutive_done_signals: 50}\n",
  );
  expect((await project.ralph(["run"])).code).toBe(1);
  expect(project.outcomes()).toHaveLength(5);
  expect(await endReason(project)).toBe("circuit-open");
});

test("E5 CB_NO_PROGRESS_THRESHOLD and CB_SAME_ERROR_THRESHOLD set the numbers, as the config does", async () => {
  const idle = given(IDLE);
  await idle.ralph(["run"], { env: { CB_NO_PROGRESS_THRESHOLD: "2" } });
  expect(idle.outcomes()).toHaveLength(2);
  const same = givenScript(SAME_ERROR);
  await same.ralph(["run"], { env: { CB_SAME_ERROR_THRESHOLD: "3" } });
  expect(same.outcomes()).toHaveLength(3);
  const configured = given(IDLE, ONE, "circuit_breaker: {no_progress_threshold: 1}\n");
  await configured.ralph(["run"]);
  expect(configured.outcomes()).toHaveLength(1);
  const wrong = await idle.ralph(["run"], { env: { CB_SAME_ERROR_THRESHOLD: "some" } });
  expect(wrong.code).toBe(64);
  expect(wrong.stderr).toContain("CB_SAME_ERROR_THRESHOLD");
});

test("S4 successes never trip the breaker, also when each of them tells the same error", async () => {
  const stories = Array.from({ length: 7 }, (_, n) => ({ id: `T${n}` }));
  const project = givenScript(
    `echo x >> work.txt; sed -i '0,/"passes": false/s//"passes": true/' "$RALPH_TASKS_FILE"; echo "Error: all the same"`,
    stories,
  );
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(project.outcomes()).toEqual(stories.map(() => "accepted"));
  expect(await breaker(project)).toMatchObject({ state: "closed" });
});

test("S4 a task is laid aside before the run is stopped, and comes back when no other is left", async () => {
  const project = given(`- when: {task: A}\n  do: [{say: no idea}]\n${DO_IT}`, TWO);
  expect((await project.ralph(["run"])).code).toBe(1);
  expect(tasksTried(project)).toEqual(["A", "A", "B", "A", "A", "A"]);
  expect(ends(project)[1]?.parked).toMatchObject({ why: "no-change" });
  expect(await endReason(project)).toBe("circuit-open");
  expect((await project.status()).tasks[1]).toMatchObject({ status: "done" });
});

test("S4 a task with the same error is laid aside one try before the breaker would open", async () => {
  const project = givenScript(
    `if [ "$RALPH_TASK_ID" = B ]; then echo y > b.txt; sed -i '/"Title of B"/{n;s/false/true/}' "$RALPH_TASKS_FILE"; exit; fi\n${SAME_ERROR}`,
    TWO,
  );
  expect((await project.ralph(["run", "-n", "5"])).code).toBe(1);
  expect(tasksTried(project)).toEqual(["A", "A", "A", "A", "B"]);
  expect(ends(project)[3]?.parked).toMatchObject({ why: "same-error" });
});

test("S4 E5 iterations without acceptance are counted apart: warned of, then others go first", async () => {
  const project = given(
    `- when: {task: A}\n  do: [${WORK}]\n${DO_IT}`,
    TWO,
    "stuck: {warn_after: 1, defer_after: 2}\n",
  );
  expect((await project.ralph(["run", "-n", "4"])).code).toBe(1);
  expect(tasksTried(project)).toEqual(["A", "A", "B", "A"]);
  expect(ends(project)[1]?.parked).toMatchObject({ why: "stuck" });
  const prompt = (name: string): string =>
    readFileSync(join(project.runFolder(), "iterations", name, "prompt"), "utf8");
  expect(prompt("1-1")).not.toContain("none was accepted");
  expect(prompt("2-2")).toContain("1 iteration");
  expect(await endReason(project)).toBe("iterations-used-up");
});

test("E5 S4 a run on an open breaker is half open: one trial without change opens it again", async () => {
  const project = given(IDLE);
  await project.ralph(["run"]);
  const { code, stdout } = await project.ralph(["run"]);
  expect(code).toBe(1);
  expect(stdout).toContain("the circuit breaker was open");
  expect(runs(project)).toBe(2);
  expect(project.outcomes()).toEqual(["no-op"]);
  expect(await breaker(project)).toMatchObject({ state: "open" });
  expect(await endReason(project)).toBe("circuit-open");
});

test("E5 S4 a trial that moves something closes the breaker, and the run goes on", async () => {
  const project = given(IDLE);
  await project.ralph(["run"]);
  project.scenario(
    `- when: {attempt: 1}\n  do: [${WORK}]\n- when: {attempt: 2}\n  do: []\n${DO_IT}`,
  );
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(project.outcomes()).toEqual(["progressed", "no-op", "accepted"]);
  expect(await breaker(project)).toMatchObject({ state: "closed", why: null });
});

test("E5 the breaker is on the disk: it is half open while the trial works, also after kill -9", async () => {
  const project = given(IDLE);
  await project.ralph(["run"]);
  project.scenario("- when: {attempt: 1}\n  do: [{hang: {}}]\n- do: []\n");
  const trial = project.start(["run"]);
  const isAtWork = (): boolean => eventsSoFar(project).at(-1)?.type === "agent-started";
  await until("the trial", () => runs(project) === 2 && isAtWork());
  expect(await breaker(project)).toMatchObject({ state: "half-open" });
  trial.child.kill("SIGKILL");
  await trial.ended;
  expect((await project.ralph(["run"])).code).toBe(1);
  expect(project.outcomes()).toEqual(["interrupted", "no-op"]);
  expect(await breaker(project)).toMatchObject({ state: "open" });
});

test("E5 --reset-circuit closes the breaker: the full number of tries is there again", async () => {
  const project = given(IDLE);
  await project.ralph(["run"]);
  expect((await project.ralph(["run", "--reset-circuit"])).code).toBe(1);
  expect(project.outcomes()).toEqual(["no-op", "no-op", "no-op"]);
});

test("E9 two rejected claims in a row lay the task aside and end the run circuit-open, exit 1", async () => {
  const project = given(
    "- do: [{run: 'echo wrong >> work.txt'}, {mark: task}]\n",
    ONE,
    "quality_checks: {t: '! grep -qs wrong work.txt'}\n",
  );
  expect((await project.ralph(["run"])).code).toBe(1);
  expect(project.outcomes().slice(0, 2)).toEqual(["rejected", "rejected"]);
  expect(eventsOf(project, "agent-started")).toHaveLength(2);
  expect(ends(project)[1]?.parked).toMatchObject({ why: "rejected-claims" });
  const status = await project.status();
  expect(status.end).toMatchObject({ reason: "circuit-open", exitCode: 1 });
  expect(status.tasks[0]).toMatchObject({ status: "open", parked: { why: "rejected-claims" } });
});

test("E9 the other tasks go on after one was laid aside; an iteration that claims nothing starts the count anew", async () => {
  const project = given(
    `
- when: {task: A, attempt: 2}
  do: [${WORK}]
- when: {task: A}
  do: [${WORK}, {say: "<promise>COMPLETE</promise>"}]
${DO_IT}`,
    TWO,
  );
  expect((await project.ralph(["run"])).code).toBe(1);
  expect(tasksTried(project)).toEqual(["A", "A", "A", "A", "B"]);
  expect(ends(project)[3]?.parked).toMatchObject({ why: "rejected-claims" });
  expect(await endReason(project)).toBe("circuit-open");
});

test("E9 three iterations that change tests and nothing else lay the task aside, by the diff and not by words", async () => {
  const project = given(
    `- do: [{run: 'mkdir -p test; echo "test(1)" >> test/a.test.js'}, {say: "I wrote the feature."}]\n`,
  );
  expect((await project.ralph(["run"])).code).toBe(1);
  expect(eventsOf(project, "agent-started")).toHaveLength(3);
  expect(ends(project)[2]?.parked).toMatchObject({ why: "test-only" });
  expect(await endReason(project)).toBe("circuit-open");
});

test("E9 tests together with code, or talk of tests, are no test-only iterations", async () => {
  const project = given(
    `- do: [{run: 'mkdir -p test; echo "test(1)" >> test/a.test.js; echo x >> work.txt'}, {say: "Only tests were run and written: test test test."}]\n`,
  );
  await project.ralph(["run", "-n", "4"]);
  expect(await endReason(project)).toBe("iterations-used-up");
});

const samples = (name: string): string =>
  new URL(`../rig/errors/${name}.txt`, import.meta.url).pathname;

test("E10 an agent that prints the false samples all the time never trips the breaker", async () => {
  const project = givenScript(
    `echo x >> work.txt; cat "${samples("false")}"; cat "${samples("false")}" >&2`,
  );
  await project.ralph(["run", "-n", "8"]);
  expect(await endReason(project)).toBe("iterations-used-up");
  expect(ends(project).map(({ error }) => error)).toEqual(Array.from({ length: 8 }));
});

test("E10 each false sample as the last paragraph is no error, and each true one is", async () => {
  for (const [name, isError] of [
    ["false", false],
    ["true", true],
  ] as const) {
    const count = readFileSync(samples(name), "utf8").trim().split(/\n\n/u).length;
    const project = givenScript(
      `echo x >> work.txt; awk -v RS= "NR == $RALPH_ITERATION" "${samples(name)}"`,
      ONE,
      "circuit_breaker: {same_error_threshold: 1000}\n",
    );
    await project.ralph(["run", "-n", String(Math.min(count, 12))]);
    const wrong = ends(project).filter(({ error }) => (error !== undefined) !== isError);
    expect(wrong, `samples: ${name}`).toEqual([]);
  }
});

test("E10 an agent with events says itself whether it failed: the words of a good result are no errors", async () => {
  const project = given(`- do: [${WORK}, {say: "Error: this was the cause, and it is mended"}]\n`);
  await project.ralph(["run", "-n", "6"]);
  expect(await endReason(project)).toBe("iterations-used-up");
});

test("E7 -t ends an agent at its time: a failed iteration, charged, told to the next, tried again", async () => {
  const project = given(`- when: {attempt: 1}\n  do: [{hang: {signals: ignore}}]\n${DO_IT}`);
  expect((await project.ralph(["run", "-n", "1", "-t", "300ms"])).code).toBe(1);
  expect(ends(project)).toMatchObject([{ outcome: "timed-out", charged: true, clock: "wall" }]);
  expect(await project.status()).toMatchObject({ charged: 1, tasks: [{ status: "open" }] });
  expect(project.read(".ralph/shop/progress.txt")).toContain("the wall clock ran out");
  expect(project.processes()).toEqual([]);
});

test("E7 an iteration that runs out of time again and again is the same error", async () => {
  const project = given(`- do: [${WORK}, {hang: {}}]\n`);
  const env = { CB_SAME_ERROR_THRESHOLD: "2" };
  expect((await project.ralph(["run", "-t", "300ms"], { env })).code).toBe(1);
  expect(project.outcomes()).toEqual(["timed-out", "timed-out"]);
  expect(await endReason(project)).toBe("circuit-open");
});

const HOUR_MS = 3_600_000;

/** The file with the starts of agents in the tree. */
function callsFile(project: TestProject): string {
  const folder = join(project.root, ".git", "ralph", "calls");
  const [name] = readdirSync(folder);
  if (name === undefined) throw new Error("no start was noted");
  return join(folder, name);
}

/** Makes the starts of the last hour so old that the first falls out of the hour in `ms`. */
function ageCalls(project: TestProject, ms: number): number {
  const path = callsFile(project);
  const count = readFileSync(path, "utf8").trim().split("\n").length;
  const first = Date.now() - HOUR_MS + ms;
  const starts = Array.from({ length: count }, (_, n) => `${first + n}\n`);
  writeFileSync(path, starts.join(""));
  return first;
}

/** A second feature, called other, like the first. */
function addFeature(project: TestProject): void {
  for (const file of ["prd.json", "scenario.yaml"])
    project.write(`.ralph/other/${file}`, project.read(`.ralph/shop/${file}`));
  project.commitAll("another feature");
}

test("E6 the rate limit counts agent starts over runs, waits for the hour to pass, and goes on", async () => {
  const project = given(`- do: [${WORK}]\n`);
  await project.ralph(["run", "-n", "2", "-r", "2"]);
  expect(readFileSync(callsFile(project), "utf8").trim().split("\n")).toHaveLength(2);
  const first = ageCalls(project, 4_000);
  const run = project.start(["run", "-n", "1", "-r", "2"]);
  await until("the wait", () => run.output().includes("waiting until"));
  expect(eventsOf(project, "agent-started")).toEqual([]);
  const [wait] = eventsOf(project, "wait-started");
  expect(wait?.["until"]).toBe(first + HOUR_MS);
  expect(wait?.["reason"]).toContain("2 agent starts within an hour");
  expect(await project.status()).toMatchObject({ state: "waiting", waitingUntil: first + HOUR_MS });
  expect((await project.ralph(["status"])).stdout).toMatch(/waiting for \d/u);
  expect((await run.ended).code).toBe(1);
  const [started] = eventsOf(project, "agent-started");
  expect(started?.at).toBeGreaterThanOrEqual(first + HOUR_MS);
});

test("E6 the limit is shared by the features of a tree, and survives kill -9", async () => {
  const project = given(`- do: [${WORK}]\n`);
  addFeature(project);
  await project.ralph(["run", "-f", "shop", "-n", "1"]);
  const first = ageCalls(project, 60_000);
  const args = ["run", "-f", "other", "-n", "1", "-r", "1"];
  const killed = project.start(args);
  await until("the wait", () => killed.output().includes("waiting until"));
  killed.child.kill("SIGKILL");
  await killed.ended;
  const again = project.start(args);
  await until("the wait again", () => again.output().includes("waiting until"));
  expect(eventsOf(project, "wait-started").at(-1)?.["until"]).toBe(first + HOUR_MS);
  await project.ralph(["stop"]);
  expect((await again.ended).code).toBe(130);
  expect(eventsOf(project, "agent-started")).toEqual([]);
});

test("E6 the limit comes from the config and from RATE_LIMIT_PER_HOUR, too; starts older than an hour do not count", async () => {
  const project = given(`- do: [${WORK}]\n`, ONE, "defaults: {rate_limit_per_hour: 1}\n");
  await project.ralph(["run", "-n", "1"]);
  ageCalls(project, -1);
  expect((await project.ralph(["run", "-n", "1"])).code).toBe(1);
  const run = project.start(["run", "-n", "1"], { env: { RATE_LIMIT_PER_HOUR: "1" } });
  await until("the wait", () => run.output().includes("waiting until"));
  await project.ralph(["stop"]);
  expect((await run.ended).code).toBe(130);
});

/** Half a dollar and 1010 tokens for each iteration. */
const PAID = `{note: {type: result, good: true, text: x, costUsd: 0.5, tokens: {input: 1000, output: 10}}}`;
const PAID_WORK = `- do: [${WORK}, ${PAID}]\n`;
const GATE = "quality_checks: {fine: 'true'}\n";
const RELEASE = `{run: 'while [ ! -e "$HOME/go" ]; do sleep 0.02; done'}`;

/** A run that was told to stop in its first iteration and has let go of it. */
async function stoppedAfterOne(project: TestProject, args: readonly string[]): Promise<string> {
  const run = project.start(["run", ...args]);
  await until("the agent", () => eventsSoFar(project).some(({ type }) => type === "agent-started"));
  await project.ralph(["stop"]);
  writeFileSync(join(project.home, "go"), "");
  expect((await run.ended).code).toBe(130);
  return project.events()[0]?.run ?? "";
}

test("G6 a stopped run goes on as the same run, with its iterations and its money", async () => {
  const project = given(`- do: [${RELEASE}, ${WORK}, ${PAID}]\n`);
  const run = await stoppedAfterOne(project, ["-n", "3"]);
  expect((await project.ralph(["run", "-n", "3"])).code).toBe(1);
  expect(project.events().at(-1)?.run).toBe(run);
  expect(runs(project)).toBe(1);
  expect(await project.status()).toMatchObject({
    iteration: 3,
    charged: 3,
    costUsd: 1.5,
    end: { reason: "iterations-used-up" },
  });
});

test("G6 L6 the cap on money of a run adds up over its restarts", async () => {
  const project = given(`- do: [${RELEASE}, ${WORK}, ${PAID}]\n`);
  await stoppedAfterOne(project, ["--max-cost", "0.9"]);
  expect((await project.ralph(["run", "--max-cost", "0.9"])).code).toBe(3);
  expect(project.outcomes()).toHaveLength(2);
});

test("G6 a run that was killed goes on as the same run; the cut iteration is charged once", async () => {
  const project = given(`- when: {attempt: 2}\n  do: [{hang: {}}]\n${PAID_WORK}`);
  const killed = project.start(["run", "-n", "3"]);
  const isSecond = (): boolean =>
    eventsSoFar(project).filter(({ type }) => type === "agent-started").length === 2;
  await until("the second agent", isSecond);
  killed.child.kill("SIGKILL");
  await killed.ended;
  expect((await project.ralph(["run", "-n", "3"])).code).toBe(1);
  expect(runs(project)).toBe(1);
  expect(project.outcomes()).toEqual(["progressed", "interrupted", "progressed"]);
  expect((await project.status()).charged).toBe(3);
});

test("G6 a run that ended is followed by a new one: fresh iterations, kept history, verified tasks", async () => {
  const project = given(DO_IT, [{ id: "A" }, { id: "B" }, { id: "C" }], GATE);
  expect((await project.ralph(["run", "-n", "1"])).code).toBe(1);
  const first = join(project.runFolder(), "events.ndjson");
  const history = readFileSync(first, "utf8");
  expect((await project.ralph(["run", "-n", "1"])).code).toBe(1);
  expect(runs(project)).toBe(2);
  expect(readFileSync(first, "utf8")).toBe(history);
  const status = await project.status();
  expect(status).toMatchObject({ iteration: 1, charged: 1 });
  expect(status.tasks.map(({ verified }) => verified)).toEqual([true, true, false]);
});

test("G6 the money of a feature is counted over all its runs", async () => {
  const project = given(PAID_WORK, ONE, "budget: {feature_usd: 1.2}\n");
  const codes: (number | null)[] = [];
  for (let n = 1; n <= 4; n++) codes.push((await project.ralph(["run", "-n", "1"])).code);
  // The third goes beyond it; the fourth starts no agent any more.
  expect(codes).toEqual([1, 1, 1, 3]);
  expect(eventsOf(project, "agent-started")).toEqual([]);
  expect(await project.status()).toMatchObject({
    costUsd: null,
    end: { reason: "budget-used-up", exitCode: 3 },
  });
  expect((await project.status()).end?.detail).toContain("of the feature");
});

test("G6 the tokens of a feature are counted likewise, and another feature has its own", async () => {
  const project = given(PAID_WORK, ONE, "budget: {feature_tokens: 1500}\n");
  addFeature(project);
  const codes: (number | null)[] = [];
  for (const feature of ["shop", "shop", "shop", "other"])
    codes.push((await project.ralph(["run", "-n", "1", "-f", feature])).code);
  expect(codes).toEqual([1, 1, 3, 1]);
});

test.each([
  ["--max-cost", "0.9", "$1.00 of $0.90 used"],
  ["--max-tokens", "2000", "2020 of 2000 tokens used"],
])("L6 G6 %s ends the run with exit 3, and the next run has all of it again", async (...row) => {
  const [flag, amount, detail] = row;
  const project = given(PAID_WORK);
  for (let n = 1; n <= 2; n++) {
    expect((await project.ralph(["run", flag, amount])).code).toBe(3);
    expect(project.outcomes()).toEqual(["progressed", "progressed"]);
    expect((await project.status()).end?.detail).toContain(detail);
  }
  expect(runs(project)).toBe(2);
});

test("L6 work that is done is complete, also when it has used up the money", async () => {
  const project = given(`- do: [${WORK}, {mark: task}, ${PAID}]\n`, ONE, GATE);
  expect((await project.ralph(["run", "--max-cost", "0.1"])).code).toBe(0);
});

test("L6 a cost that nobody told is unknown, never 0, and what was told is added up", async () => {
  const project = given(`- when: {attempt: 2}\n  do: [${WORK}, ${PAID}]\n- do: [${WORK}]\n`);
  await project.ralph(["run", "-n", "1", "--max-cost", "0.01"]);
  expect(await project.status()).toMatchObject({ costUsd: null, end: { exitCode: 1 } });
  expect((await project.ralph(["status"])).stdout).not.toContain("$0");
  const { stdout } = await project.ralph(["run", "-n", "3", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ costUsd: 0.5 });
});
