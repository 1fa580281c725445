import { describe, expect, test } from "vitest";
import {
  afterAgent,
  change,
  exit,
  finished,
  gate,
  given,
  marked,
  said,
  worked,
} from "../../../test/given.ts";

const limited = exit({ code: 1, limit: { kind: "usage", text: "limit", resetsAt: 9_000_000 } });

describe("what an iteration leaves in the run", () => {
  test("is nothing that is still under way", () => {
    expect(finished(afterAgent(exit(), worked())).state.current).toBeUndefined();
  });

  test("is what it cost, and that it is charged only for its own doing", () => {
    const one = finished(afterAgent(limited, change()));
    expect(one.state).toMatchObject({ charged: 0, struggles: {} });
    expect(finished(afterAgent(exit(), worked(), one)).state).toMatchObject({ charged: 1 });
  });

  test("is what is accepted, the newest word about each task", () => {
    const one = finished(afterAgent(exit(), marked(["A"], ["B"])));
    expect(one.state.accepted).toEqual({ A: "unverified" });
    expect(one.state.doubt).toBe("A done, not checked by any gate");
    const gated = one.and({
      type: "config-changed",
      config: { ...one.state.config, gates: [gate("tests")] },
      changed: ["gates"],
    });
    const again = finished(afterAgent(exit(), marked(["A"], ["B"]), gated));
    expect(again.state.accepted).toEqual({ A: "verified" });
    expect(again.state.doubt).toBe("A done, not checked by any gate");
  });

  test("is a clean sheet for tasks that are accepted, also beside the one it worked on", () => {
    const tried = finished(afterAgent(exit(), worked()));
    expect(tried.state.struggles).toMatchObject({ A: { tries: 1 } });
    expect(finished(afterAgent(exit(), marked(["A"], ["B"]), tried)).state.struggles).toEqual({});
    const other = finished(afterAgent(exit(), marked(["B"], ["A"]), tried));
    expect(other.state.struggles).toMatchObject({ A: { tries: 2 } });
  });

  test("is a wait that the provider told, even when the task was accepted", () => {
    const now = afterAgent(limited, marked(["A"], ["B"]), given({ gates: [gate("tests")] }));
    const { state } = finished(now);
    expect(state.last?.end.outcome).toBe("accepted");
    expect(state.notBefore).toMatchObject({ at: 9_030_000 });
  });

  test("is a pause where one is configured", () => {
    const { state } = finished(afterAgent(exit(), worked(), given({ pauseMs: 5_000 })));
    expect(state.notBefore).toEqual({ at: state.now + 5_000, reason: "pause between iterations" });
  });
});

describe("the run is over after an iteration", () => {
  test.each([
    ["complete", finished(afterAgent(exit(), marked(["A", "B"], []))), "complete"],
    [
      "with an agent that cannot be used",
      finished(afterAgent(exit({ unusable: "no" }), change())),
      "agent-unusable",
    ],
    [
      "that only a person can go on from",
      finished(afterAgent(exit(), change({ signal: { kind: "waiting", text: "?" } }))),
      "needs-human",
    ],
  ])("%s", (_, now, reason) => {
    expect(now.state.ending?.reason).toBe(reason);
  });

  test.each([
    ["a question", exit({ asked: "?" }), change()],
    ["a rejection", said("<promise>COMPLETE</promise>"), worked()],
    ["nothing", exit(), change()],
    ["a limit", limited, change()],
    ["an acceptance with work open", exit(), marked(["A"], ["B"])],
  ])("but not with %s", (_, how, left) => {
    expect(finished(afterAgent(how, left)).state.ending).toBeUndefined();
  });
});
