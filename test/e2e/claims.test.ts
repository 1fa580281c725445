import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { eventsOf, lastExit, shellAgent } from "../rig/agents.ts";
import { type Story, TestProject } from "../rig/project.ts";

const PROMISE = "<promise>COMPLETE</promise>";
const GREEN = "quality_checks: {right: '! grep -qs wrong work.txt'}\n";

interface Claim {
  readonly kind: string;
  readonly verdict: string;
  readonly reason: string;
}
interface End {
  readonly outcome: string;
  readonly reason: string;
  readonly progress?: boolean;
  readonly claims?: readonly Claim[];
}

function given(
  scenario: string,
  config = "",
  stories: readonly Story[] = [{ id: "A" }],
): TestProject {
  const project = new TestProject();
  project.stories(...stories);
  project.config(`agent: scripted\n${config}`);
  project.scenario(scenario);
  project.commitAll();
  return project;
}

const ends = (project: TestProject): End[] =>
  eventsOf(project, "iteration-ended").map((event) => event["end"] as End);
const promptOf = (project: TestProject, iteration: string): string =>
  readFileSync(join(project.runFolder(), "iterations", iteration, "prompt"), "utf8");
const agentStarts = (project: TestProject): number => eventsOf(project, "agent-started").length;

// What an agent prints, in each of the three ways in which output is read.

type Kind = "claude" | "notes" | "text";
const KINDS: readonly Kind[] = ["claude", "notes", "text"];

/** What came before the final message. */
interface Before {
  readonly message?: string;
  readonly toolResult?: string;
}

function printed(kind: Kind, final: string, before: Before = {}): string {
  const { message, toolResult } = before;
  const texts = [message, toolResult].filter((text) => text !== undefined);
  if (kind === "text") return `${[...texts, final].join("\n\n")}\n`;
  const events =
    kind === "notes" ? notes(final, texts) : claudeEvents(final, { message, toolResult });
  return `${events.map((event) => JSON.stringify(event)).join("\n")}\n`;
}

function notes(final: string, texts: readonly string[]): unknown[] {
  return [
    { type: "started", model: "m" },
    ...texts.map((text) => ({ type: "activity", text })),
    { type: "result", good: true, text: final },
  ];
}

function claudeEvents(
  final: string,
  { message, toolResult }: { message: string | undefined; toolResult: string | undefined },
): unknown[] {
  const said = (type: string, block: unknown): unknown => ({
    type,
    parent_tool_use_id: null,
    session_id: "s",
    message: { content: [block] },
  });
  return [
    { type: "system", subtype: "init", model: "m", session_id: "s" },
    ...(message === undefined ? [] : [said("assistant", { type: "text", text: message })]),
    said("assistant", { type: "tool_use", id: "t", name: "Bash", input: { command: "ls" } }),
    said("user", { type: "tool_result", tool_use_id: "t", content: toolResult ?? "nothing" }),
    { type: "result", subtype: "success", is_error: false, session_id: "s", result: final },
  ];
}

/** One iteration with an agent that does some work and prints the text. */
async function speak(kind: Kind, text: string, config = ""): Promise<TestProject> {
  const project = new TestProject();
  project.stories({ id: "A" });
  shellAgent(project, `cat > /dev/null; echo x >> work.txt; cat "$HOME/says"`, {
    output: kind,
    config,
  });
  project.commitAll();
  writeFileSync(join(project.home, "says"), text);
  expect((await project.ralph(["run", "-n", "1"])).code).toBe(1);
  return project;
}

/** Where the tag stands without being a promise; `final` is the final message. */
const NO_PROMISE: readonly (readonly [string, { final: string } & Before])[] = [
  ["an earlier message", { final: "Half of it is left.", message: PROMISE }],
  ["a tool result", { final: "Half of it is left.", toolResult: `cat prompt.md\n${PROMISE}` }],
  ["a quotation", { final: `The task says:\n> ${PROMISE}` }],
  ["quotation marks", { final: `I was told to end with "${PROMISE}".` }],
  ["a code block", { final: `Later I will end with\n\`\`\`\n${PROMISE}\n\`\`\`` }],
  ["code within a line", { final: `The last line is going to be \`${PROMISE}\`` }],
  ["a negation", { final: `I cannot say ${PROMISE} yet.` }],
  ["a sentence that goes on", { final: `${PROMISE} is what I say tomorrow.` }],
];

