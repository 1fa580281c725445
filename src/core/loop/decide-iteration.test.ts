import { describe, expect, test } from "vitest";
import {
  afterAgent,
  change,
  exit,
  finished,
  gate,
  given,
  marked,
  reading,
  task,
  tasks,
} from "../../../test/given.ts";

const started = () => given().and({ type: "iteration-started", reason: "test" });

describe("before the agent", () => {
  test("reads the project first", () => {
    started().decides({ type: "read-project" });
  });

  test("takes the first task that is ready and counts the attempts at it", () => {
    started()
      .answered({ type: "project-read", reading: reading() })
      .decides({ type: "write-prompt", task: task("A"), attempt: 1 });
    finished(afterAgent(exit({ code: 1 }), change()))
      .and({ type: "iteration-started", reason: "test" })
      .answered({ type: "project-read", reading: reading() })
      .decides({ type: "write-prompt", task: task("A"), attempt: 2 });
  });

  test("a list that cannot be read is for a person to mend, and no agent starts", () => {
    const end = started()
      .answered({
        type: "project-read",
        reading: reading({ problem: "prd.json:3: a comma is missing", tasks: tasks() }),
      })
      .iterationEnd();
    expect(end).toMatchObject({ outcome: "needs-human", charged: false, complete: false });
    expect(end.reason).toContain("a comma is missing");
  });

  test("nothing open and gates green is complete without any agent", () => {
    const now = given({ gates: [gate("tests")] })
      .and({ type: "iteration-started", reason: "test" })
      .answered({ type: "project-read", reading: reading({ tasks: tasks() }) })
      .decides({ type: "run-gate" });
    finished(now).orders({ type: "end", end: { reason: "complete", exitCode: 0 } });
  });

  test("nothing open but a gate red is for a person", () => {
    given({ gates: [gate("tests")] })
      .and({ type: "iteration-started", reason: "test" })
      .answered({ type: "project-read", reading: reading({ tasks: tasks() }) })
      .gate("red")
      .decides({ type: "run-gate", phase: "again" })
      .gate("red")
      .ended()
      .orders({ type: "end", end: { reason: "needs-human", exitCode: 2 } });
  });

  test("open tasks that all wait for one another are named", () => {
    const blocked = { ...tasks(), open: 2, next: [], blocked: [task("A"), task("B")] };
    const end = started()
      .answered({ type: "project-read", reading: reading({ tasks: blocked }) })
      .iterationEnd();
    expect(end).toMatchObject({ outcome: "needs-human" });
    expect(end.reason).toContain("A, B");
  });
});

