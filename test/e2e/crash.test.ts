import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  eventsSoFar,
  hook,
  kill,
  killAtOnce,
  killingHook,
  killWhen,
  logText,
  startKillable,
  trailers,
} from "../rig/killing.ts";
import { TestProject, until } from "../rig/project.ts";

/** Hangs once, whatever the record says about attempts. */
const HANG_ONCE = `'[ -e "$HOME/hung" ] || { touch "$HOME/hung"; sleep 1000; }'`;
const DO_IT = `
- do:
    - run: 'echo started >> "$HOME/starts"'
    - run: 'echo "$RALPH_TASK_ID" > "work-$RALPH_TASK_ID.txt"'
    - mark: task
`;

function given(scenario: string, ...ids: string[]): TestProject {
  const project = new TestProject();
  project.stories(...ids.map((id) => ({ id })));
  project.config("agent: scripted\nquality_checks: {there: ls work-*.txt}\n");
  project.scenario(scenario);
  project.commitAll();
  return project;
}

const starts = (project: TestProject): number => {
  const path = join(project.home, "starts");
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").length - 1 : 0;
};

const isHanging = (project: TestProject): boolean => existsSync(join(project.home, "hung"));

/** Every line of the log can be read and is numbered one after the other. */
function expectWholeLog(project: TestProject): void {
  const text = logText(project);
  expect(text.endsWith("\n")).toBe(true);
  const seqs = eventsSoFar(project).map(({ seq }) => seq);
  expect(seqs).toEqual(seqs.map((_, index) => index + 1));
}

const typesOf = (project: TestProject): string[] => eventsSoFar(project).map(({ type }) => type);

/** The moment lasts a millisecond, so it is tried for until it was hit. */
async function killedBeforeStart(): Promise<TestProject> {
  for (let tries = 0; tries < 40; tries++) {
    const project = given(DO_IT, "A");
    await killAtOnce(project, () => logText(project).includes('"order":{"type":"run-agent"'));
    if (!typesOf(project).includes("agent-started")) return project;
  }
  throw new Error("the moment before the start was never hit");
}

test("S1 killed before the agent was let go: it never starts, and the run goes on", async () => {
  const project = await killedBeforeStart();
  await until("the start gate to close", () => project.processes().length === 0);
  expect(starts(project)).toBe(0);
  const { code } = await project.ralph(["run"]);
  expect(code).toBe(0);
  expect(starts(project)).toBe(1);
  expect(project.outcomes()).toEqual(["accepted"]);
  expectWholeLog(project);
});

test("S1 killed while the agent worked: its processes end first, the iteration is interrupted, counters go on", async () => {
  const project = given(
    `
- when: {attempt: 1}
  do:
    - run: 'echo $PPID > "$HOME/first-agent"'
    - spawn: {session: own, signals: ignore}
    - write: {path: half.txt, text: "half of it\\n"}
    - hang: {signals: ignore}
- do:
    - run: 'grep -q "^State:.[^ZX]" "/proc/$(cat "$HOME/first-agent")/status" && touch "$HOME/met"; true'
    - run: 'cat half.txt > work-A.txt'
    - mark: task
`,
    "A",
  );
  const first = await killWhen(project, "the agent's half", () => project.exists("half.txt"));
  const before = logText(project);
  expect(project.processes().length).toBeGreaterThanOrEqual(2);
  expect((await project.status()).state).toBe("crashed");
  const again = await project.ralph(["run"]);
  expect(again.code).toBe(0);
  expect(existsSync(join(project.home, "met")), "the second agent met the first").toBe(false);
  expect(project.read("work-A.txt")).toBe("half of it\n");
  expect(project.outcomes()).toEqual(["interrupted", "accepted"]);
  expect(project.processes()).toEqual([]);
  expect(logText(project).startsWith(before)).toBe(true);
  expectWholeLog(project);
  const runs = new Set(project.events().map(({ run }) => run));
  expect(runs.size).toBe(1);
  expect(first.output()).toContain([...runs][0]);
  expect(await project.status()).toMatchObject({ iteration: 2, charged: 2, state: "ended" });
});

test("S1 killed after the commit and before its record: nothing is committed twice", async () => {
  const project = given(DO_IT, "A", "B");
  killingHook(project, "post-commit");
  expect((await startKillable(project).ended).signal).toBe("SIGKILL");
  expect(typesOf(project).at(-1)).toBe("effect-ordered");
  const [trailer] = trailers(project);
  const commit = project.git("rev-parse", "HEAD").trim();
  expect(trailer).toMatch(/\/1$/u);
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(trailers(project).filter((name) => name === trailer)).toHaveLength(1);
  const committed = project.events().find(({ type }) => type === "committed");
  expect(committed).toMatchObject({ iteration: 1, commit });
  expect(project.outcomes()).toEqual(["accepted", "accepted"]);
  expect(starts(project)).toBe(2);
});