describe.each(KINDS)("output of kind %s", (kind) => {
  test.each(NO_PROMISE)("T1 a promise in %s is no claim at all", async (_, says) => {
    const project = await speak(kind, printed(kind, says.final, says));
    const [end] = ends(project);
    expect(end?.outcome).toBe("progressed");
    expect(end).not.toHaveProperty("claims");
  });

  test("T1 a code block with a blank line in it is still one", async () => {
    const final = `Later I will end with\n\`\`\`\nsome text\n\n${PROMISE}\n\`\`\``;
    const project = await speak(kind, printed(kind, final));
    expect(ends(project)[0]).not.toHaveProperty("claims");
  });

  test("T1 the tag alone on a line of the final message is a promise", async () => {
    const project = await speak(kind, printed(kind, `All tasks are finished.\n${PROMISE}`));
    expect(ends(project)[0]?.claims).toEqual([
      { kind: "promise", verdict: "rejected", reason: expect.stringContaining("1 task is open") },
    ]);
  });
});

test.each(KINDS)(
  "T1 a prompt that is echoed by an agent of kind %s promises nothing",
  async (kind) => {
    const project = new TestProject();
    project.stories({ id: "A" });
    const echo = `JSON.stringify({ type: "user", session_id: "s", message: { content: [{ type: "text", text }] } })`;
    const lines = {
      text: `text + "\\n\\nNow to work."`,
      notes: `JSON.stringify({ type: "activity", text })`,
      claude: echo,
    };
    project.write(
      "echo.mjs",
      `import { readFileSync } from "node:fs";
const text = readFileSync(0, "utf8");
if (!text.includes(${JSON.stringify(`\n${PROMISE}\n`)})) process.exit(9);
console.log(${lines[kind]});\n`,
    );
    project.write(".ralph/shop/prompt.md", `End with this:\n\n${PROMISE}\n`);
    shellAgent(project, `echo x >> work.txt; exec ${process.execPath} echo.mjs`, { output: kind });
    project.commitAll();
    await project.ralph(["run", "-n", "1"]);
    expect(lastExit(project).code).toBe(0);
    expect(ends(project)[0]).toMatchObject({ outcome: "progressed" });
    expect(ends(project)[0]).not.toHaveProperty("claims");
  },
);

test("T1 of plain text only the last paragraph counts, and there the tag alone on its line", async () => {
  const before = await speak("text", `${PROMISE}\n\nBut half of it is left.\n`);
  expect(ends(before)[0]).not.toHaveProperty("claims");
  const beside = await speak("text", `All done: ${PROMISE}\n`);
  expect(ends(beside)[0]).not.toHaveProperty("claims");
  const alone = await speak("text", `Half of it is left.\n\nNo, all is done.\n  ${PROMISE}  \n\n`);
  expect(ends(alone)[0]?.claims).toMatchObject([{ kind: "promise", verdict: "rejected" }]);
});

test("T1 another word can be the promise, and then the usual one is none", async () => {
  const config = "completion: {promise: ALL_FINISHED}\n";
  const usual = await speak("notes", printed("notes", PROMISE), config);
  expect(ends(usual)[0]).not.toHaveProperty("claims");
  const own = await speak("notes", printed("notes", "Well.\nALL_FINISHED"), config);
  expect(ends(own)[0]?.claims).toMatchObject([{ kind: "promise", verdict: "rejected" }]);
});

