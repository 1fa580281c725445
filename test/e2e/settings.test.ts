import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventsOf, lastExit, MARK, shellAgent } from "../rig/agents.ts";
import { type LoggedEvent, TestProject, until } from "../rig/project.ts";

/** A project with one setting in its file or environment, and how to look at what it does. */
interface Setup {
  readonly project: TestProject;
  readonly env: Record<string, string>;
}
type Look = (setup: Setup) => Promise<unknown>;

/** One setting, twice with different values: what is seen must be different, and right. */
interface Case {
  readonly key: string;
  /** Lines of config.yaml, or assignments where the key is a variable. */
  readonly one: readonly [string, unknown];
  readonly other: readonly [string, unknown];
  readonly look: Look;
  /** The shell script that is the agent; none where the settings name one. */
  readonly agent?: string;
  readonly output?: "text" | "notes";
  readonly stories?: number;
  /** Further lines of config.yaml for both. */
  readonly beside?: string;
}

const WORK = "date +%N >> work.txt";
const FAIL = `${WORK}; echo 'Error: cannot find module pay' >&2; exit 1`;
const note = (fields: string): string => `echo '{${fields}}'`;
const RESULT = note('"type":"result","good":true,"text":"x"');
const LIMIT = `if [ ! -e limited ]; then touch limited; ${note('"type":"limit","kind":"usage","text":"x"')}; exit 1; fi`;
const SPENDS = `${WORK}; ${note('"type":"result","good":true,"text":"x","costUsd":2,"tokens":{"input":500,"output":500}')}`;

async function run({ project, env }: Setup, ...args: string[]): Promise<string> {
  const { stdout, stderr } = await project.ralph(["run", ...args], { env });
  return stdout + stderr;
}

/** What a dry run tells, at a place such as `prompt.begins`. */
const planned =
  (look: (plan: { argv: string[]; prompt: { text: string; begins: string } }) => unknown): Look =>
  async ({ project, env }) =>
    look(JSON.parse((await project.ralph(["run", "--dry-run", "--json"], { env })).stdout));

const after =
  (look: (project: TestProject) => unknown, ...args: string[]): Look =>
  async (setup) => {
    await run(setup, ...args);
    return look(setup.project);
  };

const reason = (project: TestProject): unknown => eventsOf(project, "run-ended").at(-1)?.["reason"];
const outcomes = (project: TestProject): string[] => project.outcomes();
const clock = (project: TestProject): unknown => lastExit(project).terminated?.clock;
const count = (what: string) => (project: TestProject) =>
  project.outcomes().filter((outcome) => outcome === what).length;

/** The first wait of a run, in milliseconds; 0 where it ends without one. The run is then killed. */
const firstWait: Look = async ({ project, env }) => {
  const running = project.start(["run", "-n", "2"], { env });
  const seen = (): LoggedEvent | undefined => {
    try {
      return project.events().find(({ type }) => type === "wait-started" || type === "run-ended");
    } catch {
      // The log is not there yet, or its last line is just being written.
      return undefined;
    }
  };
  await until("the run waits or ends", () => seen() !== undefined);
  running.child.kill("SIGTERM");
  await running.ended;
  const event = seen();
  return event?.type === "wait-started" ? Math.round(Number(event["until"]) - event.at) : 0;
};
const waitsMinutes: Look = async (setup) => Math.round(Number(await firstWait(setup)) / 60_000);

const agentCase = (key: string, value: string, look: (argv: string[]) => unknown): Case => ({
  key: `agent.${key}`,
  one: [`agent: {name: claude, command: ./a, ${value}}\n`, true],
  other: ["agent: {name: claude, command: ./a}\n", false],
  look: planned(({ argv }) => look(argv)),
});

