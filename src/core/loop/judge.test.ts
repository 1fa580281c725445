import { describe, expect, test } from "vitest";
import {
  afterAgent,
  change,
  checks,
  edited,
  exit,
  finding,
  finished,
  gate,
  git,
  given,
  marked,
  reading,
  said,
  task,
  worked,
  type Given,
} from "../../../test/given.ts";
import type { AgentExit, IterationEnd, ProjectChange } from "../schema/event.ts";

const PROMISE = "All done.\n<promise>COMPLETE</promise>";
const COMPLETE = { signal: { kind: "complete", text: "" } } as const;
const gated = () => given({ gates: [gate("tests")] });

function endOf(how: AgentExit, left: ProjectChange, from?: Given): IterationEnd | undefined {
  return finished(afterAgent(how, left, from)).state.last?.end;
}

describe("a mark", () => {
  test("with a red gate is rejected, and the claim says why", () => {
    const now = afterAgent(exit(), marked(["A"], ["B"]), gated())
      .gate("red")
      .gate("red");
    expect(finished(now).state.last?.end).toEqual({
      outcome: "rejected",
      reason: 'the gate "tests" fails',
      task: task("A"),
      charged: true,
      accepted: [],
      complete: false,
      claims: [{ kind: "mark", verdict: "rejected", reason: 'the gate "tests" fails' }],
      progress: true,
      error: "gate tests: # failing",
      rejection: { task: task("A"), reason: 'the gate "tests" fails', lines: ["1 failing"] },
      figures: { durationMs: expect.any(Number), commits: 0, gates: 1, gatesPassed: 0 },
    });
  });

  test("with green gates is accepted, and says how many gates passed", () => {
    expect(endOf(exit(), marked(["A"], ["B"]), gated())).toEqual({
      outcome: "accepted",
      reason: "A done, the gate passes",
      task: task("A"),
      charged: true,
      accepted: [{ id: "A", verification: "verified" }],
      complete: false,
      commit: "c1",
      claims: [{ kind: "mark", verdict: "accepted", reason: "A done, the gate passes" }],
      progress: true,
      figures: { durationMs: expect.any(Number), commits: 1, gates: 1, gatesPassed: 1 },
    });
  });

  test("of the last task ends the run complete", () => {
    expect(endOf(exit(), marked(["A", "B"], []), gated())).toMatchObject({ complete: true });
  });

  test("of an agent that failed is not proven by a gate that looks at other tasks only", () => {
    const before = reading({ checks: checks({ X: "k1" }) });
    const left = marked(["A"], ["B"], { checks: checks({ X: "k1" }) });
    const now = afterAgent(exit({ code: 1 }), left, given(), { before });
    expect(finished(now).state.last?.end).toMatchObject({ outcome: "agent-failed", accepted: [] });
  });

  test("of an agent that failed is not proven by a gate that is as red as before", () => {
    const now = afterAgent(exit({ code: 1 }), marked(["A"], ["B"]), gated(), { red: ["tests"] });
    const end = finished(now.gate("red")).state.last?.end;
    expect(end).toMatchObject({ outcome: "agent-failed", accepted: [] });
  });

  test("of an agent that failed, with a red gate, is told to the next agent", () => {
    const now = afterAgent(exit({ code: 1 }), marked(["A"], ["B"]), gated())
      .gate("red")
      .gate("red", "expected 1, got 2");
    expect(finished(now).state.rejection).toEqual({
      task: task("A"),
      reason: 'the gate "tests" fails',
      lines: ["expected 1, got 2"],
    });
  });

  test("of an agent that turned out to be unusable ends the run with the agent's own words", () => {
    const signedOut = exit({
      code: 1,
      result: { good: false, text: "Please run /login", httpStatus: 401 },
    });
    const end = endOf(signedOut, marked(["A"], ["B"]));
    expect(end).toMatchObject({ outcome: "fatal", accepted: [], charged: false });
    expect(end?.reason).toMatch(/^Please run \/login; /u);
  });
});

