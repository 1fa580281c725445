import { expect, test } from "vitest";
import {
  eventsOf,
  lastEnd,
  lastExit,
  leftovers,
  MARK,
  newMark,
  RESULT,
  shellAgent,
} from "../rig/agents.ts";
import { TestProject } from "../rig/project.ts";

/** One story and an agent that is a shell script. */
function given(body: string, settings: Parameters<typeof shellAgent>[2] = {}): TestProject {
  const project = new TestProject();
  project.stories({ id: "S-1" });
  shellAgent(project, body, settings);
  project.commitAll();
  return project;
}

test("P1 the start clock ends an agent that says nothing at all", async () => {
  const mark = newMark();
  const project = given(`sleep ${mark}`, { config: "clocks: {start: 300ms, idle: 50s}\n" });
  const { code, stdout } = await project.ralph(["run", "-n", "1"]);
  expect(code).toBe(1);
  expect(lastEnd(project)).toMatchObject({ outcome: "timed-out", clock: "start", charged: true });
  expect(lastExit(project).terminated).toEqual({ cause: "clock", clock: "start" });
  expect(lastExit(project).durationMs).toBeGreaterThanOrEqual(300);
  expect(stdout).toMatch(/: timed-out .*: the start clock ran out/u);
  expect(leftovers(project, mark)).toEqual([]);
});

test("P1 a word on standard error is a first sign of life: the idle clock counts from there", async () => {
  const mark = newMark();
  const project = given(`echo warming up >&2; sleep ${mark}`, {
    config: "clocks: {start: 30s, idle: 300ms}\n",
  });
  await project.ralph(["run", "-n", "1"]);
  expect(lastEnd(project)).toMatchObject({ outcome: "timed-out", clock: "idle" });
});

test("P1 the idle clock ends an agent that falls silent, not one that goes on talking", async () => {
  const mark = newMark();
  // Two seconds of talk in steps shorter than the clock, then silence.
  const talk = "for i in 1 2 3 4 5 6 7 8 9 10; do echo $i; sleep 0.2; done";
  const project = given(`${talk}; sleep ${mark}`, { config: "clocks: {idle: 1500ms}\n" });
  await project.ralph(["run", "-n", "1"]);
  expect(lastEnd(project)).toMatchObject({ outcome: "timed-out", clock: "idle" });
  expect(lastExit(project).durationMs).toBeGreaterThanOrEqual(3_300);
  expect(leftovers(project, mark)).toEqual([]);
});

test("P1 the wall clock ends an agent however busy it is", async () => {
  const project = given("while :; do echo busy; sleep 0.05; done", {
    config: "clocks: {start: 20s, idle: 20s}\n",
  });
  const { code } = await project.ralph(["run", "-n", "1", "-t", "1s"]);
  expect(code).toBe(1);
  expect(lastEnd(project)).toMatchObject({ outcome: "timed-out", clock: "wall", charged: true });
  expect(lastExit(project).durationMs).toBeGreaterThanOrEqual(1_000);
  expect(project.processes()).toEqual([]);
});

test("P1 the grace clock ends an agent after its final message, and that counts as normal", async () => {
  const mark = newMark();
  const project = given(`${MARK}; ${RESULT}; sleep ${mark}`, {
    output: "notes",
    config: "clocks: {after_result: 300ms, idle: 20s}\n",
  });
  const { code } = await project.ralph(["run", "-n", "1"]);
  expect(code).toBe(0);
  expect(lastEnd(project)).toMatchObject({ outcome: "accepted", clock: "grace" });
  expect(lastExit(project).terminated).toEqual({ cause: "clock", clock: "grace" });
  expect(lastExit(project).durationMs).toBeGreaterThanOrEqual(300);
  expect(leftovers(project, mark)).toEqual([]);
});

test("P1 the wall clock does not cut the grace time short", async () => {
  const mark = newMark();
  const project = given(`${MARK}; ${RESULT}; sleep ${mark}`, {
    output: "notes",
    config: "clocks: {after_result: 2500ms}\n",
  });
  const { code } = await project.ralph(["run", "-n", "1", "-t", "1500ms"]);
  expect(code).toBe(0);
  expect(lastEnd(project)).toMatchObject({ outcome: "accepted", clock: "grace" });
});

const TOOL = `{"type":"tool-started","id":"t1","tool":"Bash","text":"Bash make"}`;

