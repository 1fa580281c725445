import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { eventsSoFar, kill, leaveLock, lockFile } from "../rig/killing.ts";
import { type Started, TestProject, until } from "../rig/project.ts";

const WAIT = `[{run: 'while [ ! -e "$HOME/go" ]; do sleep 0.05; done'}, {write: {path: a.txt, text: a}}, {mark: task}]`;

function given(scenario = "- do: [{write: {path: a.txt, text: a}}, {mark: task}]\n"): TestProject {
  const project = new TestProject();
  project.stories({ id: "A" });
  project.scenario(scenario);
  project.commitAll();
  return project;
}

const isAtWork = (project: TestProject): boolean =>
  eventsSoFar(project).some(({ type }) => type === "agent-started");

function letGo(project: TestProject): void {
  writeFileSync(join(project.home, "go"), "");
}

test("S2 a second run in the tree is refused with pid, host and run of the first", async () => {
  const project = given(`- do: ${WAIT}\n`);
  const first = project.start(["run"]);
  await until("the agent", () => isAtWork(project));
  const lines = eventsSoFar(project).length;
  const second = await project.ralph(["run", "--json"]);
  expect(second.code).toBe(73);
  const run = eventsSoFar(project)[0]?.run ?? "no run";
  for (const word of [`pid ${first.pid}`, hostname(), run]) expect(second.stderr).toContain(word);
  expect(JSON.parse(second.stdout)).toMatchObject({ reason: "locked", exitCode: 73 });
  expect(eventsSoFar(project)).toHaveLength(lines);
  letGo(project);
  expect((await first.ended).code).toBe(0);
  expect(existsSync(lockFile(project))).toBe(false);
  expect((await project.ralph(["run"])).code).toBe(0);
});

test("S2 also from a subfolder and for another feature: one tree, one run", async () => {
  const project = given(`- do: ${WAIT}\n`);
  project.write(
    ".ralph/other/prd.json",
    '{"userStories": [{"id": "B", "title": "b", "passes": false}]}',
  );
  project.write("deep/down/x", "");
  const first = project.start(["run", "-f", "shop"]);
  await until("the agent", () => isAtWork(project));
  const other = await project.ralph(["run", "-f", "other"], {
    cwd: join(project.root, "deep", "down"),
  });
  expect(other.code).toBe(73);
  letGo(project);
  await first.ended;
});

test("S2 a lock whose pid is dead is taken over at once", async () => {
  const project = given();
  leaveLock(project);
  const { code } = await project.ralph(["run"]);
  expect(code).toBe(0);
  expect(readdirSync(dirname(lockFile(project)))).toEqual([]);
});

test("S2 a lock whose pid lives but began at another time is taken over at once", async () => {
  const project = given();
  leaveLock(project, { pid: process.pid, startTime: "12345" });
  expect((await project.ralph(["run"])).code).toBe(0);
});

test("S2 a lock of an earlier boot is taken over, though pid and start time are those of a living process", async () => {
  const project = given();
  const stat = readFileSync(`/proc/${process.pid}/stat`, "latin1");
  const startTime = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  leaveLock(project, { pid: process.pid, startTime, bootId: "another boot" });
  expect((await project.ralph(["run"])).code).toBe(0);
  leaveLock(project, { pid: process.pid, startTime });
  expect((await project.ralph(["run"])).code, "the same of this boot is alive").toBe(73);
});

test("S2 a lock that cannot be read is taken over", async () => {
  const project = given();
  leaveLock(project);
  writeFileSync(lockFile(project), "{half");
  expect((await project.ralph(["run"])).code).toBe(0);
});

test("S2 a lock of another machine is refused with its age; --take-over takes it", async () => {
  const project = given();
  leaveLock(project, { host: "elsewhere", pid: process.pid });
  const refused = await project.ralph(["run"]);
  expect(refused.code).toBe(73);
  expect(refused.stderr).toMatch(/elsewhere, for 1m 3\ds/u);
  expect(refused.stderr).toContain("20260101T000000Z-dead");
  expect(refused.stderr).toContain("--take-over");
  expect(existsSync(join(project.root, ".git", "ralph", "runs"))).toBe(false);
  expect((await project.ralph(["run", "--take-over"])).code).toBe(0);
  expect(existsSync(lockFile(project))).toBe(false);
});

test("S2 --take-over does not take the lock of a run that lives on this machine", async () => {
  const project = given(`- do: ${WAIT}\n`);
  const first = project.start(["run"]);
  await until("the agent", () => isAtWork(project));
  expect((await project.ralph(["run", "--take-over"])).code).toBe(73);
  letGo(project);
  expect((await first.ended).code).toBe(0);
});

test("S2 ten at once after a dead one: exactly one works, nine are refused", async () => {
  const project = given(`- do: ${WAIT}\n`);
  const dead = project.start(["run"]);
  await until("the agent", () => isAtWork(project));
  await kill(dead);
  const runs: Started[] = Array.from({ length: 10 }, () => project.start(["run"]));
  const codes: (number | null)[] = [];
  for (const run of runs) void run.ended.then(({ code }) => codes.push(code));
  await until("nine to be refused", () => codes.length === 9, 40_000);
  expect(codes).toEqual(Array.from({ length: 9 }, () => 73));
  letGo(project);
  await until("the one", () => codes.length === 10);
  expect(codes.at(-1)).toBe(0);
  const types = project.events().map(({ type }) => type);
  expect(types.filter((type) => type === "run-resumed")).toHaveLength(1);
  expect(types.filter((type) => type === "agent-started")).toHaveLength(2);
  expect(readdirSync(dirname(lockFile(project)))).toEqual([]);
  expect(project.processes()).toEqual([]);
});