test("T2 a promise with work open is rejected, does not end the run, and the next prompt says why", async () => {
  const project = given(
    `
- when: {task: A, attempt: 1}
  do: [{write: {path: a.txt, text: x}}, {say: "${PROMISE}"}]
- do: [{write: {path: work.txt, text: x}}, {mark: task}]
`,
    GREEN,
    [{ id: "A" }, { id: "B" }],
  );
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(project.outcomes()).toEqual(["rejected", "accepted", "accepted"]);
  const reason = "the final message promises that all is done, but 2 tasks are open";
  expect(ends(project)[0]?.claims).toEqual([{ kind: "promise", verdict: "rejected", reason }]);
  expect(promptOf(project, "2-2")).toContain(reason);
});

test("T2 a true mark with a promise that is false: the mark stands, the promise does not", async () => {
  const project = given(
    `- do: [{write: {path: work.txt, text: x}}, {mark: task}, {say: "${PROMISE}"}]\n`,
    GREEN,
    [{ id: "A" }, { id: "B" }],
  );
  expect((await project.ralph(["run"])).code).toBe(0);
  const claims = ends(project).map((end) =>
    end.claims?.map(({ kind, verdict }) => [kind, verdict]),
  );
  expect(claims).toEqual([
    [
      ["mark", "accepted"],
      ["promise", "rejected"],
    ],
    [
      ["mark", "accepted"],
      ["promise", "accepted"],
    ],
  ]);
  expect(promptOf(project, "2-1")).toContain("promises that all is done, but 1 task is open");
});

test("T2 a promise with all marked and a gate that got red ends nothing", async () => {
  const project = given(
    `- do: [{write: {path: work.txt, text: wrong}}, {mark: task}, {say: "${PROMISE}"}]\n`,
    GREEN,
  );
  expect((await project.ralph(["run", "-n", "1"])).code).toBe(1);
  expect(ends(project)[0]?.claims).toMatchObject([
    { kind: "mark", verdict: "rejected", reason: 'the gate "right" fails' },
    { kind: "promise", verdict: "rejected", reason: 'the gate "right" fails' },
  ]);
  expect((await project.status()).tasks[0]).toMatchObject({ status: "open", verified: false });
});

test("T3 all tasks done and gates green ends the run complete on its last iteration, without any promise", async () => {
  const project = given("- do: [{write: {path: work.txt, text: x}}, {mark: task}]\n", GREEN);
  expect((await project.ralph(["run", "-n", "1"])).code).toBe(0);
  expect(ends(project)[0]?.claims).toMatchObject([{ kind: "mark", verdict: "accepted" }]);
  expect((await project.status()).end).toMatchObject({ reason: "complete", exitCode: 0 });
});

test("T3 a list that is done already is checked by the gates, and no agent starts", async () => {
  const done = given("- do: []\n", GREEN, [{ id: "A", passes: true }]);
  expect((await done.ralph(["run"])).code).toBe(0);
  expect(agentStarts(done)).toBe(0);
  expect(eventsOf(done, "gate-ran")).toHaveLength(1);
  const red = given("- do: []\n", "quality_checks: {right: 'false'}\n", [
    { id: "A", passes: true },
  ]);
  expect((await red.ralph(["run"])).code).toBe(2);
  expect(agentStarts(red)).toBe(0);
  expect((await red.status()).end?.reason).toBe("needs-human");
});

test("T7 a feature that is not there is an error before any agent starts", async () => {
  const project = given("- do: [{write: {path: work.txt, text: x}}]\n");
  const { code, stderr } = await project.ralph(["run", "-f", "shopp"]);
  expect(code).toBe(64);
  expect(stderr).toContain('did you mean "shop"?');
  expect(project.exists("work.txt")).toBe(false);
  expect(project.exists(".git/ralph")).toBe(false);
});

test("T7 an empty list and one that a person breaks between two runs start no agent", async () => {
  const project = given("- do: [{write: {path: work.txt, text: x}}]\n");
  const path = ".ralph/shop/prd.json";
  for (const text of ['{"userStories": []}\n', '{"userStories": [\n', "[]\n"]) {
    project.write(path, text);
    expect((await project.ralph(["run"])).code).toBe(64);
    expect(project.read(path)).toBe(text);
  }
  expect(project.exists("work.txt")).toBe(false);
});