test("S1 killed while git commits: the commit is there once, whether git had ended or not", async () => {
  const project = given(DO_IT, "A");
  hook(
    project,
    "pre-commit",
    `[ -e "$HOME/asleep" ] || { touch "$HOME/asleep"; sleep 1; touch "$HOME/awake"; }`,
  );
  const asleep = join(project.home, "asleep");
  await killWhen(project, "the hook to sleep", () => existsSync(asleep));
  expect(trailers(project)).toEqual([]);
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(trailers(project)).toHaveLength(1);
  expect(project.outcomes()).toEqual(["accepted"]);
  expect(project.git("status", "--porcelain")).toBe("");
});

test("S1 an orphan that sits in git's hook does not keep the run from going on", async () => {
  // With `-a` git holds its lock while the hook runs.
  const commitIt = "git add work-A.txt && git commit -aqm work";
  const project = given(
    `
- when: {attempt: 1}
  do:
    - run: 'echo A > work-A.txt; ${commitIt}'
- do:
    - run: 'echo A > work-A.txt; ${commitIt}'
    - mark: task
`,
    "A",
  );
  hook(project, "pre-commit", `[ -e "$HOME/asleep" ] || { touch "$HOME/asleep"; sleep 120; }`);
  const asleep = join(project.home, "asleep");
  await killWhen(project, "the hook to sleep", () => existsSync(asleep));
  const { code, stdout, stderr } = await project.ralph(["run"]);
  expect(code, `${stdout}\n${stderr}`).toBe(0);
  expect(project.outcomes()).toEqual(["interrupted", "accepted"]);
  expect(project.processes()).toEqual([]);
});

test("S1 a commit of ours that hangs in a hook is ended first on restart, then made again", async () => {
  const project = given(DO_IT, "A");
  hook(project, "pre-commit", `[ -e "$HOME/asleep" ] || { touch "$HOME/asleep"; sleep 120; }`);
  const asleep = join(project.home, "asleep");
  await killWhen(project, "the hook to sleep", () => existsSync(asleep));
  const { code, stdout, stderr } = await project.ralph(["run"]);
  expect(code, `${stdout}\n${stderr}`).toBe(0);
  expect(trailers(project)).toHaveLength(1);
  expect(project.processes()).toEqual([]);
});

test.each([
  ["half a line", (log: string) => truncateSync(log, readFileSync(log).length - 17)],
  [
    "half a line of something else",
    (log: string) => writeFileSync(log, '{"v":1,"se', { flag: "a" }),
  ],
  [
    "zeros, as after a power cut",
    (log: string) => writeFileSync(log, "\0".repeat(300), { flag: "a" }),
  ],
])("S1 a log that ends in %s is cut there and goes on", async (_, tear) => {
  const project = given(DO_IT.replace("do:", `do:\n    - run: ${HANG_ONCE}`), "A");
  await killWhen(project, "the agent to hang", () => isHanging(project));
  const log = join(project.runFolder(), "events.ndjson");
  const whole = readFileSync(log, "utf8");
  tear(log);
  expect((await project.ralph(["run"])).code).toBe(0);
  const lines = whole.split("\n").slice(0, -2).join("\n");
  expect(logText(project).startsWith(lines)).toBe(true);
  expectWholeLog(project);
  expect(project.outcomes().at(-1)).toBe("accepted");
  expect(project.processes()).toEqual([]);
});

test("S1 a log damaged in its middle is left alone, said, and followed by a new run", async () => {
  const project = given(DO_IT.replace("do:", `do:\n    - run: ${HANG_ONCE}`), "A");
  await killWhen(project, "the agent to hang", () => isHanging(project));
  const old = project.runFolder();
  const log = join(old, "events.ndjson");
  const damaged = readFileSync(log, "utf8").replace(
    '"type":"project-read"',
    '"type":project-read"',
  );
  writeFileSync(log, damaged);
  project.killAll();
  const { code, stdout } = await project.ralph(["run"]);
  expect(stdout).toMatch(/note: the last run cannot be read.*damaged at byte \d+/u);
  expect(readFileSync(log, "utf8")).toBe(damaged);
  expect(project.runFolder()).not.toBe(old);
  expect(code).toBe(0);
});