describe("after the agent", () => {
  test("a mark without gates is accepted and unverified", () => {
    const end = finished(afterAgent(exit(), marked(["A"], ["B"]))).state.last?.end;
    expect(end).toMatchObject({
      outcome: "accepted",
      accepted: [{ id: "A", verification: "unverified" }],
      complete: false,
    });
  });

  test("a mark with green gates is accepted and verified, after every gate has run", () => {
    const from = given({ gates: [gate("lint"), gate("tests")] });
    const now = afterAgent(exit(), marked(["A"], ["B"]), from).decides({
      type: "run-gate",
      gate: gate("lint"),
    });
    expect(finished(now).state.last?.end.accepted).toEqual([{ id: "A", verification: "verified" }]);
    expect(finished(now).state.accepted).toEqual({ A: "verified" });
  });

  test("a mark with a red gate is taken back and the failing lines reach the next prompt", () => {
    const from = given({ gates: [gate("tests")] });
    const now = afterAgent(exit(), marked(["A"], ["B"]), from)
      .gate("red", "expected 2, got 3")
      .decides({ type: "run-gate", gate: gate("tests"), phase: "again" })
      .gate("red", "expected 1, got 2")
      .decides({ type: "mark-task", task: task("A").id, status: "open" });
    const after = finished(now);
    expect(after.state.last?.end).toMatchObject({ outcome: "rejected", accepted: [] });
    expect(after.state.tasks).toMatchObject({ open: 2, done: 1 });
    after
      .and({ type: "iteration-started", reason: "test" })
      .answered({ type: "project-read", reading: reading() })
      .decides({
        type: "write-prompt",
        rejection: {
          task: task("A"),
          reason: 'the gate "tests" fails',
          lines: ["expected 1, got 2"],
        },
      });
  });

  test("a rejection is told until a claim is accepted", () => {
    const from = given({ gates: [gate("tests")] });
    const rejected = finished(
      afterAgent(exit(), marked(["A"], ["B"]), from)
        .gate("red")
        .gate("red"),
    );
    const failed = finished(afterAgent(exit({ code: 3 }), change(), rejected));
    expect(failed.state.rejection?.reason).toContain("tests");
    expect(
      finished(afterAgent(exit(), marked(["A"], ["B"]), failed)).state.rejection,
    ).toBeUndefined();
  });

  test("a promise with work open is a rejected claim", () => {
    const said = exit({ result: { good: true, text: "All done.\n<promise>COMPLETE</promise>" } });
    const end = finished(afterAgent(said, change({ treeChanged: true, digest: "d1" }))).state.last
      ?.end;
    expect(end).toMatchObject({ outcome: "rejected", complete: false });
    expect(end?.reason).toContain("2 tasks are open");
  });

  test("a mark made by an agent that failed is believed only to a gate", () => {
    const crashed = exit({ code: 1, stderr: "boom" });
    const without = afterAgent(crashed, marked(["A"], ["B"])).decides({
      type: "mark-task",
      status: "open",
    });
    expect(finished(without).state.last?.end).toMatchObject({
      outcome: "agent-failed",
      accepted: [],
    });
    const gated = afterAgent(crashed, marked(["A"], ["B"]), given({ gates: [gate("tests")] }));
    expect(finished(gated).state.last?.end).toMatchObject({ outcome: "accepted" });
  });

  test("a list left broken is put back and the claim rejected", () => {
    const broken = change({ problem: "prd.json:1: this is not JSON", tasks: tasks() });
    const now = afterAgent(exit(), broken).decides({ type: "restore-tasks" });
    const after = finished(now);
    expect(after.state.last?.end).toMatchObject({ outcome: "rejected", complete: false });
    expect(after.state.tasks).toEqual(tasks("A", "B"));
  });

  test("a list that lacks tasks is put back: removing work is not finishing it", () => {
    const changes = { ...change().changes, removed: [task("A"), task("B")] };
    const now = afterAgent(exit(), change({ tasks: tasks(), changes })).decides({
      type: "restore-tasks",
    });
    const end = finished(now).state.last?.end;
    expect(end).toMatchObject({ outcome: "rejected", complete: false });
    expect(end?.reason).toContain("A, B");
  });

  test("more marks than can be looked at are put back as a whole", () => {
    const all = {
      ...marked(["A"], []),
      changes: { finishedCount: 900, finished: [task("A")], reopened: [], added: [], removed: [] },
    };
    const now = afterAgent(exit(), all).decides({ type: "restore-tasks" });
    expect(finished(now).state.last?.end).toMatchObject({ outcome: "rejected", complete: false });
  });

  test.each([
    ["no-op", exit(), change()],
    ["progressed", exit(), change({ treeChanged: true, digest: "d1" })],
    ["progressed", exit(), change({ commits: 1 })],
    ["agent-failed", exit({ code: 1 }), change({ treeChanged: true, digest: "d1" })],
    [
      "timed-out",
      exit({ code: null, signal: "SIGTERM", terminated: { cause: "clock", clock: "idle" } }),
      change(),
    ],
    ["interrupted", exit({ code: null, lost: true }), change()],
    ["usage-limited", exit({ code: 1, limit: { kind: "usage", text: "limit" } }), change()],
    [
      "rate-limited",
      exit({ code: 1, result: { good: false, text: "overloaded", httpStatus: 529 } }),
      change(),
    ],
    ["fatal", exit({ code: null, unusable: "not found" }), change()],
  ] as const)("is %s", (outcome, how, left) => {
    const end = finished(afterAgent(how, left)).state.last?.end;
    const isCharged = !outcome.endsWith("-limited") && outcome !== "fatal";
    expect(end).toMatchObject({ outcome, charged: isCharged });
  });

  test("an agent that is ended after its final message has ended normally", () => {
    const hung = exit({
      code: null,
      signal: "SIGKILL",
      terminated: { cause: "clock", clock: "grace" },
      result: { good: true, text: "done" },
    });
    expect(finished(afterAgent(hung, marked(["A"], ["B"]))).state.last?.end).toMatchObject({
      outcome: "accepted",
    });
  });

  test("an own entry of the agent is kept and none is written beside it", () => {
    afterAgent(exit(), { ...marked(["A"], ["B"]), entryWritten: true }).decides({ type: "commit" });
    afterAgent(exit(), marked(["A"], ["B"])).decides({ type: "write-memory" });
  });

  test("nothing is committed outside a repository", () => {
    const { git: _left, ...left } = marked(["A"], ["B"]);
    const { git: _before, ...before } = reading();
    const after = finished(afterAgent(exit(), left, given(), { before }));
    expect(after.state.last?.end).toMatchObject({ outcome: "accepted" });
    expect(after.state.last?.end).not.toHaveProperty("commit");
  });
});
