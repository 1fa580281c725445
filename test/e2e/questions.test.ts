import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventsOf, pretendClaude, shellAgent } from "../rig/agents.ts";
import { eventsSoFar } from "../rig/killing.ts";
import { type Story, TestProject, until } from "../rig/project.ts";

const WORK = "{run: 'echo x >> work.txt'}";
const DO_IT = `- do: [${WORK}, {mark: task}]\n`;
const TWO: readonly Story[] = [{ id: "A" }, { id: "B" }];

function given(scenario: string, stories: readonly Story[] = TWO): TestProject {
  const project = new TestProject();
  project.stories(...stories);
  project.config("agent: scripted\nquality_checks: {fine: 'true'}\n");
  project.scenario(scenario);
  project.commitAll();
  return project;
}

interface TaskLine {
  readonly id: string;
  readonly status: string;
  readonly parked?: { readonly why: string; readonly detail: string } | null;
}

const ends = (project: TestProject): Record<string, unknown>[] =>
  eventsOf(project, "iteration-ended").map((event) => event["end"] as Record<string, unknown>);
const taskLine = async (project: TestProject, id: string): Promise<TaskLine> => {
  const found = (await project.status()).tasks.find((task) => task.id === id);
  if (found === undefined) throw new Error(`no task ${id}`);
  return found;
};

const QUESTION = "Which currency should it be, EUR or USD?";

/** The three ways to ask; in each the agent works on A, which is parked while B is done. */
const WAYS: readonly (readonly [string, string])[] = [
  ["a final message that is only a question", `{say: "${QUESTION}"}`],
  ["the ask tool", `{ask: "${QUESTION}"}, {say: "I have asked."}`],
  ["a NEEDS_HUMAN signal", `{say: "I cannot go on.\\nNEEDS_HUMAN: ${QUESTION}"}`],
];

test.each(WAYS)(
  "T10 %s parks the task with the question, and the others go on",
  async (_, steps) => {
    const project = given(`- when: {task: A, attempt: 1}\n  do: [${steps}]\n${DO_IT}`);
    const { code } = await project.ralph(["run"]);
    expect(code).toBe(2);
    expect(project.outcomes()).toEqual(["needs-human", "accepted", "needs-human"]);
    expect(ends(project)[0]?.["parked"]).toEqual({ why: "asked", detail: QUESTION });
    expect(await taskLine(project, "A")).toMatchObject({
      status: "open",
      parked: { why: "asked", detail: QUESTION },
    });
    expect(await taskLine(project, "B")).toMatchObject({ status: "done" });
    expect((await project.ralph(["status"])).stdout).toContain(QUESTION);
    const status = await project.status();
    expect(status.end).toMatchObject({ reason: "needs-human", exitCode: 2 });
    expect(status.end?.detail).toContain(QUESTION);
  },
);

test("T10 when the run goes on, the parked task is tried again", async () => {
  const project = given(`- when: {task: A, attempt: 1}\n  do: [{say: "${QUESTION}"}]\n${DO_IT}`);
  expect((await project.ralph(["run"])).code).toBe(2);
  const [{ run } = { run: "" }] = project.events();
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(project.events().at(-1)?.run).toBe(run);
  expect((await project.status()).tasks.map(({ status }) => status)).toEqual(["done", "done"]);
});

test("T10 with one task left the run stops at once: exit 2 after one iteration", async () => {
  const project = given(`- do: [{say: "${QUESTION}"}]\n`, [{ id: "A" }]);
  expect((await project.ralph(["run"])).code).toBe(2);
  expect(eventsOf(project, "agent-started")).toHaveLength(1);
});

test("T10 what waits for a parked task waits with it", async () => {
  const project = given(`- when: {task: A}\n  do: [{say: "${QUESTION}"}]\n${DO_IT}`, [
    { id: "A" },
    { id: "B", dependsOn: ["A"] },
    { id: "C" },
  ]);
  expect((await project.ralph(["run"])).code).toBe(2);
  expect((await project.status()).tasks.map(({ status }) => status)).toEqual([
    "open",
    "open",
    "done",
  ]);
});

test("T10 a question is not held against the task or the run: no claim, no error, no breaker", async () => {
  const stories = ["A", "B", "C", "D"].map((id) => ({ id }));
  const project = given(`- do: [{say: "${QUESTION}"}]\n`, stories);
  expect((await project.ralph(["run"])).code).toBe(2);
  expect(eventsOf(project, "agent-started")).toHaveLength(4);
  for (const end of ends(project)) expect(end).not.toHaveProperty("claims");
  expect((await project.status())["breaker"]).toMatchObject({ state: "closed" });
});

const RETITLED = ["Title of A", "Title of A, in EUR"] as const;
const ANSWERED = ['"notes": ""', '"notes": "EUR"'] as const;

test.each([
  ["a new title, others wait, too", TWO, RETITLED, ["A", "A", "B"]],
  ["a new title, no other is left", [{ id: "A" }], RETITLED, ["A", "A"]],
  ["the answer in its notes", [{ id: "A", notes: "" }], ANSWERED, ["A", "A"]],
] as const)(
  "T10 G5 a person who edits the parked task while the run works brings it back: %s",
  async (_, stories, [from, to], tried) => {
    const asks = `- when: {task: A, attempt: 1}\n  do: [{say: "${QUESTION}"}]\n`;
    const project = given(asks + DO_IT, stories);
    project.config("agent: scripted\ndefaults: {pause_between: 1s}\n");
    project.commitAll("with pauses");
    const run = project.start(["run"]);
    await until("a pause", () => eventsSoFar(project).some(({ type }) => type === "wait-started"));
    const list = project.read(".ralph/shop/prd.json");
    project.write(".ralph/shop/prd.json", list.replace(from, to));
    const { code, stdout } = await run.ended;
    expect(code, `printed: ${stdout}`).toBe(0);
    expect(ends(project).map((end) => (end["task"] as { id: string }).id)).toEqual(tried);
  },
);

