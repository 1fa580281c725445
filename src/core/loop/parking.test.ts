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
  said,
  task,
  tasks,
  worked,
  type Given,
} from "../../../test/given.ts";
import type { AgentExit, ProjectChange } from "../schema/event.ts";
import { outOfTurn } from "./parking.ts";

const PROMISE = said("<promise>COMPLETE</promise>");
const alone = { tasks: tasks("A") };

function times(
  n: number,
  how: AgentExit,
  left: ProjectChange,
  from: Given = given(),
  before = left.tasks,
): Given {
  let now = from;
  for (let i = 0; i < n; i++)
    now = finished(afterAgent(how, left, now, { before: reading({ tasks: before }) }));
  return now;
}

describe("a task is laid aside", () => {
  test("after two claims in a row that did not stand, also when it is the only one", () => {
    expect(times(1, PROMISE, worked(alone)).state.parked).toEqual({});
    expect(times(2, PROMISE, worked(alone)).state.parked).toEqual({
      A: { why: "rejected-claims", detail: "2 claims in a row did not stand" },
    });
  });

  test("after three iterations in a row that changed only tests, also when it is the only one", () => {
    expect(times(3, exit(), worked({ ...alone, testOnly: true })).state.parked).toEqual({
      A: { why: "test-only", detail: "3 iterations in a row changed tests and nothing else" },
    });
  });

  test("after two iterations in a row without a change, one before the breaker opens", () => {
    const two = times(2, exit(), change());
    expect(two.state.parked).toMatchObject({ A: { why: "no-change" } });
    expect(two.state.breaker.state).toBe("closed");
    two.orders({ type: "run-iteration" });
  });

  test("after the same error four times, one before the breaker opens", () => {
    const four = times(4, exit({ code: 1, stderr: "Error: boom" }), worked());
    expect(four.state.parked).toMatchObject({
      A: { why: "same-error", detail: "the same error 4 times" },
    });
    four.orders({ type: "run-iteration" });
  });

  test("after six iterations without acceptance", () => {
    expect(times(5, exit(), worked()).state.parked).toEqual({});
    expect(times(6, exit(), worked()).state.parked).toMatchObject({ A: { why: "stuck" } });
  });

  test("when it has asked, at once", () => {
    const asked = times(1, exit({ asked: "Which bank?" }), worked());
    expect(asked.state.parked).toEqual({ A: { why: "asked", detail: "Which bank?" } });
    asked.orders({ type: "run-iteration" });
  });

  test("and its counts begin anew", () => {
    expect(times(2, PROMISE, worked()).state.struggles).toEqual({});
  });
});

describe("a task is not laid aside", () => {
  test("for the breaker's sake when no other is ready: then the breaker decides", () => {
    const idle = times(3, exit(), change(alone));
    expect(idle.state.parked).toEqual({});
    idle.orders({ type: "end", end: { reason: "circuit-open", exitCode: 1 } });
  });

  test("for the sake of one that is laid aside itself", () => {
    const first = times(2, exit(), change());
    const second = { tasks: { ...tasks("B", "A") } };
    const now = times(1, exit(), worked(second), first);
    const idle = times(2, exit(), change(second), now);
    expect(Object.keys(idle.state.parked)).toEqual(["A"]);
  });

  test("when a limit of the config is below one", () => {
    const from = given({ breaker: { idleMax: 1, sameErrorMax: 1 } });
    const once = times(1, exit(), change(), from);
    expect(once.state.parked).toEqual({});
    once.orders({ type: "end", end: { reason: "circuit-open" } });
  });

  test("when another of its claims is accepted meanwhile", () => {
    const one = times(1, PROMISE, worked());
    const accepted = finished(afterAgent(exit(), marked(["B"], ["A"]), one));
    expect(times(1, PROMISE, worked(alone), accepted).state.parked).toEqual({});
  });
});