test("P1 silence while a tool is in flight is not idleness", async () => {
  const project = given(
    `echo '${TOOL}'; sleep 2; echo '{"type":"tool-ended","id":"t1"}'; ${MARK}; ${RESULT}`,
    { output: "notes", config: "clocks: {idle: 700ms}\n" },
  );
  const { code } = await project.ralph(["run", "-n", "1"]);
  expect(code).toBe(0);
  expect(project.outcomes()).toEqual(["accepted"]);
});

test("P1 the idle clock runs again when the tool has ended", async () => {
  const mark = newMark();
  const project = given(
    `echo '${TOOL}'; sleep 1; echo '{"type":"tool-ended","id":"t1"}'; sleep ${mark}`,
    { output: "notes", config: "clocks: {idle: 700ms}\n" },
  );
  await project.ralph(["run", "-n", "1"]);
  expect(lastEnd(project)).toMatchObject({ outcome: "timed-out", clock: "idle" });
  expect(lastExit(project).durationMs).toBeGreaterThanOrEqual(1_600);
});

test("P1 a tool that never ends is ended by the wall clock", async () => {
  const mark = newMark();
  const project = given(`echo '${TOOL}'; sleep ${mark}`, {
    output: "notes",
    config: "clocks: {idle: 300ms}\n",
  });
  await project.ralph(["run", "-n", "1", "-t", "1s"]);
  expect(lastEnd(project)).toMatchObject({ outcome: "timed-out", clock: "wall" });
  expect(leftovers(project, mark)).toEqual([]);
});

test("P1 work of a timed-out iteration is kept, and the next prompt says which clock ran out", async () => {
  const project = given(
    `cat > "$HOME/prompt.$RALPH_ITERATION"; [ "$RALPH_ATTEMPT" = 1 ] || { ${MARK}; exit 0; }
     echo started; echo half > half.txt; sleep 1000`,
    { config: "clocks: {idle: 400ms}\n" },
  );
  const { code } = await project.ralph(["run", "-n", "2"]);
  expect(code).toBe(0);
  expect(project.outcomes()).toEqual(["timed-out", "accepted"]);
  expect(project.read("half.txt")).toBe("half\n");
  expect(project.read("../home/prompt.2")).toContain("the idle clock ran out");
  expect(eventsOf(project, "agent-started")).toHaveLength(2);
});

test("P2 a process that never ends after its result is counted as normal", async () => {
  const mark = newMark();
  const project = given(`${MARK}; ${RESULT}; trap '' TERM INT HUP; sleep ${mark}; sleep ${mark}`, {
    output: "notes",
    config: "clocks: {after_result: 200ms}\n",
  });
  const { code, stdout } = await project.ralph(["run"]);
  expect(code).toBe(0);
  expect(project.outcomes()).toEqual(["accepted"]);
  expect(stdout).not.toContain("timed-out");
  expect(leftovers(project, mark)).toEqual([]);
});

test("P2 a grandchild that holds standard output open for ever does not hold the iteration", async () => {
  const mark = newMark();
  const project = given(`setsid sleep ${mark} & ${MARK}; ${RESULT}`, { output: "notes" });
  const { code } = await project.ralph(["run"]);
  expect(code).toBe(0);
  expect(lastEnd(project).outcome).toBe("accepted");
  expect(lastExit(project)).toMatchObject({ code: 0, survivors: 1 });
  expect(lastExit(project).terminated).toBeUndefined();
  expect(leftovers(project, mark)).toEqual([]);
});

test("P2 nor does one that nobody can know as ours: its end of the pipe is let go", async () => {
  const mark = newMark();
  // The parent is gone and the environment empty before anyone can have looked.
  const project = given(`(setsid env -i sleep ${mark} &) ; ${MARK}; echo all done`);
  const { code } = await project.ralph(["run"]);
  expect(code).toBe(0);
  expect(lastEnd(project).outcome).toBe("accepted");
  expect(lastExit(project).result?.text).toBe("all done");
});

test("P2 an agent that ends badly after a good result is judged by the result", async () => {
  const project = given(`${MARK}; ${RESULT}; exit 3`, { output: "notes" });
  const { code } = await project.ralph(["run"]);
  expect(code).toBe(0);
  expect(lastExit(project).code).toBe(3);
  expect(lastEnd(project).outcome).toBe("accepted");
});