const CASES: readonly Case[] = [
  {
    key: "agent.name",
    one: ["agent: {name: scripted}\n", true],
    other: ["agent: {name: claude}\n", false],
    look: planned(({ argv }) => argv.includes("scripted-agent")),
  },
  {
    key: "agent.command",
    one: ["agent: {name: claude, command: ./other}\n", "./other"],
    other: ["agent: {name: claude}\n", "claude"],
    look: planned(({ argv }) => argv[0]),
  },
  agentCase("arguments", "arguments: [--fast]", (argv) => argv.includes("--fast")),
  agentCase("model", "model: opus", (argv) => argv.join(" ").includes("--model opus")),
  {
    key: "agent.output",
    one: ["agent: {name: command, command: ./agent.sh, output: notes}\n", 2],
    other: ["agent: {name: command, command: ./agent.sh, output: text}\n", undefined],
    agent: SPENDS,
    look: after((project) => lastExit(project).result?.costUsd, "-n", "1"),
  },
  {
    key: "defaults.max_iterations",
    one: ["defaults: {max_iterations: 1}\n", 1],
    other: ["defaults: {max_iterations: 2}\n", 2],
    agent: WORK,
    look: after(count("progressed")),
  },
  {
    key: "defaults.timeout_minutes",
    one: ["defaults: {timeout_minutes: 300ms, max_iterations: 1}\n", ["timed-out"]],
    other: ["defaults: {timeout_minutes: 20s, max_iterations: 1}\n", ["progressed"]],
    agent: `${WORK}; sleep 1`,
    look: after(outcomes),
  },
  {
    key: "defaults.rate_limit_per_hour",
    one: ["defaults: {rate_limit_per_hour: 1}\n", 60],
    other: ["defaults: {rate_limit_per_hour: 5}\n", 0],
    agent: WORK,
    look: waitsMinutes,
  },
  {
    key: "defaults.max_time",
    one: ["defaults: {max_time: 200ms, max_iterations: 2}\n", "budget-used-up"],
    other: ["defaults: {max_time: 1h, max_iterations: 2}\n", "iterations-used-up"],
    agent: `${WORK}; sleep 0.4`,
    look: after(reason),
  },
  {
    key: "defaults.pause_between",
    one: ["defaults: {pause_between: 60}\n", 1],
    other: ["defaults: {pause_between: 120}\n", 2],
    agent: WORK,
    look: waitsMinutes,
  },
  {
    key: "clocks.start",
    one: ["clocks: {start: 200ms}\n", "start"],
    other: ["clocks: {start: 20s}\n", undefined],
    agent: "sleep 1",
    output: "notes",
    look: after(clock, "-n", "1"),
  },
  {
    key: "clocks.idle",
    one: ["clocks: {idle: 200ms}\n", "idle"],
    other: ["clocks: {idle: 20s}\n", undefined],
    agent: `${note('"type":"activity","text":"x"')}; sleep 1`,
    output: "notes",
    look: after(clock, "-n", "1"),
  },
  {
    key: "clocks.after_result",
    one: ["clocks: {after_result: 100ms}\n", "grace"],
    other: ["clocks: {after_result: 20s}\n", undefined],
    agent: `${RESULT}; sleep 1`,
    output: "notes",
    look: after(clock, "-n", "1"),
  },
  {
    key: "quality_checks",
    one: ["quality_checks: {good: test ! -e bad}\n", ["rejected"]],
    other: ["quality_checks: {good: 'true'}\n", ["accepted"]],
    agent: `touch bad; ${MARK}`,
    look: after(outcomes, "-n", "1"),
  },
  {
    key: "quality_checks.timeout",
    one: ["quality_checks: {slow: {command: sleep 1, timeout: 200ms}}\n", true],
    other: ["quality_checks: {slow: {command: sleep 1, timeout: 20s}}\n", false],
    agent: WORK,
    look: after((p) => gateResult(p).timedOut, "-n", "1"),
  },
  {
    key: "gates.timeout",
    one: ["gates: {timeout: 200ms}\n", true],
    other: ["gates: {timeout: 20s}\n", false],
    beside: "quality_checks: {slow: sleep 1}\n",
    agent: WORK,
    look: after((p) => gateResult(p).timedOut, "-n", "1"),
  },
  {
    key: "circuit_breaker.no_progress_threshold",
    one: ["circuit_breaker: {no_progress_threshold: 1}\n", 1],
    other: ["circuit_breaker: {no_progress_threshold: 2}\n", 2],
    agent: "true",
    look: after(count("no-op")),
  },
  {
    key: "circuit_breaker.same_error_threshold",
    one: ["circuit_breaker: {same_error_threshold: 1}\n", 1],
    other: ["circuit_breaker: {same_error_threshold: 2}\n", 2],
    agent: FAIL,
    look: after(count("agent-failed"), "-n", "4"),
  },
  {
    key: "completion.promise",
    one: ["completion: {promise: ALL-OK}\n", true],
    other: ["completion: {promise: ALL-DONE}\n", false],
    look: planned(({ prompt }) => prompt.text.includes("`ALL-OK`")),
  },
  {
    key: "completion.consecutive_done_signals",
    one: ["completion: {consecutive_done_signals: 1}\n", 1],
    other: ["completion: {consecutive_done_signals: 2}\n", 2],
    beside: "quality_checks: {good: test ! -e bad}\n",
    agent: `touch bad; ${WORK}; ${MARK}`,
    look: after(count("rejected")),
  },
  {
    key: "completion.consecutive_test_loops",
    one: ["completion: {consecutive_test_loops: 1}\n", 1],
    other: ["completion: {consecutive_test_loops: 2}\n", 2],
    agent: "mkdir -p test; date +'test(%N)' >> test/pay.test.js",
    look: after(count("progressed"), "-n", "4"),
  },
  {
    key: "stuck.warn_after",
    one: ["stuck: {warn_after: 1}\n", true],
    other: ["stuck: {warn_after: 5}\n", false],
    agent: `cat > prompt.got; ${WORK}`,
    look: after((p) => p.read("prompt.got").includes("none was accepted"), "-n", "2"),
  },
  {
    key: "stuck.defer_after",
    one: ["stuck: {defer_after: 1}\n", "S-1\nS-2\n"],
    other: ["stuck: {defer_after: 5}\n", "S-1\nS-1\n"],
    stories: 2,
    agent: 'echo "$RALPH_TASK_ID" >> order',
    look: after((p) => p.read("order"), "-n", "2"),
  },
  {
    key: "budget.usd",
    one: ["budget: {usd: 1}\n", "budget-used-up"],
    other: ["budget: {usd: 9}\n", "iterations-used-up"],
    agent: SPENDS,
    output: "notes",
    look: after(reason, "-n", "2"),
  },
  {
    key: "budget.tokens",
    one: ["budget: {tokens: 900}\n", "budget-used-up"],
    other: ["budget: {tokens: 90000}\n", "iterations-used-up"],
    agent: SPENDS,
    output: "notes",
    look: after(reason, "-n", "2"),
  },
  ...(["feature_usd: 3", "feature_tokens: 1500"] as const).map((set): Case => ({
    key: `budget.${set.split(":")[0]}`,
    one: [`budget: {${set}}\n`, "budget-used-up"],
    other: [`budget: {${set}00}\n`, "iterations-used-up"],
    agent: SPENDS,
    output: "notes",
    // The first run alone stays below it.
    look: async (setup) => {
      await run(setup, "-n", "1");
      expect(reason(setup.project)).toBe("iterations-used-up");
      await run(setup, "-n", "2");
      return reason(setup.project);
    },
  })),
  {
    key: "claude.dangerously_skip_permissions",
    one: ["claude: {dangerously_skip_permissions: true}\n", true],
    other: ["claude: {dangerously_skip_permissions: false}\n", false],
    look: planned(({ argv }) => argv.includes("--dangerously-skip-permissions")),
  },
  {
    key: "claude.allowed_tools",
    one: ["claude: {allowed_tools: 'Edit,Bash'}\n", true],
    other: ["claude: {allowed_tools: 'Write'}\n", false],
    look: planned(({ argv }) => argv.includes("Edit,Bash")),
  },
  {
    key: "branch.prefix",
    one: ["branch: {auto_create: true, prefix: work/}\n", "work/shop"],
    other: ["branch: {auto_create: true, prefix: team/}\n", "team/shop"],
    agent: MARK,
    look: after((p) => p.git("branch", "--show-current").trim()),
  },
  {
    key: "branch.auto_create",
    one: ["branch: {auto_create: true, prefix: work/}\n", "work/shop"],
    other: ["branch: {auto_create: false, prefix: work/}\n", "main"],
    agent: MARK,
    look: after((p) => p.git("branch", "--show-current").trim()),
  },
  {
    key: "archive",
    one: ["archive: true\n", true],
    other: ["archive: false\n", false],
    agent: MARK,
    look: after((p) => p.exists(".ralph/archive")),
  },
  {
    key: "limits.wait",
    one: ["limits: {wait: 3m}\n", 3],
    other: ["limits: {wait: 7}\n", 7],
    agent: LIMIT,
    output: "notes",
    look: waitsMinutes,
  },
  {
    key: "limits.margin",
    one: ["limits: {margin: 2m}\n", 3],
    other: ["limits: {margin: 5m}\n", 6],
    agent: LIMIT.replace('"text"', `"resetsAt":'$(( $(date +%s%3N) + 60000 ))',"text"`),
    output: "notes",
    look: waitsMinutes,
  },
  {
    key: "limits.on_limit",
    one: ["limits: {on_limit: exit, wait: 10ms}\n", "usage-limit"],
    other: ["limits: {on_limit: wait, wait: 10ms}\n", "complete"],
    agent: `${LIMIT}; ${MARK}; ${RESULT}`,
    output: "notes",
    look: after(reason),
  },
  {
    key: "prompt.tokens",
    one: ["prompt: {tokens: 1500}\n", true],
    other: ["prompt: {tokens: 12000}\n", false],
    look: planned(({ prompt }) => prompt.text.includes("[cut to fit")),
  },
  {
    key: "prompt.template",
    one: ["prompt: {template: tdd}\n", "templates/prompt-tdd.md"],
    other: ["prompt: {template: default}\n", "templates/prompt.md"],
    look: planned(({ prompt }) => prompt.begins),
  },
  {
    key: "record.keep_iterations",
    one: ["record: {keep_iterations: 1}\n", 1],
    other: ["record: {keep_iterations: 9}\n", 3],
    agent: WORK,
    look: after((p) => readdirSync(join(p.runFolder(), "iterations")).length, "-n", "3"),
  },
];

