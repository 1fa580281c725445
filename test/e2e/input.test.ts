import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { MARK, pretendClaude, shellAgent, stream } from "../rig/agents.ts";
import { TestProject } from "../rig/project.ts";

const AWKWARD = [
  "---",
  "title: not front matter",
  "---",
  `"double" 'single' \`tick\` $HOME \${HOME} $(touch pwned) \`touch pwned\` \\ \\n %s %n !! ~ * ?`,
  "-p --dangerously-skip-permissions",
  "<promise>COMPLETE</promise>",
  "tab\tand\r\nCRLF and umlauts: äöü, emoji 🦜, a lone { and }} and {{task}} and {{{raw}}}",
  "EOF",
  "",
  "",
].join("\n");

/** 300 KB of awkward lines that begin with `---` and do not end in a line end. */
const PROMPT = Buffer.from(`${AWKWARD.repeat(Math.ceil(300_000 / AWKWARD.length))}no line end`);

function given(): TestProject {
  const project = new TestProject();
  project.stories({ id: "S-1" });
  project.write(`.ralph/${project.feature}/prompt.md`, PROMPT);
  return project;
}

/** What was read from standard input, and whether a second reading found its end. */
const RECORD = `cat > "$HOME/stdin"; if read -r more; then echo more; else echo end; fi > "$HOME/after"`;

function expectWhole(project: TestProject): void {
  const arrived = readFileSync(join(project.home, "stdin"));
  const recorded = readFileSync(join(project.runFolder(), "iterations", "1-1", "prompt"));
  expect(PROMPT.length).toBeGreaterThan(300_000);
  expect(arrived.subarray(0, PROMPT.length).equals(PROMPT)).toBe(true);
  expect(arrived.equals(recorded)).toBe(true);
  expect(arrived.subarray(PROMPT.length).toString()).toContain("S-1: Title of S-1");
  expect(project.read("../home/after")).toBe("end\n");
  expect(project.exists("pwned")).toBe(false);
}

test("P6 300 KB of prompt arrive byte for byte at any program, and standard input is at its end", async () => {
  const project = given();
  shellAgent(project, `${RECORD}; ${MARK}; echo done`);
  project.commitAll();
  expect((await project.ralph(["run"])).code).toBe(0);
  expectWhole(project);
});

test("P6 the same at claude", async () => {
  const project = given();
  project.write("../home/stream", stream("claude-success"));
  const env = pretendClaude(project, `${RECORD}; ${MARK}; cat "$HOME/stream"`);
  project.commitAll();
  expect((await project.ralph(["run"], { env })).code).toBe(0);
  expectWhole(project);
});

test("P6 an agent that never reads its input is not harmed by it, nor are we", async () => {
  const project = given();
  shellAgent(project, `exec 0<&-; ${MARK}; echo done`);
  project.commitAll();
  expect((await project.ralph(["run"])).code).toBe(0);
});

test("P6 the agent cannot write into its prompt", async () => {
  const project = given();
  shellAgent(project, `echo overwritten >&0; ${MARK}; echo done`);
  project.commitAll();
  await project.ralph(["run"]);
  const recorded = readFileSync(join(project.runFolder(), "iterations", "1-1", "prompt"));
  expect(recorded.subarray(0, PROMPT.length).equals(PROMPT)).toBe(true);
});

const OUTER = {
  CLAUDECODE: "1",
  CLAUDE_CODE_ENTRYPOINT: "cli",
  CLAUDE_CODE_SSE_PORT: "1",
  CLAUDE_CODE_SESSION_ID: "outer",
  CLAUDE_PID: "1",
  CLAUDE_PROJECT_DIR: "/nowhere",
  CODEX_SANDBOX: "outer",
  CURSOR_AGENT: "1",
  GEMINI_CLI: "1",
  OPENCODE: "1",
  GIT_DIR: "/nowhere",
  GIT_WORK_TREE: "/nowhere",
  GIT_INDEX_FILE: "/nowhere/index",
  GIT_AUTHOR_NAME: "outer",
  GIT_CONFIG_COUNT: "0",
  NODE_OPTIONS: "--no-warnings",
  npm_config_registry: "http://localhost:1",
  npm_lifecycle_event: "test",
  npm_package_json: "/nowhere/package.json",
  INIT_CWD: "/nowhere",
  RALPH_RUN_ID: "outer",
  RALPH_TASK_ID: "outer",
};
const OWN = {
  ANTHROPIC_BASE_URL: "http://127.0.0.1:9/dummy",
  ANTHROPIC_API_KEY: "dummy",
  CLAUDE_CONFIG_DIR: "/tmp/dummy",
  MY_OWN: "two\nlines = and $signs",
  http_proxy: "http://127.0.0.1:9",
  GITHUB_TOKEN: "dummy",
  NODE_EXTRA_CA_CERTS: "",
};
const DROPPED = Object.keys(OUTER).filter((name) => !name.startsWith("RALPH_"));

