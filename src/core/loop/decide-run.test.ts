import { describe, expect, test } from "vitest";
import { decideRun } from "./decide-run.ts";
import type { StopControl } from "../schema/control.ts";
import {
  afterAgent,
  change,
  exit,
  finished,
  gate,
  given,
  marked,
  reading,
  tasks,
  worked,
} from "../../../test/given.ts";

const stop = (when: StopControl["when"], signal: StopControl["signal"] = "SIGINT") =>
  ({
    type: "control-received",
    id: "1",
    control: { type: "stop", when, signal, from: "test" },
  }) as const;

describe("the end of a run", () => {
  test("is complete when the last open task is accepted, also on the last allowed iteration", () => {
    finished(afterAgent(exit(), marked(["A"], []), given({ iterationMax: 1 }))).orders({
      type: "end",
      end: { reason: "complete", exitCode: 0 },
    });
  });

  test("comes when the iterations are used up, and limits do not count", () => {
    const limited = exit({ code: 1, limit: { kind: "usage", text: "limit" } });
    const one = finished(afterAgent(limited, change(), given({ iterationMax: 1 })));
    expect(one.state.charged).toBe(0);
    const two = finished(afterAgent(exit(), change(), one));
    two.orders({ type: "end", end: { reason: "iterations-used-up", exitCode: 1 } });
  });

  test("comes when the time is used up; waiting does not count", () => {
    const from = given({ runMsMax: 60_000 });
    const waited = from
      .and({ type: "wait-started", until: 1, reason: "limit" })
      .and({ type: "wait-ended" }, 3_600_000);
    waited.orders({ type: "run-iteration", n: 1 });
    finished(afterAgent(exit(), worked(), from))
      .and({ type: "cancel-ordered", reason: "x" }, 61_000)
      .orders({ type: "end", end: { reason: "budget-used-up", exitCode: 3 } });
  });

  test("comes at once when the agent cannot be used", () => {
    finished(afterAgent(exit({ code: null, unusable: "not found" }), change())).orders({
      type: "end",
      end: { reason: "agent-unusable", exitCode: 4, detail: "not found" },
    });
  });

  test("by a full disk comes in the middle of an iteration and is taken up again", () => {
    const full = given()
      .and({ type: "iteration-started", reason: "test" })
      .and({ type: "effect-ordered", order: { type: "read-project" }, reason: "test" })
      .and({ type: "effect-failed", reason: "disk", detail: "no space" })
      .orders({ type: "end", end: { reason: "disk", exitCode: 74 } });
    full
      .and({ type: "run-ended", reason: "disk", exitCode: 74, detail: "no space" })
      .and({ type: "run-resumed", program: "0", argv: [] })
      .orders({ type: "run-iteration", n: 1 });
  });
});

describe("stopping", () => {
  const running = () =>
    given()
      .and({ type: "iteration-started", reason: "test" })
      .answered({ type: "project-read", reading: reading() })
      .answered({ type: "prompt-written", bytes: 1, tokens: 1, cut: [] })
      .and({
        type: "effect-ordered",
        order: { type: "run-agent", task: reading().tasks.next[0]!, attempt: 1 },
        reason: "test",
      })
      .and({ type: "agent-started", pid: 4711, startTime: "1" });

  test("after the iteration lets it finish and starts no other", () => {
    running().and(stop("after-iteration")).orders({ type: "run-iteration", n: 1 });
    const done = finished(
      afterAgent(exit(), marked(["A"], ["B"]), given().and(stop("after-iteration"))),
    );
    done.orders({ type: "end", end: { reason: "stopped", exitCode: 130 } });
  });

  test("now cancels the agent, reads what it left, and checks it when the run goes on", () => {
    const stopped = running()
      .and(stop("now", "SIGTERM"))
      .orders({ type: "cancel" })
      .and({
        type: "agent-exited",
        exit: exit({ code: null, signal: "SIGTERM", terminated: { cause: "stop" } }),
      })
      .orders({ type: "run-iteration", n: 1 })
      .decides({ type: "inspect-project" })
      .answered({ type: "project-inspected", change: marked(["A"], ["B"]) })
      .orders({ type: "end", end: { reason: "stopped", exitCode: 143 } });
    const resumed = stopped
      .and({ type: "run-ended", reason: "stopped", exitCode: 143, detail: "" })
      .and({ type: "run-resumed", program: "0", argv: [] })
      .decides({ type: "inspect-project" })
      .answered({ type: "project-inspected", change: marked(["A"], ["B"]) });
    expect(finished(resumed).state.last?.end).toMatchObject({
      outcome: "interrupted",
      accepted: [],
    });
  });

  test("now is not softened by a later request", () => {
    running().and(stop("now")).and(stop("after-iteration")).orders({ type: "cancel" });
  });

  test("now during a gate leaves the gate for the day the run goes on", () => {
    const from = given({ gates: [gate("tests")] });
    const cut = afterAgent(exit(), marked(["A"], ["B"]), from)
      .and({
        type: "effect-ordered",
        order: { type: "run-gate", gate: gate("tests") },
        reason: "test",
      })
      .and(stop("now"))
      .orders({ type: "cancel" })
      .and({ type: "effect-cut" })
      .orders({ type: "end", end: { reason: "stopped" } });
    cut
      .and({ type: "run-ended", reason: "stopped", exitCode: 130, detail: "" })
      .and({ type: "run-resumed", program: "0", argv: [] })
      .orders({ type: "run-iteration", n: 1 });
  });

  test("a run that is complete is complete, even when a stop was asked for", () => {
    finished(afterAgent(exit(), marked(["A"], []), given().and(stop("after-iteration")))).orders({
      type: "end",
      end: { reason: "complete" },
    });
  });
});

