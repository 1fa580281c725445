import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { pretendClaude, shellAgent } from "../rig/agents.ts";
import { TestProject } from "../rig/project.ts";

function shop(): TestProject {
  const project = new TestProject();
  project.stories({ id: "S-1" });
  shellAgent(project, "true", { config: "quality_checks: {tests: 'true'}\n" });
  project.commitAll();
  return project;
}

describe("E3 ralph validate", () => {
  test("E3 what is in order is said in one line, with exit 0, and nothing is written", async () => {
    const project = shop();
    const { code, stdout } = await project.ralph(["validate"]);
    expect(code).toBe(0);
    expect(stdout).toBe("shop: settings, task list, agent, gates and prompt are in order\n");
    expect(project.git("status", "--porcelain")).toBe("");
    expect(project.exists(".git/ralph")).toBe(false);
  });

  test("E3 every mistake in settings and list is named at once, with file and line", async () => {
    const project = shop();
    project.config("defaults:\n  max_iteration: 5\nclocks: {idle: never}\n");
    project.stories({ id: "S-1", passes: "no" as unknown as boolean }, { id: "S-2", title: "" });
    const { code, stderr } = await project.ralph(["validate"]);
    expect(code).toBe(64);
    expect(stderr).toContain(".ralph/config.yaml:2:3: defaults.max_iteration is no setting");
    expect(stderr).toContain('.ralph/config.yaml:3:10: clocks.idle is "never"');
    expect(stderr).toMatch(/\.ralph\/shop\/prd\.json:\d+:\d+: userStories\[0\]\.passes is "no"/u);
  });

  test("E3 stories that wait for each other are bad input for validate, run and dry run", async () => {
    const project = shop();
    project.stories(
      { id: "S-1", dependsOn: ["S-3"] },
      { id: "S-2", dependsOn: ["S-1"] },
      { id: "S-3", dependsOn: ["S-2"] },
    );
    project.commitAll();
    for (const args of [["validate"], ["run"], ["run", "--dry-run"]]) {
      const { code, stderr } = await project.ralph(args);
      expect(code).toBe(64);
      expect(stderr).toMatch(
        /prd\.json:\d+:\d+: stories wait for each other: S-1 → S-3 → S-2 → S-1/u,
      );
    }
    expect(project.exists(".git/ralph")).toBe(false);
  });

  test("E3 a key of the list with a slip of the pen is a warning", async () => {
    const project = new TestProject();
    project.config("agent: scripted\nquality_checks: {a: 'true'}\n");
    project.scenario("- do: []\n");
    project.stories({ id: "A", acceptanceCriterias: ["works"] });
    const { code, stdout, stderr } = await project.ralph(["validate"]);
    expect(code).toBe(0);
    expect(stdout + stderr).toMatch(
      /prd\.json:7:30: warning: "acceptanceCriterias" means nothing here/u,
    );
    expect(stdout + stderr).toContain('perhaps "acceptanceCriteria"');
  });

  test("E3 a placeholder that nobody has filled in is refused with its line", async () => {
    const project = shop();
    project.stories({ id: "S-1", title: "TODO: your first story" });
    project.commitAll();
    for (const args of [["validate"], ["run"], ["run", "--dry-run"]]) {
      const { code, stderr } = await project.ralph(args);
      expect(code).toBe(64);
      expect(stderr).toMatch(/prd\.json:4:\d+: S-1 is a placeholder: "TODO: your first story"/u);
    }
  });

  test("E3 an agent that is not there is an error, a gate's program only a warning", async () => {
    const project = shop();
    project.config(
      "agent: {name: command, command: ./nobody.sh}\nquality_checks:\n  a: nosuchtool --all\n  b: cd x && nosuchtool\n  c: npm test\n",
    );
    const { code, stderr } = await project.ralph(["validate"]);
    expect(code).toBe(64);
    expect(stderr).toContain('the agent\'s program "./nobody.sh" was not found');
    expect(stderr).toContain('warning: the gate a begins with "nosuchtool"');
    expect(stderr).not.toContain("the gate b");
    expect(stderr).not.toContain("the gate c");
    project.write("nobody.sh", "#!/bin/sh\n");
    chmodSync(join(project.root, "nobody.sh"), 0o755);
    const mended = await project.ralph(["validate"]);
    expect(mended.code).toBe(0);
    expect(mended.stdout).toContain("with 1 warning");
  });

  test("E3 --json is one object with errors and warnings", async () => {
    const project = shop();
    project.config(
      "agent: {name: command, command: ./agent.sh}\nquality_checks: {a: nosuchtool}\n",
    );
    const { code, stdout } = await project.ralph(["validate", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      valid: true,
      feature: "shop",
      errors: [],
      warnings: [{ file: ".ralph/config.yaml", problem: expect.stringContaining("nosuchtool") }],
    });
    const lost = await project.ralph(["validate", "--json", "-f", "nobody"]);
    expect(lost.code).toBe(64);
    expect(JSON.parse(lost.stdout)).toMatchObject({ valid: false, feature: null });
  });
});