test("S1 `run` and `run --resume` go on with the run that was cut off; one that is complete is followed by a new one", async () => {
  const project = given(
    `
- when: {attempt: 1}
  do: [{hang: {signals: heed}}]
- when: {attempt: 2}
  do: [{hang: {signals: heed}}]
- when: {task: B, attempt: 3}
  do: [{run: 'echo B > work-B.txt'}, {mark: B}]
- do: [{run: 'echo A > work-A.txt'}, {mark: A}]
`,
    "A",
  );
  const count = (): number => typesOf(project).filter((type) => type === "agent-started").length;
  await killWhen(project, "the first agent", () => count() === 1);
  await killWhen(project, "the second agent", () => count() === 2);
  const run = project.runFolder();
  const resumed = await project.ralph(["run", "--resume"]);
  expect(resumed.code).toBe(0);
  expect(project.runFolder()).toBe(run);
  expect(project.outcomes()).toEqual(["interrupted", "interrupted", "accepted"]);
  expect(typesOf(project).filter((type) => type === "run-resumed")).toHaveLength(2);

  const refused = await project.ralph(["run", "--resume"]);
  expect(refused.code).toBe(64);
  expect(refused.stderr).toContain("there is no unfinished run of shop to go on with");
  const fresh = await project.ralph(["run"]);
  expect(fresh.code).toBe(0);
  expect(project.runFolder()).not.toBe(run);
  expect(typesOf(project)[0]).toBe("run-started");
});

test("S1 the cap on iterations counts what processes before this one have used", async () => {
  const project = given("- do: [{hang: {signals: heed}}]\n", "A");
  const count = (): number => typesOf(project).filter((type) => type === "agent-started").length;
  await killWhen(project, "the first agent", () => count() === 1, ["run", "-n", "2"]);
  await killWhen(project, "the second agent", () => count() === 2, ["run", "-n", "2"]);
  const { code, stdout } = await project.ralph(["run", "-n", "2"]);
  expect(code).toBe(1);
  expect(stdout).toContain("iterations-used-up (exit 1). 2 of 2 iterations used");
  expect(count()).toBe(2);
});

test("S1 a lost record loses no work: what is done stays done, and is not done again", async () => {
  const project = given(
    `- {when: {task: B}, do: [{run: ${HANG_ONCE}}, {run: "echo B > work-B.txt"}, {mark: B}]}\n${DO_IT.trim()}\n`,
    "A",
    "B",
  );
  await killWhen(project, "the agent to hang", () => isHanging(project));
  const [trailer] = trailers(project);
  rmSync(join(project.root, ".git", "ralph"), { recursive: true });
  project.killAll();
  await until("the orphans to end", () => project.processes().length === 0);
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(starts(project), "A is not done again").toBe(1);
  expect(project.read("work-A.txt") + project.read("work-B.txt")).toBe("A\nB\n");
  expect(trailers(project)).toContain(trailer);
  expect(trailers(project)).toHaveLength(2);
});

test("S1 a log that is removed under a living run ends it at once, and nothing is written elsewhere", async () => {
  const project = given(
    `- {when: {attempt: 1}, do: [{run: 'while [ ! -e "$HOME/go" ]; do sleep 0.05; done'}]}\n${DO_IT.trim()}\n`,
    "A",
  );
  const run = project.start(["run"]);
  await until("the agent", () => typesOf(project).includes("agent-started"));
  rmSync(join(project.root, ".git", "ralph"), { recursive: true });
  writeFileSync(join(project.home, "go"), "");
  const { code, stdout, stderr } = await run.ended;
  expect(code, `${stdout}\n${stderr}`).toBe(74);
  expect(stdout + stderr).toContain("was removed");
  expect(project.processes()).toEqual([]);
});

test("S1 a second kill during the recovery from the first changes nothing", async () => {
  const project = given(
    `- {when: {attempt: 1}, do: [{hang: {signals: ignore}}]}\n${DO_IT.trim()}\n`,
    "A",
  );
  await killWhen(project, "the agent", () => typesOf(project).includes("agent-started"));
  for (let times = 1; times <= 3; times++) {
    const run = project.start(["run"]);
    const isResumed = (): boolean =>
      typesOf(project).filter((type) => type === "run-resumed").length === times;
    // The orphan ignores the polite signal, so that each recovery takes its time.
    await until("a recovery", isResumed);
    await kill(run);
  }
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(project.outcomes()).toEqual(["interrupted", "accepted"]);
  expect(project.processes()).toEqual([]);
  expectWholeLog(project);
});

test("S1 T8 a list that an agent broke before the runner died is put back when the run goes on", async () => {
  const project = given(
    `
- do:
    - run: 'if [ ! -e "$HOME/hung" ]; then echo "{" > "$RALPH_TASKS_FILE"; fi'
    - run: ${HANG_ONCE}
    - run: 'echo "$RALPH_TASK_ID" > "work-$RALPH_TASK_ID.txt"'
    - mark: task
`,
    "A",
  );
  await killWhen(project, "the agent to hang", () => isHanging(project));
  const { code } = await project.ralph(["run"]);
  expect(code).toBe(0);
  expect(project.outcomes()).toEqual(["interrupted", "accepted"]);
  expect(typesOf(project)).toContain("tasks-restored");
});