test("T8 a broken list is put back in the middle of a run, and the run goes on to its end", async () => {
  const project = given(
    `
- when: {task: A, attempt: 1}
  do: [{write: {path: work.txt, text: x}}, {run: 'echo "{" > "$RALPH_TASKS_FILE"'}]
- do: [{mark: task}]
`,
    GREEN,
    [{ id: "A", notes: "kept" }, { id: "B" }],
  );
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(project.outcomes()).toEqual(["rejected", "accepted", "accepted"]);
  const [restored] = eventsOf(project, "tasks-restored");
  expect(readFileSync(join(project.root, ".git", String(restored?.["keptAside"])), "utf8")).toBe(
    "{\n",
  );
  expect(promptOf(project, "2-2")).toContain("the task list was left unreadable");
  expect(JSON.parse(project.read(".ralph/shop/prd.json"))).toMatchObject({
    userStories: [
      { id: "A", notes: "kept", passes: true },
      { id: "B", passes: true },
    ],
  });
});

test("T9 S3 exit 0 without commit, task change or tree change is a no-op; the words do not matter", async () => {
  const project = given(`- do: [{say: "I have finished everything and all tests pass."}]\n`, GREEN);
  expect((await project.ralph(["run", "-n", "1"])).code).toBe(1);
  expect(ends(project)).toMatchObject([{ outcome: "no-op", progress: false }]);
  expect((await project.status()).tasks[0]?.status).toBe("open");
});

/** What an agent does, and what that is. */
const DEEDS: readonly (readonly [string, string, string, boolean])[] = [
  ["a changed tree", "{write: {path: new.txt, text: x}}", "progressed", true],
  [
    "a commit that changes no file",
    "{run: 'git commit -q --allow-empty -m x'}",
    "progressed",
    true,
  ],
  [
    "a new task",
    `{run: 'sed -i "s|.userStories.: .|&{\\"id\\": \\"N\\", \\"title\\": \\"new\\", \\"passes\\": false},|" "$RALPH_TASKS_FILE"'}`,
    "progressed",
    true,
  ],
  ["a change that is taken back", "{run: 'echo x > new.txt; rm new.txt'}", "no-op", false],
  ["what lay about before", "{run: 'cat mine.txt'}", "no-op", false],
  ["a file that git ignores", "{run: 'echo x > out.log'}", "no-op", false],
];

test.each(DEEDS)("S3 progress is counted from the start of the iteration: %s", async (...deed) => {
  const [, step, outcome, progress] = deed;
  const project = new TestProject();
  project.stories({ id: "A" }, { id: "B" });
  project.write(".gitignore", "*.log\n");
  project.scenario(`- do:\n    - ${step}\n`);
  project.commitAll();
  project.write("mine.txt", "untracked, and older than the run\n");
  await project.ralph(["run", "-n", "1"]);
  expect(ends(project)).toMatchObject([{ outcome, progress }]);
});

test("S3 a better gate is progress, also where the claim is rejected", async () => {
  const gates = `quality_checks: {better: 'test -e "$HOME/better"', worse: 'test ! -e "$HOME/better"'}\n`;
  const project = given(`- do: [{run: 'touch "$HOME/better"'}, {mark: task}]\n`, gates);
  await project.ralph(["run", "-n", "1"]);
  expect(ends(project)).toMatchObject([{ outcome: "rejected", progress: true }]);
});

test("S3 a mark that is taken back is no progress", async () => {
  const gate = `quality_checks: {right: 'test ! -e "$HOME/wrong"'}\n`;
  const project = given(`- do: [{run: 'touch "$HOME/wrong"'}, {mark: task}]\n`, gate);
  await project.ralph(["run", "-n", "1"]);
  expect(ends(project)).toMatchObject([{ outcome: "rejected", progress: false }]);
});

