import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { eventsOf, MARK, shellAgent } from "../rig/agents.ts";
import { TestProject, until } from "../rig/project.ts";

/** A project whose agent keeps the prompt it got and does its task. */
function listening(config = ""): TestProject {
  const project = new TestProject();
  project.stories({ id: "S-1", title: "Pay now" });
  shellAgent(project, `cat > prompt.got; ${MARK}`, { config });
  project.write(".gitignore", "prompt.got\n");
  project.commitAll();
  return project;
}

async function promptOf(project: TestProject, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await project.ralph(["run", ...args]);
  expect(code, `${stdout}${stderr}`).toBe(0);
  return project.read("prompt.got");
}

describe("E14 templates", () => {
  test("E14 the default one names the task list and the promise of this project", async () => {
    const prompt = await promptOf(listening("completion: {promise: ALL-DONE-HERE}\n"));
    expect(prompt).toMatch(/^# One task, then stop\n/u);
    expect(prompt).toContain("`.ralph/shop/prd.json`");
    expect(prompt).toContain("`ALL-DONE-HERE`");
    expect(prompt).not.toContain("{{");
  });

  test("E14 prompt.template: tdd asks for a test first, and to see it fail", async () => {
    const prompt = await promptOf(listening("prompt: {template: tdd}\n"));
    expect(prompt).toMatch(/^# One task, test first/u);
    expect(prompt).toMatch(/See it fail[\s\S]*Make it pass[\s\S]*Clean up[\s\S]*Run all checks/u);
    expect(prompt).toContain("## Your task\n\nS-1: Pay now");
  });

  test("E14 eject writes the template, once, and says how to go back; what is changed in it counts", async () => {
    const project = listening("quality_checks: {smoke: 'true'}\n");
    const ejected = await project.ralph(["eject"]);
    expect(ejected.code).toBe(0);
    expect(ejected.stdout).toContain("rm .ralph/templates/prompt.md");
    expect((await project.ralph(["eject", "--tdd"])).code).toBe(64);
    expect((await project.ralph(["eject", "--tdd", "--force"])).code).toBe(0);
    expect(project.read(".ralph/templates/prompt.md")).toContain("# One task, test first");
    project.write(
      ".ralph/templates/prompt.md",
      "Work on {{task.id}} of {{feature}}, try {{attempt}}.\n{{#each gates}}\n- {{name}}: {{command}}\n{{/each}}\n",
    );
    project.commitAll();
    const prompt = await promptOf(project);
    expect(prompt).toMatch(/^Work on S-1 of shop, try 1\.\n- smoke: true\n\n## Your task\n/u);
  });

  test("E14 a template in the home folder stands before the shipped one of its name", async () => {
    const project = listening("prompt: {template: tdd}\n");
    const folder = join(project.home, ".ralph", "templates");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "prompt.md"), "not this one\n");
    writeFileSync(join(folder, "prompt-tdd.md"), "Tests first, {{feature}}.\n");
    expect(await promptOf(project)).toMatch(/^Tests first, shop\.\n\n## Your task\n/u);
  });

  test.each([
    ["an unknown variable", "fine\nWork on {{taks.id}}\n", "2:11", 'no variable "taks.id"'],
    ["a block that is not closed", "{{#if feature}}\n", ":", "braces"],
    ["a helper of nobody", "{{shout feature}}\n", "1:3", 'no helper "shout"'],
  ])("E14 an ejected template with %s starts nothing", async (_, text, place, problem) => {
    const project = listening();
    project.write(".ralph/templates/prompt.md", text);
    project.commitAll();
    for (const args of [["run"], ["run", "--dry-run"], ["validate"]]) {
      const { code, stderr } = await project.ralph(args);
      expect(code).toBe(64);
      expect(stderr).toContain(`.ralph/templates/prompt.md:${place}`.replace(/:$/u, ""));
      expect(stderr).toContain(problem);
    }
    expect(project.exists("prompt.got")).toBe(false);
    expect(project.exists(".git/ralph")).toBe(false);
  });

  test("E14 a template that an agent changes is put back, and what it claims does not count", async () => {
    const project = new TestProject();
    project.stories({ id: "S-1" });
    shellAgent(project, `${MARK}; echo 'Do as you like.' > .ralph/templates/prompt.md`);
    project.write(".ralph/templates/prompt.md", "Work on {{task.id}}.\n");
    project.commitAll();
    const { stdout } = await project.ralph(["run", "-n", "1"]);
    expect(stdout).toContain("templates/prompt.md was put back");
    expect(project.outcomes()).toEqual(["rejected"]);
    expect(project.read(".ralph/templates/prompt.md")).toBe("Work on {{task.id}}.\n");
    await project.ralph(["accept-edits"]);
    expect(project.read(".ralph/templates/prompt.md")).toBe("Do as you like.\n");
  });

  test("E14 a template that a person breaks while the run works stops it, with the place", async () => {
    const project = new TestProject();
    project.stories({ id: "S-1" });
    const wait = "while [ ! -e go ]; do sleep 0.05; done";
    shellAgent(project, "date +%N >> work.txt", { config: `quality_checks: {slow: '${wait}'}\n` });
    project.write(".ralph/templates/prompt.md", "Work on {{task.id}}.\n");
    project.write(".gitignore", "go\n");
    project.commitAll();
    const run = project.start(["run"]);
    // Between the reading of the project and the prompt: while the gates run for the first time.
    await until("the gate runs", () => run.output().includes("started"));
    project.write(".ralph/templates/prompt.md", "Work on {{nope}}.\n");
    project.write("go", "");
    const { code, stdout } = await run.ended;
    expect(code).toBe(2);
    expect(stdout).toContain('.ralph/templates/prompt.md:1:11: there is no variable "nope"');
    expect(eventsOf(project, "agent-started")).toEqual([]);
  });
});

const OWN = "Do as {{task.id}} says, {{#if}} and {{> more}} \\{{x}}\r\n\tend without a line end";

describe("G2 a person's own words", () => {
  test("G2 the feature's prompt.md goes as it is, braces and all, with the hand-off after it", async () => {
    const project = listening();
    project.write(".ralph/shop/prompt.md", OWN);
    project.commitAll();
    const prompt = await promptOf(project);
    expect(prompt.startsWith(`${OWN}\n\n## Your task\n\nS-1: Pay now`)).toBe(true);
  });

  test("G2 E14 --prompt FILE goes as it is, before every other prompt, from the folder one stands in", async () => {
    const project = listening("prompt: {template: tdd}\n");
    project.write(".ralph/shop/prompt.md", "not this\n");
    project.write(".ralph/templates/prompt.md", "nor {{nonsense}}\n");
    project.write("docs/mine.md", OWN);
    project.commitAll();
    const { code } = await project.ralph(["run", "-p", "mine.md"], {
      cwd: join(project.root, "docs"),
    });
    expect(code).toBe(0);
    expect(project.read("prompt.got").startsWith(`${OWN}\n\n## Your task\n`)).toBe(true);
  });

  test.each([
    ["is not there", "none.md", "there is no such file"],
    ["is a folder", "docs", "there is no such file"],
    ["is empty", "empty.md", "the file is empty"],
  ])("E14 a --prompt file that %s starts nothing", async (_, name, problem) => {
    const project = listening();
    project.write("docs/x", "x");
    project.write("empty.md", "\n");
    const { code, stderr } = await project.ralph(["run", "--prompt", name]);
    expect(code).toBe(64);
    expect(stderr).toContain(`${name}: ${problem}`);
    expect(project.exists(".git/ralph")).toBe(false);
  });

  test("E14 a template that a prompt.md stands in front of is said", async () => {
    const project = listening("prompt: {template: tdd}\n");
    project.write(".ralph/shop/prompt.md", "Mine.\n");
    project.commitAll();
    const { stdout } = await project.ralph(["run"]);
    expect(stdout).toContain("prompt.template is tdd, but .ralph/shop/prompt.md is used");
  });
});

test("E14 what was learned comes back: patterns, the last learnings, and 20 MB do not break the budget", async () => {
  const project = listening("prompt: {tokens: 3000}\n");
  const entry = "---\nIteration: 1\nStatus: complete\nLearnings:\n  - old news\n\n";
  const top = "## Codebase Patterns\n- money is in cents\n\n";
  const last = "---\nIteration: 2\nStatus: complete\nLearnings:\n  - run the build first\n";
  const file = join(project.root, ".ralph/shop/progress.txt");
  writeFileSync(file, top + entry.repeat(Math.ceil((20 * 1024 * 1024) / entry.length)) + last);
  project.commitAll();
  const prompt = await promptOf(project);
  expect(prompt).toContain("## Patterns of this codebase\n\n- money is in cents\n");
  expect(prompt).toContain("## Recent learnings\n\n- old news\n- run the build first\n");
  expect(prompt).toContain("## Recent progress\n");
  const [written] = eventsOf(project, "prompt-written");
  expect(written?.["tokens"]).toBeLessThanOrEqual(3000);
  expect(prompt.length).toBeLessThan(20_000);
});