describe("a promise", () => {
  test("with work open is a rejected claim, and the next prompt says why", () => {
    const after = finished(afterAgent(said(PROMISE), worked()));
    const reason = "the final message promises that all is done, but 2 tasks are open";
    expect(after.state.last?.end).toMatchObject({
      outcome: "rejected",
      reason,
      claims: [{ kind: "promise", verdict: "rejected", reason }],
    });
    expect(after.state.rejection).toEqual({ task: task("A"), reason, lines: [] });
  });

  test("beside a true mark is rejected alone, and the next prompt says why", () => {
    const after = finished(afterAgent(said(PROMISE), marked(["A"], ["B"])));
    expect(after.state.last?.end).toMatchObject({
      outcome: "accepted",
      complete: false,
      claims: [
        { kind: "mark", verdict: "unverified" },
        { kind: "promise", verdict: "rejected", reason: "1 task is open" },
      ],
    });
    expect(after.state.rejection).toEqual({
      reason: "the final message promises that all is done, but 1 task is open",
      lines: [],
    });
  });

  test("that is true stands with the mark, and nothing is told", () => {
    const after = finished(afterAgent(said(PROMISE), marked(["A", "B"], []), gated()));
    expect(after.state.last?.end).toMatchObject({
      complete: true,
      claims: [
        { kind: "mark", verdict: "accepted" },
        { kind: "promise", verdict: "accepted" },
      ],
    });
    expect(after.state.rejection).toBeUndefined();
  });

  test("with a gate that is red as before does not stand", () => {
    const now = afterAgent(said(PROMISE), marked(["A", "B"], []), gated(), { red: ["tests"] });
    expect(finished(now.gate("red")).state.last?.end).toMatchObject({
      outcome: "accepted",
      complete: false,
      claims: [
        { kind: "mark", verdict: "unverified" },
        { kind: "promise", verdict: "unverified" },
      ],
    });
  });

  test("of an agent that failed changes nothing", () => {
    const failed = exit({ code: 1, result: { good: false, text: PROMISE } });
    expect(endOf(failed, change())).toMatchObject({ outcome: "agent-failed", complete: false });
  });
});

describe("the stop file COMPLETE", () => {
  test("with work open is a rejected claim and is put aside", () => {
    const now = afterAgent(exit(), worked(COMPLETE)).decides({
      type: "set-aside",
      signal: "complete",
    });
    const reason = "the stop file COMPLETE says that all is done, but 2 tasks are open";
    expect(finished(now).state.last?.end).toMatchObject({
      outcome: "rejected",
      reason,
      claims: [{ kind: "stop-file", verdict: "rejected", reason }],
    });
  });

  test("with all done stays where it is", () => {
    const end = endOf(exit(), marked(["A", "B"], [], COMPLETE), gated());
    expect(end).toMatchObject({ complete: true });
    afterAgent(exit(), marked(["A", "B"], [], COMPLETE), gated())
      .gate("green")
      .decides({ type: "write-memory" });
  });

  test("beside a mark that is taken back is put aside after it", () => {
    afterAgent(exit(), marked(["A"], ["B"], COMPLETE), gated())
      .gate("red")
      .gate("red")
      .decides({ type: "mark-task" })
      .answered({ type: "task-marked", task: task("A").id, status: "open" })
      .decides({ type: "set-aside", signal: "complete" });
  });

  test("with all done and a gate red as before is put aside", () => {
    const left = marked(["A", "B"], [], COMPLETE);
    afterAgent(exit(), left, gated(), { red: ["tests"] })
      .gate("red")
      .decides({ type: "set-aside", signal: "complete" });
  });
});

describe("the stop file WAITING", () => {
  const left = marked(["A"], ["B"], { signal: { kind: "waiting", text: "which bank?" } });

  test("takes marks back without any gate and ends the run for a person", () => {
    const now = afterAgent(exit(), left, gated()).decides({ type: "mark-task", status: "open" });
    const after = finished(now);
    expect(after.state.last?.end).toMatchObject({
      outcome: "needs-human",
      blocked: true,
      reason: "the agent waits for a person: which bank?",
      claims: [{ kind: "mark", verdict: "rejected" }],
    });
    after.orders({ type: "end", end: { reason: "needs-human", exitCode: 2 } });
  });

  test("is not put aside", () => {
    const ordered = afterAgent(exit(), worked({ signal: { kind: "waiting", text: "" } }));
    ordered.decides({ type: "write-memory" });
  });
});