/** Final messages after work was done, and whether they only ask. */
const MESSAGES: readonly (readonly [string, string])[] = [
  ["All of it is done. Shall I go on with the next one?", "progressed"],
  ["Done.\n\nIs there anything else?", "progressed"],
  ["Should I use EUR? Or rather USD?", "needs-human"],
];

test.each(MESSAGES)(
  "T10 after work only a message that does nothing but ask counts: %j",
  async (text, outcome) => {
    const project = given(`- do: [${WORK}, {say: ${JSON.stringify(text)}}]\n`, [{ id: "A" }]);
    await project.ralph(["run", "-n", "1"]);
    expect(project.outcomes()[0]).toBe(outcome);
  },
);

test("T10 a question after a true mark is a courtesy: the mark stands", async () => {
  const project = given(`- do: [${WORK}, {mark: task}, {say: "${QUESTION}"}]\n`, [{ id: "A" }]);
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(project.outcomes()).toEqual(["accepted"]);
});

test("T10 NEEDS_HUMAN in a quotation, in code or in an earlier message is no signal", async () => {
  const texts = [
    "> NEEDS_HUMAN: really?",
    "```\nNEEDS_HUMAN: really?\n```",
    "No NEEDS_HUMAN: here, all is well.",
  ];
  for (const text of texts) {
    const project = given(`- do: [${WORK}, {say: ${JSON.stringify(text)}}]\n`, [{ id: "A" }]);
    await project.ralph(["run", "-n", "1"]);
    expect(project.outcomes()).toEqual(["progressed"]);
  }
});

test("T10 plain text asks in its last paragraph", async () => {
  const project = new TestProject();
  project.stories({ id: "A" });
  shellAgent(project, `cat > /dev/null; printf 'I have looked.\\n\\n${QUESTION}\\n'`);
  project.commitAll();
  expect((await project.ralph(["run"])).code).toBe(2);
  expect(await taskLine(project, "A")).toMatchObject({
    parked: { why: "asked", detail: QUESTION },
  });
});

test("T10 claude's AskUserQuestion is a question, whatever its final message says", async () => {
  const project = new TestProject();
  project.stories({ id: "A" }, { id: "B" });
  const asks = {
    type: "assistant",
    parent_tool_use_id: null,
    session_id: "s",
    message: {
      content: [
        {
          type: "tool_use",
          id: "q1",
          name: "AskUserQuestion",
          input: { questions: [{ question: QUESTION, header: "Currency", options: [] }] },
        },
      ],
    },
  };
  const result = {
    type: "result",
    is_error: false,
    session_id: "s",
    result: "I wait for an answer.",
  };
  project.write("asks.ndjson", `${JSON.stringify(asks)}\n${JSON.stringify(result)}\n`);
  const env = pretendClaude(
    project,
    `cat > /dev/null
if [ "$RALPH_TASK_ID" = A ]; then cat asks.ndjson; exit 0; fi
echo x >> work.txt
sed -i 's/"title": "Title of B",\\n *"passes": false/&/; $!N; s/\\("Title of B",\\n *"passes": \\)false/\\1true/; P; D' "$RALPH_TASKS_FILE"
tail -n 1 asks.ndjson`,
  );
  project.commitAll();
  expect((await project.ralph(["run"], { env })).code).toBe(2);
  expect(project.outcomes()).toEqual(["needs-human", "accepted", "needs-human"]);
  expect(await taskLine(project, "A")).toMatchObject({
    parked: { why: "asked", detail: QUESTION },
  });
});

const WAITING = ".ralph/shop/WAITING";

test("T10 a WAITING file stops the run at once, with its words, also when others are open", async () => {
  const project = given(`- do: [${WORK}, {write: {path: ${WAITING}, text: "${QUESTION}\\n"}}]\n`);
  expect((await project.ralph(["run"])).code).toBe(2);
  expect(eventsOf(project, "agent-started")).toHaveLength(1);
  expect((await project.status()).end?.detail).toContain(QUESTION);
  expect(project.read(WAITING)).toBe(`${QUESTION}\n`);
});

test("T10 a WAITING file that is still there starts no agent; without it the run goes on", async () => {
  const project = given(
    `- when: {task: A, attempt: 1}\n  do: [{write: {path: ${WAITING}, text: "${QUESTION}"}}]\n${DO_IT}`,
  );
  expect((await project.ralph(["run"])).code).toBe(2);
  const [{ run } = { run: "" }] = project.events();
  expect((await project.ralph(["run"])).code).toBe(2);
  expect(eventsOf(project, "agent-started")).toHaveLength(1);
  project.git("clean", "-q", "-f", WAITING);
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(project.events().at(-1)?.run).toBe(run);
});

test("T10 a mark beside a WAITING file is taken back until a person has looked", async () => {
  const project = given(
    `- do: [${WORK}, {mark: task}, {write: {path: ${WAITING}, text: "${QUESTION}"}}]\n`,
    [{ id: "A" }],
  );
  expect((await project.ralph(["run"])).code).toBe(2);
  expect(ends(project)[0]?.["claims"]).toMatchObject([{ kind: "mark", verdict: "rejected" }]);
  expect((await taskLine(project, "A")).status).toBe("open");
  const entry = readFileSync(join(project.root, ".ralph/shop/progress.txt"), "utf8");
  expect(entry).toContain("Status: needs-human");
});