function readEnvironment(project: TestProject, name: string): Record<string, string> {
  const entries = project.read(`../home/${name}`).split("\0").filter(Boolean);
  return Object.fromEntries(
    entries.map((entry) => [
      entry.slice(0, entry.indexOf("=")),
      entry.slice(entry.indexOf("=") + 1),
    ]),
  );
}

function descriptors(listing: string): (string | undefined)[] {
  return [...listing.matchAll(/ (\d+) -> /gu)].map((match) => match[1]);
}

describe("P7 the environment", () => {
  test("P7 an agent and a gate get the user's own variables and the run's ids, and none of an outer session", async () => {
    const project = new TestProject();
    project.stories({ id: "S-1" });
    shellAgent(project, `env -0 > "$HOME/agent.env"; ${MARK}; echo done`, {
      config: `quality_checks:\n  env: env -0 > "$HOME/gate.env"\n`,
    });
    project.commitAll();
    const { code } = await project.ralph(["run"], { env: { ...OUTER, ...OWN } });
    expect(code).toBe(0);
    const { run } = project.events()[0] ?? { run: "" };
    for (const name of ["agent.env", "gate.env"]) {
      const env = readEnvironment(project, name);
      expect(DROPPED.filter((variable) => variable in env)).toEqual([]);
      expect(Object.keys(env).filter((key) => /^(?:GIT_|npm_|NODE_CHANNEL)/u.test(key))).toEqual(
        [],
      );
      expect(env).toMatchObject({
        ...OWN,
        HOME: project.home,
        RALPH_RUN_ID: run,
        RALPH_ITERATION: "1",
        RALPH_ATTEMPT: "1",
        RALPH_TASK_ID: "S-1",
        RALPH_FEATURE: project.feature,
        RALPH_TASKS_FILE: join(project.root, ".ralph", project.feature, "prd.json"),
      });
    }
  });

  test("P7 the same for claude, which is told to leave waiting and background work to us", async () => {
    const project = new TestProject();
    project.stories({ id: "S-1" });
    project.write("../home/stream", stream("claude-success"));
    const { PATH } = pretendClaude(
      project,
      `env -0 > "$HOME/agent.env"; ${MARK}; cat "$HOME/stream"`,
    );
    project.commitAll();
    const { code } = await project.ralph(["run"], { env: { ...OUTER, ...OWN, PATH } });
    expect(code).toBe(0);
    const env = readEnvironment(project, "agent.env");
    expect(DROPPED.filter((variable) => variable in env)).toEqual([]);
    expect(env).toMatchObject({
      ...OWN,
      RALPH_RUN_ID: project.events()[0]?.run,
      CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
      CLAUDE_CODE_MAX_RETRIES: "2",
    });
  });

  test("P7 a detached run's agent gets no channel and no outer session either", async () => {
    const project = new TestProject();
    project.stories({ id: "S-1" });
    shellAgent(
      project,
      `env -0 > "$HOME/agent.env"; ls -l /proc/self/fd > "$HOME/fds"; ${MARK}; echo done`,
    );
    project.commitAll();
    expect((await project.ralph(["run", "--detach"], { env: OUTER })).code).toBe(0);
    await expect
      .poll(() => project.status(), { timeout: 20_000 })
      .toMatchObject({ state: "ended" });
    const env = readEnvironment(project, "agent.env");
    expect(DROPPED.filter((variable) => variable in env)).toEqual([]);
    expect(Object.keys(env).filter((key) => key.startsWith("NODE_CHANNEL"))).toEqual([]);
    // Standard input, output and error, and the folder that `ls` itself reads; no more than anyone inherits here.
    const inherited = execFileSync("ls", ["-l", "/proc/self/fd"], { encoding: "utf8" });
    expect(descriptors(project.read("../home/fds"))).toEqual(descriptors(inherited));
  });

  test("P7 no value of the environment gets into the record", async () => {
    const project = new TestProject();
    project.stories({ id: "S-1" });
    shellAgent(project, `${MARK}; echo done`);
    project.commitAll();
    const secret = "s3cr3t-value-of-a-variable";
    await project.ralph(["run"], { env: { ANTHROPIC_API_KEY: secret } });
    const found = execFileSync("sh", ["-c", `grep -rl ${secret} .git . || true`], {
      cwd: project.root,
      encoding: "utf8",
    });
    expect(found).toBe("");
  });
});