describe("no claim stands", () => {
  test.each([
    ["an edited list", edited(["A"], ["B"]), "restore-tasks"],
    ["an edited list that says all is done", edited(["A", "B"], []), "restore-tasks"],
    ["weaker tests", marked(["A"], ["B"], { findings: [finding()] }), "mark-task"],
    ["weaker tests and all done", marked(["A", "B"], [], { findings: [finding()] }), "mark-task"],
  ] as const)("beside %s, and no gate is asked", (_, left, first) => {
    const now = afterAgent(said(PROMISE), left, gated()).decides({ type: first });
    const { state } = finished(now);
    expect(state.last?.end).toMatchObject({ outcome: "rejected", accepted: [], complete: false });
    expect(state.last?.end.claims?.every(({ verdict }) => verdict === "rejected")).toBe(true);
    expect(state.last?.end.claims).toHaveLength(2);
  });

  test("beside changed settings, which are put back", () => {
    const before = reading({ guarded: { settings: "s0" } });
    const left = marked(["A", "B"], [], { guarded: { settings: "s1" } });
    const now = afterAgent(exit(), left, gated(), { before }).decides({
      type: "restore-file",
      file: "settings",
    });
    expect(finished(now).state.last?.end).toMatchObject({
      outcome: "rejected",
      accepted: [],
      reason: "the settings in config.yaml changed; that is a person's file, it was put back",
    });
  });

  test("beside history that was taken out, though it was put back", () => {
    const now = afterAgent(exit(), marked(["A"], ["B"], { dropped: 2 }), gated())
      .decides({ type: "mend-git", why: "the agent took commits out of the history" })
      .answered({ type: "git-mended", did: ["main is back at c0."] })
      .decides({ type: "inspect-project" })
      .answered({ type: "project-inspected", change: marked(["A"], ["B"]) })
      .decides({ type: "mark-task" });
    expect(finished(now).state.last?.end).toMatchObject({
      outcome: "rejected",
      reason: "main is back at c0.",
    });
  });
});

test("a mark on another branch is judged once the branch is back", () => {
  const left = marked(["A"], ["B"], { git: git({ branch: "side", head: "c9" }) });
  const now = afterAgent(exit(), left, gated())
    .answered({ type: "git-mended", did: ["main is checked out again."] })
    .answered({ type: "project-inspected", change: marked(["A"], ["B"]) })
    .decides({ type: "run-gate", phase: "check" });
  expect(finished(now).state.last?.end).toMatchObject({ outcome: "accepted" });
});

describe("what cannot be mended is for a person", () => {
  const without = ({ git: _git, ...left }: ProjectChange): ProjectChange => left;
  const operation = git({ operation: "merge" });

  test.each([
    [
      "a merge in progress",
      afterAgent(exit(), marked(["A"], ["B"], { git: operation }), gated()),
      /left a merge in progress; .*git merge --continue/u,
    ],
    [
      "a bisect in progress",
      afterAgent(exit(), marked(["A"], ["B"], { git: git({ operation: "bisect" }) }), gated()),
      /git bisect reset$/u,
    ],
    [
      "what the mending says itself",
      afterAgent(exit(), marked(["A"], ["B"], { git: git({ branch: "side" }) }), gated())
        .answered({ type: "git-mended", did: [], problem: "main is gone" })
        .answered({ type: "project-inspected", change: marked(["A"], ["B"]) }),
      /^main is gone$/u,
    ],
    [
      "another branch that is still there after the mending",
      afterAgent(exit(), marked(["A"], ["B"], { git: git({ branch: "side" }) }), gated())
        .answered({ type: "git-mended", did: [] })
        .answered({
          type: "project-inspected",
          change: marked(["A"], ["B"], { git: git({ branch: "side" }) }),
        }),
      /on the branch side instead of main, and it could not be mended$/u,
    ],
    [
      "lost commits that show only after the mending",
      afterAgent(exit(), marked(["A"], ["B"], { git: git({ branch: "side" }) }), gated())
        .answered({ type: "git-mended", did: [] })
        .answered({ type: "project-inspected", change: marked(["A"], ["B"], { dropped: 3 }) }),
      /took commits out of the history, and it could not be mended$/u,
    ],
    [
      "a repository that is gone",
      afterAgent(exit(), without(marked(["A", "B"], [])), gated()),
      /^git cannot read the repository any more/u,
    ],
  ] as const)("%s", (_, now, words) => {
    const after = finished(now.decides({ type: "mark-task", status: "open" }));
    expect(after.state.last?.end).toMatchObject({
      outcome: "needs-human",
      blocked: true,
      accepted: [],
      complete: false,
    });
    expect(after.state.last?.end.reason).toMatch(words);
    after.orders({ type: "end", end: { reason: "needs-human" } });
  });

  test("but not what an agent has added to the stash: that stays there", () => {
    const stash = git({ stash: ["s1"] });
    const now = afterAgent(exit(), marked(["A"], ["B"], { git: stash }))
      .decides({ type: "mend-git", why: "the agent changed the stash" })
      .answered({ type: "git-mended", did: ["1 entry stays."] })
      .answered({ type: "project-inspected", change: marked(["A"], ["B"], { git: stash }) });
    expect(finished(now).state.last?.end).toMatchObject({ outcome: "accepted" });
  });

  test("but not an operation that was there before the agent", () => {
    const left = worked({ git: operation });
    const now = afterAgent(exit(), left, given(), { before: reading({ git: operation }) });
    expect(finished(now).state.last?.end).toMatchObject({ outcome: "progressed" });
  });
});

