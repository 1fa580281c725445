import { readFileSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventsOf } from "../rig/agents.ts";
import { type Story, TestProject } from "../rig/project.ts";

interface GateResult {
  readonly name: string;
  readonly phase: string;
  readonly passed: boolean;
  readonly timedOut: boolean;
  readonly lines: readonly string[];
}

function given(scenario: string, config: string, stories: readonly Story[] = [{ id: "A" }]) {
  const project = new TestProject();
  project.stories(...stories);
  project.config(`agent: scripted\n${config}`);
  project.scenario(scenario);
  project.commitAll();
  return project;
}

const RIGHT = `right: '! grep -s wrong work.txt'`;
const WORK = "- do: [{write: {path: work.txt, text: fine}}, {mark: task}]\n";

const ends = (project: TestProject): Record<string, unknown>[] =>
  eventsOf(project, "iteration-ended").map((event) => event["end"] as Record<string, unknown>);
const iterationFile = (project: TestProject, ...path: string[]): string =>
  readFileSync(join(project.runFolder(), "iterations", ...path), "utf8");
const gateLogs = (project: TestProject, iteration: string): string[] =>
  readdirSync(join(project.runFolder(), "iterations", iteration, "gates")).toSorted();

/** `name phase green|red` of every gate run of an iteration, in order. */
function gateRuns(project: TestProject, iteration: number): string[] {
  return eventsOf(project, "gate-ran")
    .filter((event) => event.iteration === iteration)
    .map((event) => event["result"] as GateResult)
    .map(({ name, phase, passed }) => `${name} ${phase} ${passed ? "green" : "red"}`);
}

test("T4 a green gate that got red is run once more, then the mark is taken back", async () => {
  const project = given(
    "- do: [{write: {path: work.txt, text: wrong}}, {mark: task}]\n",
    `quality_checks: {${RIGHT}}\n`,
  );
  const before = project.read(".ralph/shop/prd.json");
  expect((await project.ralph(["run", "-n", "1"])).code).toBe(1);
  expect(gateRuns(project, 1)).toEqual([
    "right baseline green",
    "right check red",
    "right again red",
  ]);
  // What was there before the first attempt has a folder of its own.
  expect(gateLogs(project, "1-0")).toEqual(["right.baseline.log"]);
  expect(gateLogs(project, "1-1")).toEqual(["right.again.log", "right.log"]);
  expect(iterationFile(project, "1-1", "gates", "right.log")).toBe("wrong\n");
  expect(ends(project)).toMatchObject([
    { outcome: "rejected", claims: [{ kind: "mark", verdict: "rejected" }] },
  ]);
  expect(project.read(".ralph/shop/prd.json")).toBe(before);
});

test("T4 a mark is taken back by changing its bytes and no others", async () => {
  const project = given(
    "- do: [{write: {path: work.txt, text: wrong}}, {mark: task}]\n",
    `quality_checks: {${RIGHT}}\n`,
  );
  const list = `{ "userStories" : [\n\t{"id":"A", "passes" :  false,"title":"é \\u00e9",  "x": 1.0}\n  ]  }\n\n`;
  project.write(".ralph/shop/prd.json", list);
  project.commitAll("odd");
  await project.ralph(["run", "-n", "1"]);
  expect(project.outcomes()).toEqual(["rejected"]);
  expect(project.read(".ralph/shop/prd.json")).toBe(list);
});

test("T4 a gate that is red once and green the second time rejects nothing", async () => {
  const flaky = `flaky: 'if [ -e work.txt ] && [ ! -e "$HOME/seen" ]; then touch "$HOME/seen"; echo FAILED; exit 1; fi'`;
  const project = given(WORK, `quality_checks: {${flaky}}\n`);
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(gateRuns(project, 1)).toEqual([
    "flaky baseline green",
    "flaky check red",
    "flaky again green",
  ]);
  expect(iterationFile(project, "1-1", "gates", "flaky.log")).toBe("FAILED\n");
  expect(iterationFile(project, "1-1", "gates", "flaky.again.log")).toBe("");
  expect((await project.status()).tasks[0]).toMatchObject({ status: "done", verified: true });
});

test("T4 the first failing lines reach the next prompt, bounded in number and length", async () => {
  const long = "y".repeat(500);
  const noisy = `noisy: 'test ! -e bad.txt || { seq 1 400; for i in $(seq 1 100); do echo "Error: no $i end ${long}"; done; exit 1; }'`;
  const project = given(
    `
- when: {attempt: 1}
  do: [{write: {path: bad.txt, text: x}}, {mark: task}]
- do: [{remove: bad.txt}, {write: {path: work.txt, text: fine}}, {mark: task}]
`,
    `quality_checks: {${noisy}}\n`,
  );
  expect((await project.ralph(["run"])).code).toBe(0);
  const prompt = iterationFile(project, "2-2", "prompt");
  expect(prompt).toContain('the gate "noisy" fails');
  expect(prompt).toContain("Error: no 1 end");
  const lines = prompt.split("\n").filter((line) => line.includes("Error: no "));
  expect(lines.length).toBeLessThanOrEqual(20);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(320);
  // The whole of it is in the record.
  expect(iterationFile(project, "1-1", "gates", "noisy.log")).toContain("Error: no 100 end");
});

