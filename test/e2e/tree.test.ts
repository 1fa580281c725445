import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  eventsOf,
  lastEnd,
  leftovers,
  MARK,
  marked,
  newMark,
  shellAgent,
  untilFile,
} from "../rig/agents.ts";
import { TestProject, until } from "../rig/project.ts";

/** Ways to leave a process behind. */
const CHILDREN = {
  "a child in the same group": (mark: string) => `sleep ${mark} &`,
  "a child in a session of its own": (mark: string) => `setsid sleep ${mark} &`,
  "a grandchild whose parents are gone": (mark: string) =>
    `(nohup setsid sleep ${mark} >/dev/null 2>&1 &)`,
  "a child that ignores TERM, INT and HUP": (mark: string) =>
    `(trap '' TERM INT HUP; exec sleep ${mark}) &`,
  "a grandchild in its own session that ignores TERM": (mark: string) =>
    `(trap '' TERM INT HUP; setsid sh -c 'sleep ${mark}; sleep ${mark}' &)`,
  // Only its parent tells whose it is, so it lives beside that one long enough to be seen.
  "a child that has closed its output and emptied its environment": (mark: string) =>
    `env -i setsid sleep ${mark} >/dev/null 2>&1 & sleep 2`,
  "a chain of shells five deep": (mark: string) =>
    `sh -c 'sh -c "sh -c \\"sleep ${mark}; :\\"; :"; :' &`,
} as const;

function given(body: string, config = ""): TestProject {
  const project = new TestProject();
  project.stories({ id: "S-1" });
  shellAgent(project, body, { config });
  project.commitAll();
  return project;
}

describe.each(Object.entries(CHILDREN))("%s", (_, child) => {
  test("P3 nothing of the agent's tree is alive after a normal end", async () => {
    const mark = newMark();
    const project = given(`${child(mark)}\n${settled(mark)}\n${MARK}; echo done`);
    const { code } = await project.ralph(["run"]);
    expect(code).toBe(0);
    expect(leftovers(project, mark)).toEqual([]);
    expect(project.outcomes()).toEqual(["accepted"]);
  });

  test("P3 nothing of the agent's tree is alive after a stop", async () => {
    const mark = newMark();
    const project = given(`${child(mark)}\n${settled(mark)}\ntouch ready; sleep ${mark}`);
    const run = project.start(["run"]);
    await untilFile(project, "ready");
    await until("child and agent both sleep", () => marked(mark).length >= 2);
    run.child.kill("SIGTERM");
    expect((await run.ended).code).toBe(143);
    expect(leftovers(project, mark)).toEqual([]);
    const [cancelled] = eventsOf(project, "cancel-ordered");
    const [exited] = eventsOf(project, "agent-exited");
    expect((exited?.at ?? 0) - (cancelled?.at ?? 0)).toBeLessThan(5_000);
  });

  test("P3 nothing of the agent's tree is alive after a time-out", async () => {
    const mark = newMark();
    const project = given(
      `${child(mark)}\n${settled(mark)}\ntouch ready; echo ready; sleep ${mark}`,
      "clocks: {idle: 500ms}\n",
    );
    const { code } = await project.ralph(["run", "-n", "1"]);
    expect(code).toBe(1);
    expect(project.exists("ready")).toBe(true);
    expect(lastEnd(project)).toMatchObject({ outcome: "timed-out", clock: "idle" });
    expect(leftovers(project, mark)).toEqual([]);
  });
});

/** Waits in the agent until its child has become what it is going to be. */
function settled(mark: string): string {
  return `until ps -eo args | grep -v grep | grep -q "^sleep ${mark}"; do sleep 0.02; done`;
}

/**
 * Seen as a child, then orphaned: `middle` holds the grandchild until the supervisor has had time to look, then dies.
 * From there on neither parent, group, session nor environment tell whose it is.
 */
function seenThenOrphaned(mark: string): string {
  return `sh -c 'nohup setsid env -i sleep ${mark} >/dev/null 2>&1 & sleep 3' middle
    until [ "$(ps -o ppid= -p "$(pgrep -xf 'sleep ${mark}')" | tr -d ' ')" = 1 ]; do sleep 0.05; done`;
}

test("P3 a grandchild seen while its parent lived is ended, though nothing else tells whose it is", async () => {
  const mark = newMark();
  const project = given(`(${seenThenOrphaned(mark)}) ; touch ready; ${MARK}; echo done`);
  const { code } = await project.ralph(["run"]);
  expect(code).toBe(0);
  expect(project.exists("ready")).toBe(true);
  expect(leftovers(project, mark)).toEqual([]);
});

test("P3 the same after a stop and after a time-out", async () => {
  const mark = newMark();
  const project = given(`(${seenThenOrphaned(mark)}) ; touch ready.$RALPH_ATTEMPT; sleep ${mark}`);
  const run = project.start(["run"]);
  await untilFile(project, "ready.1");
  run.child.kill("SIGTERM");
  expect((await run.ended).code).toBe(143);
  expect(leftovers(project, mark)).toEqual([]);
  const timedOut = project.ralph(["run", "-n", "2", "-t", "8s"]);
  await untilFile(project, "ready.2");
  expect((await timedOut).code).toBe(1);
  expect(leftovers(project, mark)).toEqual([]);
});

test("P3 an agent that forks all the time is ended with everything it started", async () => {
  const mark = newMark();
  const project = given(
    `trap '' TERM; while :; do setsid sleep ${mark} & sleep 0.02; [ -e ready ] || touch ready; done`,
  );
  const run = project.start(["run"]);
  await until("a crowd", () => marked(mark).length >= 10);
  run.child.kill("SIGTERM");
  expect((await run.ended).code).toBe(143);
  expect(leftovers(project, mark)).toEqual([]);
});

test("P3 what a gate leaves behind is ended, too, and so is a gate that is stopped", async () => {
  const mark = newMark();
  const project = given(
    `${MARK}; echo done`,
    `quality_checks:\n  quick: setsid sleep ${mark} & true\n  slow: "[ -e go ] || { touch waiting; setsid sleep ${mark}; }"\n`,
  );
  const run = project.start(["run"]);
  await untilFile(project, "waiting");
  await until("only the slow gate has a process", () => marked(mark).length >= 1);
  run.child.kill("SIGTERM");
  expect((await run.ended).code).toBe(143);
  expect(leftovers(project, mark)).toEqual([]);
  project.write("go", "");
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(eventsOf(project, "agent-started")).toHaveLength(1);
  expect(project.outcomes()).toEqual(["accepted"]);
  expect(leftovers(project, mark)).toEqual([]);
});

test("P3 a hook that leaves a daemon on git's output does not hold the commit", async () => {
  const mark = newMark();
  const project = given(`${MARK}; echo done`);
  project.write(".git/hooks/pre-commit", `#!/bin/sh\nsetsid sleep ${mark} &\n`);
  chmodSync(join(project.root, ".git/hooks/pre-commit"), 0o755);
  const { code } = await project.ralph(["run"]);
  expect(code).toBe(0);
  expect(project.outcomes()).toEqual(["accepted"]);
  expect(project.git("log", "-1", "--format=%s")).toContain("S-1");
});

test("P3 a process of the user's own in the same tree is left alone", async () => {
  const mark = newMark();
  const project = given(`${MARK}; echo done`);
  const { spawn } = await import("node:child_process");
  const own = spawn("sleep", [mark], { cwd: project.root, detached: true, stdio: "ignore" });
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(marked(mark)).toEqual([own.pid]);
});