test("T11 without a gate a task is unverified in the log, in status, in the end and in the next run", async () => {
  const project = given("- do: [{write: {path: work.txt, text: x}}, {mark: task}]\n");
  const { code, stdout } = await project.ralph(["run", "--json"]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ accepted: { A: "unverified" } });
  expect(ends(project)[0]).toMatchObject({
    accepted: [{ id: "A", verification: "unverified" }],
    claims: [{ kind: "mark", verdict: "unverified" }],
  });
  expect((await project.ralph(["status"])).stdout).toContain("(unverified)");
  await project.ralph(["run"]);
  expect((await project.status()).tasks[0]).toMatchObject({ status: "done", verified: false });
});

test("T11 checks of a story's own verify that story and no other", async () => {
  const project = given("- do: [{write: {path: work.txt, text: x}}, {mark: task}]\n", "", [
    { id: "A", checks: "test -e work.txt" },
    { id: "B" },
  ]);
  expect((await project.ralph(["run"])).code).toBe(0);
  expect((await project.status()).tasks).toMatchObject([
    { id: "A", status: "done", verified: true },
    { id: "B", status: "done", verified: false },
  ]);
});

const STOP_FILE = ".ralph/shop/COMPLETE";

test("T2 a stop file with work open is set aside and rejected, and the loop goes on", async () => {
  const project = given(
    `
- when: {task: A, attempt: 1}
  do: [{write: {path: ${STOP_FILE}, text: "all is done\\n"}}, {write: {path: a.txt, text: x}}]
- do: [{write: {path: work.txt, text: x}}, {mark: task}]
`,
    GREEN,
  );
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(project.outcomes()).toEqual(["rejected", "accepted"]);
  const reason = "the stop file COMPLETE says that all is done, but 1 task is open";
  expect(ends(project)[0]?.claims).toEqual([{ kind: "stop-file", verdict: "rejected", reason }]);
  expect(project.exists(STOP_FILE)).toBe(false);
  const [aside] = eventsOf(project, "signal-set-aside");
  const kept = join(project.root, ".git", String(aside?.["keptAside"]));
  expect(readFileSync(kept, "utf8")).toBe("all is done\n");
  expect(promptOf(project, "2-2")).toContain(reason);
});

test("T2 a stop file beside a true mark: the mark stands, the file is set aside", async () => {
  const project = given(
    `- when: {task: A}\n  do: [{write: {path: work.txt, text: x}}, {mark: task}, {write: {path: ${STOP_FILE}, text: ""}}]\n- do: [{mark: task}]\n`,
    GREEN,
    [{ id: "A" }, { id: "B" }],
  );
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(project.outcomes()).toEqual(["accepted", "accepted"]);
  expect(ends(project)[0]?.claims).toMatchObject([
    { kind: "mark", verdict: "accepted" },
    { kind: "stop-file", verdict: "rejected" },
  ]);
  expect(project.exists(STOP_FILE)).toBe(false);
});

test("T2 T3 a stop file with all done is a claim that stands", async () => {
  const project = given(
    `- do: [{write: {path: work.txt, text: x}}, {mark: task}, {write: {path: ${STOP_FILE}, text: ""}}]\n`,
    GREEN,
  );
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(ends(project)[0]?.claims).toMatchObject([
    { kind: "mark", verdict: "accepted" },
    { kind: "stop-file", verdict: "accepted" },
  ]);
  expect(project.exists(STOP_FILE)).toBe(true);
});

test("T2 a stop file that is there at the start with tasks open needs a person, and no agent runs", async () => {
  const project = given("- do: [{write: {path: work.txt, text: x}}, {mark: task}]\n", GREEN);
  project.write(STOP_FILE, "");
  expect((await project.ralph(["run"])).code).toBe(2);
  expect(agentStarts(project)).toBe(0);
  expect((await project.status()).end?.detail).toContain("the stop file COMPLETE is there");
  expect(existsSync(join(project.root, STOP_FILE))).toBe(true);
});