test("T4 a gate that takes too long is told as such, and nothing of it is left", async () => {
  const slow = "slow: {command: 'test ! -e work.txt || sleep 7777', timeout: 600ms}";
  const project = given(WORK, `quality_checks: {${slow}}\n`);
  expect((await project.ralph(["run", "-n", "1"])).code).toBe(1);
  expect(ends(project)).toMatchObject([
    { outcome: "rejected", reason: expect.stringContaining('the gate "slow" timed out') as string },
  ]);
  const results = eventsOf(project, "gate-ran").map((event) => event["result"] as GateResult);
  expect(results.map(({ timedOut }) => timedOut)).toEqual([false, true, true]);
  expect(project.processes()).toEqual([]);
});

test("T4 each gate has its own time limit, and the common one holds for the others", async () => {
  const gates = "{quick: 'sleep 7777', patient: {command: 'sleep 0.3', timeout: 5s}}";
  const project = given(WORK, `quality_checks: ${gates}\ngates: {timeout: 200ms}\n`);
  await project.ralph(["run", "-n", "1"]);
  expect(gateRuns(project, 1).slice(0, 2)).toEqual([
    "quick baseline red",
    "patient baseline green",
  ]);
});

test("T4 a story's own checks decide about its mark", async () => {
  const story = { id: "A", checks: ["test -e work.txt", "grep -q fine work.txt"] };
  const bad = "- when: {attempt: 1}\n  do: [{write: {path: work.txt, text: poor}}, {mark: task}]\n";
  const project = given(bad + WORK, "", [story]);
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(project.outcomes()).toEqual(["rejected", "accepted"]);
  expect(iterationFile(project, "2-2", "prompt")).toContain('the gate "checks of A" fails');
  expect(iterationFile(project, "1-1", "prompt")).toContain("grep -q fine work.txt");
  expect((await project.status()).tasks[0]).toMatchObject({ status: "done", verified: true });
});

test("T4 the own checks of a story count as they were before the agent", async () => {
  const project = given(
    `- do: [{edit: {path: .ralph/shop/prd.json, find: "test -e never", replace: "true"}}, {mark: task}]\n`,
    "",
    [{ id: "A", checks: "test -e never" }],
  );
  expect((await project.ralph(["run", "-n", "1"])).code).toBe(1);
  expect(project.outcomes()).toEqual(["rejected"]);
  expect(project.read(".ralph/shop/prd.json")).toContain("test -e never");
});

test("T5 finishing a task while breaking an earlier one is a rejected claim", async () => {
  const project = given(
    `
- when: {task: A}
  do: [{write: {path: a.txt, text: fine}}, {mark: task}]
- when: {task: B, attempt: 1}
  do: [{write: {path: b.txt, text: fine}}, {write: {path: a.txt, text: wrong}}, {mark: task}]
- when: {task: B}
  do: [{write: {path: a.txt, text: fine}}, {mark: task}]
`,
    "quality_checks: {a: '! grep -s wrong a.txt', b: '! grep -s wrong b.txt'}\n",
    [{ id: "A" }, { id: "B" }],
  );
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(project.outcomes()).toEqual(["accepted", "rejected", "accepted"]);
  // The whole set, whatever the first of them said.
  expect(gateRuns(project, 2)).toEqual(["a check red", "a again red", "b check green"]);
  expect(ends(project)[1]?.["claims"]).toMatchObject([{ kind: "mark", verdict: "rejected" }]);
  expect(iterationFile(project, "3-2", "prompt")).toContain('the gate "a" fails');
  expect(project.git("log", "--format=%s", "-2").trim().split("\n")).toEqual([
    "feat: B - Title of B",
    "feat: A - Title of A",
  ]);
});

test("T5 the own checks of a story hold ever after", async () => {
  const project = given(
    `
- when: {task: A}
  do: [{write: {path: a.txt, text: fine}}, {mark: task}]
- when: {task: B, attempt: 1}
  do: [{remove: a.txt}, {write: {path: b.txt, text: x}}, {mark: task}]
- do: [{write: {path: a.txt, text: fine}}, {mark: task}]
`,
    "",
    [
      { id: "A", checks: "test -e a.txt" },
      { id: "B", checks: "test -e b.txt" },
    ],
  );
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(project.outcomes()).toEqual(["accepted", "rejected", "accepted"]);
  expect(ends(project)[1]?.["reason"]).toContain('the gate "checks of A" fails');
  expect(gateRuns(project, 2)).toContain("checks of B check green");
});