describe("E3 ralph config", () => {
  test("E3 every setting is shown with its value and its source", async () => {
    const project = shop();
    project.config("agent: scripted\ndefaults:\n  max_iterations: 7\n");
    mkdirSync(join(project.home, ".ralph"));
    writeFileSync(join(project.home, ".ralph/config.yaml"), "# mine\nlimits: {wait: 5m}\n");
    const { code, stdout } = await project.ralph(["config", "-r", "4"], {
      env: { CB_SAME_ERROR_THRESHOLD: "8" },
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^defaults\.max_iterations +7 +\.ralph\/config\.yaml:3$/mu);
    expect(stdout).toMatch(/^limits\.wait +5m +~\/\.ralph\/config\.yaml:2$/mu);
    expect(stdout).toMatch(/^defaults\.rate_limit_per_hour +4 +flag --rate-limit$/mu);
    expect(stdout).toMatch(
      /^circuit_breaker\.same_error_threshold +8 +environment CB_SAME_ERROR_THRESHOLD$/mu,
    );
    expect(stdout).toMatch(/^stuck\.warn_after +3 +default$/mu);
  });

  test("E3 get prints one value; a name that is none is refused with the nearest", async () => {
    const project = shop();
    const one = await project.ralph(["config", "get", "defaults.max_iterations", "-n", "3"]);
    expect(one).toMatchObject({ code: 0, stdout: "3\n" });
    const none = await project.ralph(["config", "get", "defaults.max_iteration"]);
    expect(none.code).toBe(64);
    expect(none.stderr).toContain('did you mean "defaults.max_iterations"?');
    expect((await project.ralph(["config", "put"])).code).toBe(64);
    const all = JSON.parse((await project.ralph(["config", "--json"])).stdout) as {
      settings: { key: string; value: unknown; source: unknown }[];
    };
    expect(all.settings.find(({ key }) => key === "quality_checks.tests")).toMatchObject({
      value: "true",
      source: { kind: "file", name: ".ralph/config.yaml" },
    });
    const group = await project.ralph(["config", "get", "branch"]);
    expect(group.code).toBe(64);
    expect(group.stderr).toContain("name one of branch.prefix, branch.auto_create");
  });
});

describe("G4 an agent that cannot write", () => {
  test.each([
    ["claude: {allowed_tools: 'Read,Grep,Bash'}", "claude.allowed_tools"],
    ["claude: {allowed_tools: 'Read,TodoWrite,NotebookEdit'}", "claude.allowed_tools"],
    ["agent: {name: claude, arguments: [--permission-mode, plan]}", "plan mode"],
  ])("G4 %s is refused before anything starts, with what to set", async (config, words) => {
    const project = new TestProject();
    project.stories({ id: "S-1" });
    project.config(`${config}\n`);
    project.commitAll();
    const env = pretendClaude(project, "touch started");
    for (const args of [["run"], ["validate"]]) {
      const { code, stderr } = await project.ralph(args, { env });
      expect(code).toBe(64);
      expect(stderr).toContain(words);
    }
    expect(project.exists("started")).toBe(false);
    expect(project.exists(".git/ralph")).toBe(false);
  });

  test.each([
    ["nothing set", "", []],
    ["a pattern of Edit", "claude: {allowed_tools: 'Read,Edit(src/**)'}", []],
    ["Write among others", "claude: {allowed_tools: 'Bash Write'}", []],
    ["the flag", "claude: {allowed_tools: Read}", ["--dangerously-skip-permissions"]],
    ["the setting", "claude: {allowed_tools: Read, dangerously_skip_permissions: true}", []],
    [
      "an argument of its own",
      "claude: {allowed_tools: Read}\nagent: {name: claude, arguments: [--dangerously-skip-permissions]}",
      [],
    ],
  ])("G4 with %s it starts", async (_, config, args) => {
    const project = new TestProject();
    project.stories({ id: "S-1" });
    project.config(`${config}\n`);
    project.write(".gitignore", "started\n");
    project.commitAll();
    const env = pretendClaude(project, "touch started");
    await project.ralph(["run", "-n", "1", ...args], { env });
    expect(project.exists("started")).toBe(true);
  });
});