const VARIABLES: readonly Case[] = [
  {
    key: "MAX_ITERATIONS",
    one: ["1", 1],
    other: ["2", 2],
    agent: WORK,
    look: after(count("progressed")),
  },
  {
    key: "TIMEOUT_MINUTES",
    one: ["0.005", ["timed-out"]],
    other: ["1", ["progressed"]],
    agent: `${WORK}; sleep 1`,
    look: after(outcomes, "-n", "1"),
  },
  {
    key: "RATE_LIMIT_PER_HOUR",
    one: ["1", 60],
    other: ["5", 0],
    agent: WORK,
    look: waitsMinutes,
  },
  {
    key: "CB_NO_PROGRESS_THRESHOLD",
    one: ["1", 1],
    other: ["2", 2],
    agent: "true",
    look: after(count("no-op")),
  },
  {
    key: "CB_SAME_ERROR_THRESHOLD",
    one: ["1", 1],
    other: ["2", 2],
    agent: FAIL,
    look: after(count("agent-failed"), "-n", "4"),
  },
];

function gateResult(project: TestProject): { timedOut: boolean } {
  return eventsOf(project, "gate-ran")[0]?.["result"] as { timedOut: boolean };
}

function setUp(entry: Case, lines: string, env: Record<string, string> = {}): Setup {
  const project = new TestProject();
  const ids = Array.from({ length: entry.stories ?? 1 }, (_, n) => `S-${n + 1}`);
  project.stories(...ids.map((id) => ({ id })));
  const config = lines + (entry.beside ?? "");
  const isNamed = config.includes("agent:") || entry.agent === undefined;
  shellAgent(project, entry.agent ?? "true", { output: entry.output ?? "text", config });
  if (isNamed) project.config(config);
  project.write(".gitignore", "limited\nprompt.got\norder\n");
  const entryText = "---\nIteration: 1\nStatus: complete\nLearnings:\n  - something\n\n";
  project.write(
    ".ralph/shop/progress.txt",
    entryText.repeat(entry.key === "prompt.tokens" ? 60 : 1),
  );
  project.commitAll();
  return { project, env };
}

test.each(CASES.map((entry) => [entry.key, entry] as const))(
  "E3 %s changes what happens",
  async (_, entry) => {
    for (const [lines, expected] of [entry.one, entry.other])
      expect(await entry.look(setUp(entry, lines)), `with ${lines}`).toEqual(expected);
  },
);

test.each(VARIABLES.map((entry) => [entry.key, entry] as const))(
  "E3 the variable %s changes what happens, and is stronger than the files",
  async (key, entry) => {
    const weaker =
      "defaults: {max_iterations: 3, timeout_minutes: 10, rate_limit_per_hour: 50}\ncircuit_breaker: {no_progress_threshold: 3, same_error_threshold: 3}\n";
    for (const [value, expected] of [entry.one, entry.other])
      expect(await entry.look(setUp(entry, weaker, { [key]: value })), `with ${value}`).toEqual(
        expected,
      );
  },
);

test("E3 every setting that `ralph config` knows has a test here", async () => {
  const { stdout } = await new TestProject().ralph(["config", "--json"]);
  const known = (JSON.parse(stdout) as { settings: { key: string }[] }).settings;
  const tested = new Set(CASES.map(({ key }) => key));
  expect(known.map(({ key }) => key).filter((key) => !tested.has(key))).toEqual([]);
});
