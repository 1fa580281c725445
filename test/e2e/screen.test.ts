import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TestProject } from "../rig/project.ts";
import { Terminal } from "../rig/terminal.ts";

const COLOUR = /\u001B\[\d+m/u;
const SCENARIO = `- when: {task: A, attempt: 1}
  do:
    - note: {type: tool-started, id: t1, tool: Bash, text: "Bash sleep and think"}
    - sleep: 1500ms
    - note: {type: tool-ended, id: t1}
    - write: {path: work.txt, text: some}
    - mark: task
    - note: {type: result, good: true, text: done, costUsd: 0.25, tokens: {input: 12000, output: 345}}
- do: [{write: {path: work.txt, text: more}}, {mark: task}, {say: done}]
`;

function given(
  config = "agent: scripted\nquality_checks: {unit: test -f work.txt, lint: 'true'}\n",
): TestProject {
  const project = new TestProject();
  project.stories({ id: "A", title: "Pay by card" }, { id: "B", title: "Pay later" });
  project.config(config);
  project.scenario(SCENARIO);
  project.write("work.txt", "begun");
  project.commitAll();
  return project;
}

describe("plain output", () => {
  test("the time of a line is that of the person's place", async () => {
    const project = given();
    const { stdout } = await project.ralph(["run", "-n", "1"], { env: { TZ: "Asia/Kolkata" } });
    const shown = /^(\d\d):(\d\d):\d\d run /u.exec(stdout);
    const there = new Date(Date.now() + 5.5 * 3_600_000);
    const minutes = Number(shown?.[1]) * 60 + Number(shown?.[2]);
    const off = there.getUTCHours() * 60 + there.getUTCMinutes() - minutes;
    expect(((off % 1440) + 1440) % 1440).toBeLessThan(5);
  });

  test("one line for each iteration, then the summary, and no escape in a pipe", async () => {
    const project = given();
    const { code, stdout } = await project.ralph(["run"], { env: { FORCE_COLOR: "1" } });
    expect(code, `printed: ${stdout}`).toBe(0);
    expect(stdout).not.toMatch(/[\u001B\r]/u);
    const lines = stdout.split("\n").filter((line) => line.includes("iteration "));
    expect(lines).toEqual([
      expect.stringMatching(
        /^\d\d:\d\d:\d\d iteration 1: accepted A Pay by card \(\S+s, 2\/2 gates, 12\.3k tokens, \$0\.25, 1 of 2 done\)$/u,
      ),
      expect.stringMatching(
        /iteration 2: accepted B Pay later \(\S+s, 2\/2 gates, 2 of 2 done\)$/u,
      ),
    ]);
    expect(stdout).toMatch(
      /\nrun \S+ ended: complete \(exit 0\)\. .*\n  tasks       2 of 2 done\n/u,
    );
    expect(stdout).toMatch(
      /\n  iterations  2\n  commits     \d+\n  time        .*\n  used        12\.3k tokens, \$0\.25/u,
    );
    expect(stdout).toMatch(/\n  next        Nothing is left to do\.\n$/u);
  });

  test("-v tells every step and what the agent does, one line each", async () => {
    const project = given();
    const { stdout } = await project.ralph(["run", "-v"]);
    expect(stdout).toContain("iteration 1: A Pay by card (0/2 done)");
    expect(stdout).toMatch(/\d {3}Bash sleep and think\n/u);
    expect(stdout).toMatch(/gate lint passes \(/u);
  });

  test("a gate that is red before the first agent is always told", async () => {
    const project = given("agent: scripted\nquality_checks: {unit: 'false'}\n");
    const { stdout } = await project.ralph(["run", "-n", "1"]);
    expect(stdout).toContain("gate unit before the first agent fails: exit 1");
    expect(stdout).toContain("[unverified]");
    expect(stdout).toMatch(/\n  tasks       1 of 2 done \(1 unverified\), 1 open\n/u);
  });

  test("--json has the object alone on standard output, all else beside it", async () => {
    const project = given();
    const { stdout, stderr } = await project.ralph(["run", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ reason: "complete", exitCode: 0, iterations: 2 });
    expect(stdout.trimEnd()).not.toContain("\n");
    expect(stderr).toContain("iteration 1: accepted");
    expect(stderr).toContain("ended: complete (exit 0)");
    expect(stderr).not.toContain("\u001B");
  });
});

describe("on a terminal", () => {
  test("a line is written over while the agent works, and cleared before any other", async () => {
    const project = given();
    const terminal = new Terminal(project, ["run"]);
    await terminal.shows(/iteration 1 · A Pay by card · Bash sleep and think · 1s/u);
    expect((await terminal.exited).exitCode).toBe(0);
    const text = terminal.text();
    // Whatever is a line of its own begins one: nothing of the live line stands before it.
    for (const line of text.split("\r\n").filter((one) => one.includes("accepted")))
      expect(line).toMatch(/(?:^|\u001B\[J)(?:\u001B\[2m)?\d\d:\d\d:\d\d/u);
    expect(text.trimEnd()).toMatch(/Nothing is left to do\.$/u);
  });

  test("the cursor rests at the start of that line, so that a narrower terminal cannot break it beyond clearing", async () => {
    const terminal = new Terminal(given(), ["run"], { columns: 80, env: { NO_COLOR: "1" } });
    await terminal.exited;
    const drawn = terminal.text().split("\r\u001B[J").slice(1);
    const lines = drawn.filter((part) => part.startsWith("\u001B[?7l"));
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines) expect(line).toMatch(/^\u001B\[\?7l[^\n]+\u001B\[\?7h\r$/u);
  });

  test("outcomes have colours, and times are dim", async () => {
    const terminal = new Terminal(given(), ["run"]);
    await terminal.exited;
    expect(terminal.text()).toContain("\u001B[32maccepted\u001B[39m");
    expect(terminal.text()).toMatch(/\u001B\[2m\d\d:\d\d:\d\d\u001B\[22m/u);
  });

  test.each([{ NO_COLOR: "1" }, { FORCE_COLOR: "0" }])("no colours with %o", async (env) => {
    const terminal = new Terminal(given(), ["run"], { env });
    await terminal.exited;
    expect(terminal.text()).toContain("accepted");
    expect(terminal.text()).not.toMatch(COLOUR);
    expect(terminal.text()).toContain("\u001B[J");
  });

  test("a dumb terminal gets plain lines and no escape at all", async () => {
    const terminal = new Terminal(given(), ["run"], { env: { TERM: "dumb" } });
    await terminal.exited;
    expect(terminal.text()).toContain("iteration 2: accepted");
    expect(terminal.text()).not.toContain("\u001B");
  });

  test("-v has lines and no live line", async () => {
    const terminal = new Terminal(given(), ["run", "-v"]);
    await terminal.exited;
    expect(terminal.text()).toContain("Bash sleep and think");
    expect(terminal.text()).not.toContain("\u001B[J");
  });

  test.each([80, 120])("nothing is wider than %d columns", async (columns) => {
    const project = given();
    const terminal = new Terminal(project, ["run"], { columns, env: { NO_COLOR: "1" } });
    await terminal.exited;
    const drawn = terminal.text().replaceAll(/\u001B\[\??\d*[a-z]/giu, "");
    for (const line of drawn.split(/[\r\n]+/u)) expect(line.length).toBeLessThanOrEqual(columns);
    expect(terminal.text()).toContain("ended: complete");
  });
});

describe("words of the other commands", () => {
  const widerThan = (columns: number, text: string): string[] =>
    text.split(/\r?\n/u).filter((line) => line.length > columns);

  test.each([
    ["init", "a-new-feature"],
    ["init", "../x"],
    ["eject"],
    ["status"],
    ["why"],
    ["logs"],
  ])(
    "%s %s: lines are broken between words on a terminal, and not at all in a pipe",
    async (...args) => {
      const project = given();
      await project.ralph(["run"]);
      const terminal = new Terminal(project, args, { columns: 60 });
      await terminal.exited;
      expect(terminal.text().trim()).not.toBe("");
      expect(widerThan(59, terminal.text())).toEqual([]);
      rmSync(join(project.root, ".ralph", "a-new-feature"), { recursive: true, force: true });
      const { stdout, stderr } = await project.ralph(args);
      expect(widerThan(59, `${stdout}${stderr}`)).not.toEqual([]);
    },
  );

  test("the settings fit 80 columns with their sources", async () => {
    const { stdout } = await given().ralph(["config"]);
    expect(widerThan(79, stdout)).toEqual([]);
    expect(stdout).toMatch(/^quality_checks\.unit +test -f work\.txt +\.ralph\/config\.yaml:2$/mu);
  });
});