describe("waiting", () => {
  test("for a told reset time with a margin, which survives a restart", () => {
    const resetsAt = 10_000_000;
    const limited = finished(
      afterAgent(exit({ code: 1, limit: { kind: "usage", resetsAt, text: "limit" } }), change()),
    );
    limited.orders({ type: "wait-until", until: resetsAt + 30_000 });
    limited
      .and({ type: "run-resumed", program: "0", argv: [] })
      .orders({ type: "wait-until", until: resetsAt + 30_000 });
  });

  test("for the configured time where none was told, or a time long past", () => {
    const limited = finished(
      afterAgent(exit({ code: 1, limit: { kind: "usage", resetsAt: 5, text: "limit" } }), change()),
    );
    limited.orders({ type: "wait-until", until: limited.state.now + 3_600_000 });
  });

  test("longer after each overload, and not after a success", () => {
    const overloaded = exit({
      code: 1,
      result: { good: false, text: "overloaded", httpStatus: 529 },
    });
    const waits: number[] = [];
    let now = given();
    for (let i = 0; i < 12; i++) {
      now = finished(afterAgent(overloaded, change(), now));
      waits.push((now.state.notBefore?.at ?? 0) - now.state.now);
    }
    for (const [i, wait] of waits.entries()) {
      const full = Math.min(900_000, 5_000 * 2 ** i);
      expect(wait).toBeGreaterThanOrEqual(full * 0.75);
      expect(wait).toBeLessThanOrEqual(full);
    }
    finished(afterAgent(exit(), marked(["A"], ["B"]), now)).orders({ type: "run-iteration" });
  });

  test("for the call limit goes before the pause between iterations", () => {
    const now = finished(
      afterAgent(exit(), worked(), given({ callsPerHourMax: 1, pauseMs: 5_000 })),
    );
    now.orders({ type: "wait-until", reason: "1 agent start within an hour" });
  });

  test("is cut short by a stop", () => {
    finished(afterAgent(exit(), worked(), given({ callsPerHourMax: 1 })))
      .and({ type: "wait-started", until: 9_999_999, reason: "test" })
      .and(stop("after-iteration"))
      .orders({ type: "end", end: { reason: "stopped" } });
  });

  test("does not use up the time of a run", () => {
    const now = finished(
      afterAgent(exit(), worked(), given({ callsPerHourMax: 1, runMsMax: 600_000 })),
    );
    now
      .and({ type: "wait-started", until: 1, reason: "test" })
      .and({ type: "wait-ended" }, 3_700_000)
      .orders({ type: "run-iteration", n: 2 });
  });
});

describe("an end that is due", () => {
  test("is told before a guard speaks, and after an order to stop at once", () => {
    const done = afterAgent(exit(), marked(["A", "B"], []), given({ iterationMax: 1 }));
    finished(done).orders({ type: "end", end: { reason: "complete" } });
    finished(done)
      .and(stop("now"))
      .orders({ type: "end", end: { reason: "stopped" } });
  });

  test("is found again by a run that was stopped at that very moment", () => {
    const done = finished(afterAgent(exit(), marked(["A", "B"], [])));
    done
      .and(stop("now"))
      .resumed()
      .orders({ type: "run-iteration", n: 2 })
      .and({ type: "iteration-started", reason: "test" })
      .answered({ type: "project-read", reading: reading({ tasks: tasks() }) })
      .ended()
      .orders({ type: "end", end: { reason: "complete" } });
  });

  test("comes once: a run that has ended orders nothing", () => {
    const done = finished(afterAgent(exit(), marked(["A", "B"], [])));
    const over = done.and({ type: "run-ended", reason: "complete", exitCode: 0, detail: "" });
    expect(decideRun(over.state)).toEqual([]);
  });
});