describe("without any mark", () => {
  test("weaker tests are told to the next agent, and the work goes on", () => {
    const after = finished(afterAgent(exit(), worked({ findings: [finding()] })));
    expect(after.state.last?.end).toMatchObject({ outcome: "progressed" });
    expect(after.state.rejection?.reason).toContain("2 tests removed (test/pay.test.ts)");
    expect(after.state.rejection?.lines).toEqual(["test/pay.test.ts", "-test(one)", "-test(two)"]);
  });

  test("a question lays the task aside", () => {
    expect(endOf(said("Which bank should I use?"), change())).toMatchObject({
      outcome: "needs-human",
      parked: { why: "asked", detail: "Which bank should I use?" },
    });
  });

  test("a question of an agent that failed is no question", () => {
    const failed = exit({ code: 1, asked: "Which bank?" });
    expect(endOf(failed, change())).toMatchObject({ outcome: "agent-failed" });
  });

  test.each([
    ["a commit", { commits: 1 }],
    ["a changed tree", { treeChanged: true }],
    ["a new task", { changes: { ...change().changes, added: [task("N")] } }],
    ["a reopened task", { changes: { ...change().changes, reopened: [task("X")] } }],
  ])("%s is progress", (_, more) => {
    expect(endOf(exit(), change(more))).toMatchObject({ outcome: "progressed", progress: true });
  });

  test("new tasks in a list that was put back are no progress", () => {
    const left = edited([], ["A", "B"]);
    const changes = { ...left.changes, added: [task("N")] };
    expect(endOf(exit(), { ...left, changes, treeChanged: false })).toMatchObject({
      outcome: "rejected",
      progress: false,
    });
  });
});

describe("what the next prompt is told", () => {
  test("is the clock that ran out", () => {
    const slow = exit({ code: null, terminated: { cause: "clock", clock: "idle" } });
    expect(finished(afterAgent(slow, change())).state.rejection).toEqual({
      task: task("A"),
      reason: "the idle clock ran out",
      lines: [],
    });
  });

  test("is what was put back, also after an agent that failed without any claim", () => {
    const after = finished(afterAgent(exit({ code: 1 }), edited([], ["A", "B"])));
    expect(after.state.last?.end).toMatchObject({ outcome: "agent-failed" });
    expect(after.state.rejection).toMatchObject({
      reason: 'the task list was edited (A title: "Pay" → "Pay later"); it was put back',
      lines: ['A: title: "Pay" → "Pay later"'],
    });
  });

  test("stays over iterations that claim nothing, and goes with acceptance", () => {
    const told = finished(afterAgent(said(PROMISE), worked()));
    const idle = finished(afterAgent(exit(), worked(), told));
    expect(idle.state.rejection).toEqual(told.state.rejection);
    const done = finished(afterAgent(exit(), marked(["A"], ["B"]), idle));
    expect(done.state.rejection).toBeUndefined();
  });
});