describe("a task that is laid aside", () => {
  test("is not chosen, or chosen last", () => {
    const parked = times(2, PROMISE, worked());
    expect(outOfTurn(parked.state)).toEqual({ parked: new Set(["A"]), deferred: new Set() });
    const deferred = times(2, exit(), change());
    expect(outOfTurn(deferred.state)).toEqual({ parked: new Set(), deferred: new Set(["A"]) });
  });

  test("comes back when a person has touched it", () => {
    const parked = times(2, PROMISE, worked());
    const touched = parked.and({ type: "iteration-started", reason: "test" }).answered({
      type: "project-read",
      reading: reading({ edits: { words: ["A"], tasks: [task("A").id] } }),
    });
    expect(touched.state.parked).toEqual({});
    expect(outOfTurn(touched.state).parked.size).toBe(0);
  });

  test("and is done by another iteration is laid aside no more", () => {
    const parked = times(1, exit({ asked: "Which bank?" }), worked());
    const left = marked(["A", "B"], []);
    const before = reading({ tasks: { ...tasks("B"), open: 2 } });
    const done = finished(afterAgent(exit(), left, parked, { before }));
    expect(done.state.parked).toEqual({});
    done.orders({ type: "end", end: { reason: "complete" } });
  });

  test("ends the run for a person when only such ones are left and one has asked", () => {
    const asked = times(1, exit({ asked: "Which bank?" }), worked());
    const rest = { tasks: { ...tasks("A", "B"), next: [] } };
    const ended = asked
      .and({ type: "iteration-started", reason: "test" })
      .answered({ type: "project-read", reading: reading(rest) })
      .ended();
    expect(ended.state.last?.end).toMatchObject({ outcome: "needs-human", charged: false });
    expect(ended.state.last?.end).not.toHaveProperty("blocked");
    ended.orders({
      type: "end",
      end: {
        reason: "needs-human",
        exitCode: 2,
        detail: "only tasks are left that were laid aside: A (Which bank?)",
      },
    });
  });

  test("ends the run as one that gets nowhere when none has asked", () => {
    times(2, PROMISE, worked())
      .and({ type: "iteration-started", reason: "test" })
      .answered({ type: "project-read", reading: reading({ tasks: { ...tasks("A"), next: [] } }) })
      .ended()
      .orders({ type: "end", end: { reason: "circuit-open", exitCode: 1 } });
  });
});

describe("the agent is warned", () => {
  test("from the fourth try on, and not about another task", () => {
    const three = times(3, exit(), worked());
    const next = three
      .and({ type: "iteration-started", reason: "test" })
      .answered({ type: "project-read", reading: reading() });
    next.decides({
      type: "write-prompt",
      attempt: 4,
      warning: "3 iterations have worked on this task and none was accepted",
    });
    three
      .and({ type: "iteration-started", reason: "test" })
      .answered({ type: "project-read", reading: reading({ tasks: tasks("B") }) })
      .decides({ type: "write-prompt", attempt: 1 });
    expect(next.state.current?.task).toBeUndefined();
  });
});

test("another task whose mark was taken back counts as ready", () => {
  const failed = exit({ code: 1, stderr: "Error: boom" });
  const now = times(
    4,
    failed,
    { ...marked(["A", "B"], []), tasks: tasks() },
    given(),
    tasks("A", "B"),
  );
  expect(now.state.parked).toMatchObject({ A: { why: "same-error" } });
});

test("red gates of one kind are one error, and other tasks come first before the breaker opens", () => {
  const from = given({ gates: [gate("tests")], parking: { ...PATIENT } });
  let now = from;
  for (let i = 0; i < 4; i++) {
    now = finished(
      afterAgent(exit(), marked(["A"], ["B"]), now)
        .gate("red", `Error: expected ${i}`)
        .gate("red", `Error: expected ${i}`),
    );
  }
  expect(now.state.breaker).toMatchObject({ state: "closed", errors: 4 });
  expect(now.state.parked).toMatchObject({ A: { why: "same-error" } });
});

const PATIENT = { rejectedMax: 99, testOnlyMax: 99, warnAfter: 99, deferAfter: 99 };
