import { describe, expect, test } from "vitest";
import { eventsOf, shellAgent, MARK } from "../rig/agents.ts";
import { TestProject } from "../rig/project.ts";
import { CTRL_C, Terminal } from "../rig/terminal.ts";

/** The first agent comes to a usage limit that tells no time, or one of so many milliseconds; the next one works. */
function limited(config: string, resetsInMs?: number): TestProject {
  const project = new TestProject();
  project.stories({ id: "S-1" });
  const resets =
    resetsInMs === undefined ? "" : `,"resetsAt":'$(( $(date +%s%3N) + ${resetsInMs} ))'`;
  shellAgent(
    project,
    `if [ ! -e limited ]; then touch limited
    echo '{"type":"limit","kind":"usage","text":"usage limit reached"${resets}}'; exit 1; fi
    ${MARK}; echo '{"type":"result","good":true,"text":"done"}'`,
    { output: "notes", config },
  );
  project.write(".gitignore", "limited\n");
  project.commitAll();
  return project;
}

const QUESTION = "Wait or exit?";

describe("E8 a usage limit without a terminal", () => {
  test("E8 the run waits for the told time and goes on, though the setting says ask", async () => {
    const project = limited("limits: {on_limit: ask, margin: 1ms}\n", 300);
    const { code, stdout } = await project.ralph(["run"]);
    expect(code).toBe(0);
    expect(stdout).not.toContain(QUESTION);
    expect(eventsOf(project, "wait-started").map(({ question }) => question)).toEqual([undefined]);
  });

  test("E8 where no time is told it waits for an hour", async () => {
    const project = limited("");
    const run = project.start(["run"]);
    while (!run.output().includes("waiting until")) await new Promise((r) => setTimeout(r, 20));
    const [wait] = eventsOf(project, "wait-started");
    expect(Math.round((Number(wait?.["until"]) - (wait?.at ?? 0)) / 60_000)).toBe(60);
    run.child.kill("SIGTERM");
    expect((await run.ended).code).toBe(143);
  });

  test.each([
    ["--on-limit exit", ["--on-limit", "exit"], ""],
    ["limits.on_limit: exit", [], "limits: {on_limit: exit, margin: 1ms}\n"],
  ])("E8 with %s it ends with exit 2, and the same run goes on later", async (_, args, config) => {
    const project = limited(config || "limits: {margin: 1ms}\n", 1_500);
    const { code, stdout } = await project.ralph(["run", ...args]);
    expect(stdout).toContain("usage-limit");
    expect(code).toBe(2);
    const [first] = eventsOf(project, "run-started");
    await new Promise((resolve) => setTimeout(resolve, 1_600));
    expect((await project.ralph(["run"])).code).toBe(0);
    expect(eventsOf(project, "run-started").map(({ run }) => run)).toEqual([first?.run]);
  });

  test("E8 a word that is none of the three is refused before anything starts", async () => {
    const project = limited("");
    const { code, stderr } = await project.ralph(["run", "--on-limit", "sleep"]);
    expect(code).toBe(64);
    expect(stderr).toContain("one of ask, wait, exit");
  });
});

describe("E8 a usage limit at a terminal", () => {
  test("E8 a person who answers w waits with a countdown and is not asked again", async () => {
    const project = limited("limits: {wait: 33s}\n");
    const terminal = new Terminal(project, ["run"]);
    await terminal.shows(QUESTION);
    terminal.type("x\r");
    await terminal.shows("w to wait, e to exit");
    terminal.type("w\r");
    await terminal.shows(/waiting until/u);
    await terminal.shows(/\d+s to wait/u);
    terminal.type(CTRL_C);
    expect((await terminal.exited).exitCode).toBe(130);
    const waits = eventsOf(project, "wait-started").map(({ question }) => question !== undefined);
    expect(waits).toEqual([true, false]);
  });

  test("E8 a person who answers e ends the run with exit 2", async () => {
    const project = limited("");
    const terminal = new Terminal(project, ["run"]);
    await terminal.shows(QUESTION);
    terminal.type("e\r");
    expect((await terminal.exited).exitCode).toBe(2);
    expect((await project.status()).end?.reason).toBe("usage-limit");
  });

  test("E8 without an answer the run ends after 30 seconds with exit 2", async () => {
    const project = limited("");
    const terminal = new Terminal(project, ["run"]);
    await terminal.shows(QUESTION);
    expect((await terminal.exited).exitCode).toBe(2);
    const [asked] = eventsOf(project, "wait-started");
    const [ended] = eventsOf(project, "run-ended");
    expect(ended?.["reason"]).toBe("usage-limit");
    expect(Math.round(((ended?.at ?? 0) - (asked?.at ?? 0)) / 1000)).toBe(30);
  });

  test("E8 with --on-limit wait nobody is asked", async () => {
    const project = limited("");
    const terminal = new Terminal(project, ["run", "--on-limit", "wait"]);
    await terminal.shows(/waiting until/u);
    expect(terminal.text()).not.toContain(QUESTION);
    terminal.type(CTRL_C);
    expect((await terminal.exited).exitCode).toBe(130);
  });
});