test("T5 T3 a gate that is red before and after is nobody's fault: accepted, unverified, never complete", async () => {
  const project = given(
    "- do: [{run: 'echo x >> work.txt'}, {mark: task}]\n",
    "quality_checks: {old: 'echo broken since ever; false', good: 'true'}\n",
    [{ id: "A" }, { id: "B" }],
  );
  expect((await project.ralph(["run"])).code).toBe(2);
  expect(project.outcomes()).toEqual(["accepted", "accepted", "needs-human"]);
  // Looked at once before the first agent, and not run twice for what nobody did.
  expect(gateRuns(project, 1)).toEqual([
    "old baseline red",
    "good baseline green",
    "old check red",
    "good check green",
  ]);
  expect(ends(project)[0]?.["claims"]).toMatchObject([{ kind: "mark", verdict: "unverified" }]);
  const status = await project.status();
  expect(status.tasks.map(({ status: state, verified }) => [state, verified])).toEqual([
    ["done", false],
    ["done", false],
  ]);
  expect(status.end?.reason).toBe("needs-human");
  expect(project.git("log", "--format=%s")).toContain("feat: B");
});

test("T4 a red gate that the work turns green is verified, and from then on has to stay green", async () => {
  const project = given(
    `
- when: {task: B, attempt: 1}
  do: [{remove: work.txt}, {write: {path: b.txt, text: x}}, {mark: task}]
${WORK}`,
    "quality_checks: {there: 'test -e work.txt'}\n",
    [{ id: "A" }, { id: "B" }],
  );
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(gateRuns(project, 1)).toEqual(["there baseline red", "there check green"]);
  expect(project.outcomes()).toEqual(["accepted", "rejected", "accepted"]);
  expect((await project.status()).tasks).toMatchObject([{ verified: true }, { verified: true }]);
});

test("T4 a mark with nothing changed is rejected where a gate is red", async () => {
  const project = given("- do: [{mark: task}]\n", "quality_checks: {old: 'false'}\n");
  expect((await project.ralph(["run", "-n", "1"])).code).toBe(1);
  expect(ends(project)).toMatchObject([
    { outcome: "rejected", reason: 'the gate "old" fails, and nothing was changed' },
  ]);
  expect((await project.status()).tasks[0]?.status).toBe("open");
});

test("T4 a gate that a person adds is looked at before the next agent", async () => {
  const project = given("- do: [{run: 'echo x >> work.txt'}]\n", "quality_checks: {a: 'true'}\n");
  await project.ralph(["run", "-n", "1"]);
  project.config("agent: scripted\nquality_checks: {a: 'true', b: 'false'}\n");
  project.scenario("- do: [{run: 'echo y >> work.txt'}, {mark: task}]\n");
  expect((await project.ralph(["run", "-n", "1"])).code).toBe(2);
  expect(gateRuns(project, 1)).toEqual([
    "a baseline green",
    "b baseline red",
    "a check green",
    "b check red",
  ]);
  expect(project.outcomes()[0]).toBe("accepted");
});

test("E13 every check of quality_checks is run by the loop itself: once before the first agent, and on each claim", async () => {
  const noted = (name: string): string => `'echo "${name} $PWD" >> "$HOME/checks"'`;
  const project = given(
    // Nothing that the agent does runs a check, whatever it says.
    "- do: [{run: 'echo x >> work.txt'}, {mark: task}, {say: All checks pass.}]\n",
    `quality_checks:\n  unit: ${noted("unit")}\n  lint: {command: ${noted("lint")}, timeout: 1m}\n`,
    [{ id: "A" }, { id: "B" }],
  );
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(gateRuns(project, 1)).toEqual([
    "unit baseline green",
    "lint baseline green",
    "unit check green",
    "lint check green",
  ]);
  const [unit, lint] = ["unit", "lint"].map((name) => `${name} ${realpathSync(project.root)}\n`);
  const checks = readFileSync(join(project.home, "checks"), "utf8");
  expect(checks).toBe(`${unit}${lint}`.repeat(3));
});

test("E13 what the checks say counts, not what the agent says of them", async () => {
  const project = given(
    "- do: [{write: {path: work.txt, text: wrong}}, {mark: task}, {say: 'All tests pass. <promise>COMPLETE</promise>'}]\n",
    `quality_checks: {fine: 'true', ${RIGHT}}\n`,
  );
  const { code, stdout } = await project.ralph(["run", "-n", "1"]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/iteration 1: rejected A .*1\/2 gates.*: the gate "right" fails/u);
  expect((await project.status()).tasks).toMatchObject([{ status: "open" }]);
});
