import { describe, expect, test } from "vitest";
import {
  afterAgent,
  change,
  exit,
  finding,
  finished,
  gate,
  git,
  given,
  marked,
  reading,
  tasks,
  worked,
  type Given,
} from "../../../test/given.ts";

const gated = () => given({ gates: [gate("tests")] });
const weak = { findings: [finding()], touched: ["test/pay.test.ts"] };
const weakened = () => finished(afterAgent(exit(), worked(weak), gated()));

const readAt = (from: Given, head: string): Given =>
  from
    .and({ type: "iteration-started", reason: "test" })
    .answered({ type: "project-read", reading: reading({ git: git({ head }) }) });

describe("what is trusted", () => {
  test("is the commit before the first agent", () => {
    expect(readAt(given(), "c0").state.trust).toMatchObject({ commit: "c0", head: "c0" });
  });

  test("does not move with the commits of an agent that finishes nothing", () => {
    const own = finished(afterAgent(exit(), worked({ commits: 1, git: git({ head: "c5" }) })));
    const next = readAt(own, "c5");
    expect(next.state.trust).toMatchObject({ commit: "c0", head: "c5" });
  });

  test("moves with accepted work, and what was touched is forgotten", () => {
    const touched = finished(afterAgent(exit(), worked({ touched: ["a.test.ts"] })));
    expect(touched.state.trust).toMatchObject({ commit: "c0", touched: ["a.test.ts"] });
    const done = finished(afterAgent(exit(), marked(["A"], ["B"]), touched));
    expect(done.state.trust).toMatchObject({ commit: "c1", head: "c1", touched: [] });
  });

  test("moves with accepted work that could not be committed to where the branch stands", () => {
    const now = afterAgent(exit(), marked(["A"], ["B"]))
      .answered({ type: "memory-written", by: "ralph" })
      .answered({ type: "committed", problem: "a hook refused" })
      .ended();
    expect(now.state.trust).toMatchObject({ commit: "c0", head: "c0" });
    expect(now.state.last?.end.reason).toContain("not committed: a hook refused");
  });

  test("moves with a person's commit between two iterations", () => {
    const seen = finished(afterAgent(exit(), worked({ touched: ["a.test.ts"] })));
    expect(readAt(seen, "c7").state.trust).toMatchObject({ commit: "c7", touched: [] });
  });

  test("keeps the files that were touched within a bound", () => {
    const many = Array.from({ length: 40 }, (_, i) => `a${i}.test.ts`);
    const more = Array.from({ length: 40 }, (_, i) => `b${i}.test.ts`);
    const first = finished(afterAgent(exit(), worked({ touched: many })));
    const second = finished(afterAgent(exit(), worked({ touched: more }), first));
    expect(second.state.trust.touched).toHaveLength(50);
  });
});

describe("tests that were made weaker", () => {
  test("keep rejecting claims in later iterations, as long as they are found", () => {
    const now = afterAgent(exit(), marked(["A"], ["B"], weak), weakened()).decides({
      type: "mark-task",
    });
    expect(finished(now).state.last?.end).toMatchObject({ outcome: "rejected" });
  });

  test("are over once they are undone", () => {
    const undone = afterAgent(exit(), marked(["A"], ["B"]), weakened());
    expect(finished(undone).state.last?.end).toMatchObject({ outcome: "accepted" });
    expect(finished(undone).state.trust.findings).toEqual([]);
  });

  test("are over once a person commits", () => {
    expect(readAt(weakened(), "c7").state.trust).toMatchObject({ commit: "c7", findings: [] });
  });

  test("are not over by a commit of the agent's own", () => {
    const own = worked({ ...weak, commits: 1, git: git({ head: "c5" }) });
    const next = readAt(finished(afterAgent(exit(), own, gated())), "c5");
    expect(next.state.trust).toMatchObject({ commit: "c0", findings: [finding()] });
  });

  test("are over once a person accepts them, and what lay aside is forgotten", () => {
    const accepted = weakened().and({ type: "edits-accepted", what: ["test/pay.test.ts"] });
    expect(accepted.state.trust).toMatchObject({ commit: undefined, findings: [], touched: [] });
    expect(accepted.state.aside).toEqual({
      tasks: undefined,
      settings: undefined,
      prompt: undefined,
    });
    expect(readAt(accepted, "c0").state.trust).toMatchObject({ commit: "c0", findings: [] });
  });

  test("outlive a crash and a restart", () => {
    const resumed = readAt(weakened().crashed(), "c0");
    expect(resumed.state.trust.findings).toEqual([finding()]);
  });

  test("outlive the run", () => {
    const inherited = { head: "c5", trusted: "c0", ...weak };
    const next = given({ gates: [gate("tests")] }, { inherited });
    expect(readAt(next, "c5").state.trust).toMatchObject({ commit: "c0", ...weak });
    expect(readAt(next, "c7").state.trust).toMatchObject({ commit: "c7", findings: [] });
  });

  test("keep a run from ending complete when nothing is open any more", () => {
    const ended = weakened()
      .and({ type: "iteration-started", reason: "test" })
      .answered({ type: "project-read", reading: reading({ tasks: tasks() }) })
      .answered({
        type: "project-inspected",
        change: change({ tasks: tasks(), findings: [finding()] }),
      })
      .ended()
      .orders({ type: "end", end: { reason: "needs-human" } });
    expect(ended.state.last?.end.complete).toBe(false);
  });

  test("are looked at once more when nothing is open: a person may have undone it", () => {
    const ended = weakened()
      .and({ type: "iteration-started", reason: "test" })
      .answered({ type: "project-read", reading: reading({ tasks: tasks() }) })
      .decides({ type: "inspect-project" })
      .answered({ type: "project-inspected", change: change({ tasks: tasks() }) })
      .gate("green")
      .ended()
      .orders({ type: "end", end: { reason: "complete" } });
    expect(ended.state.trust.findings).toEqual([]);
  });
});

describe("the person's files", () => {
  const before = reading({ list: "l0", guarded: { settings: "s0", prompt: "p0" } });

  test("are remembered by name, to notice what a person changes later", () => {
    const left = change({ list: "l1", guarded: { settings: "s0", prompt: "p0" } });
    const now = afterAgent(exit(), left, given(), { before });
    expect(now.state.trust).toMatchObject({ list: "l1", settings: "s0", prompt: "p0" });
  });

  test("are remembered as they were once they are put back", () => {
    const left = change({ list: "l1", guarded: { settings: "s1" } });
    const now = afterAgent(exit(), left, given(), { before })
      .answered({ type: "file-restored", file: "settings", keptAside: "x" })
      .answered({ type: "file-restored", file: "prompt", keptAside: "y" });
    expect(now.state.trust).toMatchObject({ settings: "s0", prompt: "p0" });
  });

  test("the list is remembered as it is after a mark was taken back or it was put back", () => {
    const restored = afterAgent(exit(), change({ problem: "no" }), given(), { before }).answered({
      type: "tasks-restored",
      keptAside: "x",
      list: "l2",
      tasks: tasks("A", "B"),
    });
    expect(restored.state.trust.list).toBe("l2");
    const unmarked = afterAgent(exit(), marked(["A"], ["B"], weak), given(), { before }).answered({
      type: "task-marked",
      task: tasks("A").next[0]!.id,
      status: "open",
      list: "l3",
    });
    expect(unmarked.state.trust.list).toBe("l3");
  });
});
