import { describe, expect, test } from "vitest";
import {
  afterAgent,
  baselined,
  change,
  checks,
  config,
  exit,
  finished,
  gate,
  given,
  marked,
  reading,
  tasks,
  worked,
} from "../../../test/given.ts";
import { redWords } from "./gates.ts";

const gated = () => given({ gates: [gate("lint"), gate("tests")] });
const claim = marked(["A"], ["B"]);

describe("the baseline", () => {
  test("runs every gate once, before the first agent", () => {
    const now = gated()
      .and({ type: "iteration-started", reason: "test" })
      .answered({ type: "project-read", reading: reading() })
      .decides({ type: "run-gate", gate: gate("lint"), phase: "baseline" })
      .gate("green")
      .decides({ type: "run-gate", gate: gate("tests"), phase: "baseline" })
      .gate("red")
      .decides({ type: "write-prompt" });
    expect(now.state.gates).toEqual({ lint: "green", tests: "red" });
    expect(now.state.current?.gates).toEqual([]);
  });

  test("is not run again in later iterations", () => {
    finished(afterAgent(exit(), worked(), gated()))
      .and({ type: "iteration-started", reason: "test" })
      .answered({ type: "project-read", reading: reading() })
      .decides({ type: "write-prompt" });
  });

  test("is not run again after a restart", () => {
    baselined(gated())
      .crashed()
      .decides({ type: "read-project" })
      .answered({ type: "project-read", reading: reading() })
      .decides({ type: "write-prompt" });
  });

  test("is run later for a gate that comes later", () => {
    const later = finished(afterAgent(exit(), worked(), given()));
    const grown = later.and({
      type: "config-changed",
      config: { ...config, gates: [gate("tests")] },
      changed: ["gates"],
    });
    grown
      .and({ type: "iteration-started", reason: "test" })
      .answered({ type: "project-read", reading: reading() })
      .decides({ type: "run-gate", gate: gate("tests"), phase: "baseline" });
  });

  test("is run again for a gate that has another command now, and for no other", () => {
    const before = finished(afterAgent(exit(), worked(), gated()));
    const gates = [gate("lint"), { ...gate("tests"), command: "run other tests" }];
    const now = before.and({
      type: "config-changed",
      config: { ...config, gates },
      changed: ["gates"],
    });
    expect(now.state.gates).toEqual({ lint: "green" });
  });

  test("has the own checks of tasks that are done already, equal ones once", () => {
    const done = reading({ checks: checks({ X: "k1", Y: "k1", Z: "k2" }) });
    const own = (id: string) => ({
      type: "run-gate" as const,
      gate: {
        name: `checks of ${id}`,
        command: "",
        timeoutMs: 900_000,
        task: tasks(id).next[0]!.id,
      },
    });
    given({ gates: [gate("tests")] })
      .and({ type: "iteration-started", reason: "test" })
      .answered({ type: "project-read", reading: done })
      .gate("green")
      .decides(own("X"))
      .gate("green")
      .decides(own("Z"))
      .gate("green")
      .decides({ type: "write-prompt" });
  });

  test("is not run where no agent is to start", () => {
    gated()
      .and({ type: "iteration-started", reason: "test" })
      .answered({ type: "project-read", reading: reading({ tasks: tasks() }) })
      .decides({ type: "run-gate", phase: "check" });
  });
});

describe("a claim", () => {
  test("is checked by the whole set, also by what earlier tasks say about themselves", () => {
    const before = reading({ checks: checks({ X: "k1" }) });
    const left = marked(["A"], ["B"], { checks: checks({ A: "k2", X: "k1" }) });
    const now = afterAgent(exit(), left, gated(), { before });
    now
      .decides({ type: "run-gate", gate: gate("lint"), phase: "check" })
      .gate("green")
      .decides({ type: "run-gate", gate: gate("tests"), phase: "check" })
      .gate("green");
    const own = now.gate("green").gate("green").gate("green");
    const broken = own.gate("red").gate("red");
    expect(finished(broken).state.last?.end).toMatchObject({
      outcome: "rejected",
      reason: 'the gate "checks of X" fails',
    });
  });

  test("runs a red gate once more, and a green second word counts", () => {
    const now = afterAgent(exit(), claim, gated())
      .gate("red")
      .decides({ type: "run-gate", gate: gate("lint"), phase: "again" })
      .gate("green")
      .decides({ type: "run-gate", gate: gate("tests"), phase: "check" })
      .gate("green");
    expect(finished(now).state.last?.end).toMatchObject({
      outcome: "accepted",
      accepted: [{ id: "A", verification: "verified" }],
    });
  });

  test("runs a red gate never a third time", () => {
    afterAgent(exit(), claim, given({ gates: [gate("tests")] }))
      .gate("red")
      .gate("red")
      .decides({ type: "mark-task" });
  });

  test("does not run a gate again that was red before and rejects nothing", () => {
    afterAgent(exit(), claim, gated(), { red: ["lint"] })
      .gate("red")
      .decides({ type: "run-gate", gate: gate("tests"), phase: "check" });
  });

  test("with a gate red before and after is accepted, unverified", () => {
    const now = afterAgent(exit(), claim, gated(), { red: ["lint"] }).gate("red");
    expect(finished(now).state.last?.end).toMatchObject({
      outcome: "accepted",
      reason: 'A done, unverified: the gate "lint" fails as it did before the first agent',
      accepted: [{ id: "A", verification: "unverified" }],
      claims: [{ kind: "mark", verdict: "unverified" }],
      complete: false,
    });
  });

  test("that finishes everything with a gate red as before does not end the run complete", () => {
    const now = afterAgent(exit(), marked(["A", "B"], []), gated(), { red: ["lint"] }).gate("red");
    const after = finished(now).orders({ type: "run-iteration", n: 2 });
    after
      .and({ type: "iteration-started", reason: "test" })
      .answered({ type: "project-read", reading: reading({ tasks: tasks() }) })
      .decides({ type: "run-gate", gate: gate("lint"), phase: "check" })
      .gate("red")
      .gate("green")
      .ended()
      .orders({
        type: "end",
        end: {
          reason: "needs-human",
          detail:
            'every task is marked done, but the gate "lint" fails, as it did before the first agent',
        },
      });
  });

  test("is held to a gate that was red before and has been green since", () => {
    const better = finished(
      afterAgent(exit(), claim, gated(), { red: ["lint"] })
        .gate("green")
        .gate("green"),
    );
    expect(better.state.gates).toEqual({ lint: "green", tests: "green" });
    const worse = afterAgent(exit(), marked(["B"], []), better)
      .gate("red")
      .decides({ type: "run-gate", gate: gate("lint"), phase: "again" })
      .gate("red");
    expect(finished(worse).state.last?.end).toMatchObject({ outcome: "rejected", accepted: [] });
  });

  test("about a task whose own checks nobody has ever run needs them green", () => {
    const left = marked(["A"], ["B"], { checks: checks({ A: "k1" }) });
    const now = afterAgent(exit(), left).decides({ type: "run-gate", phase: "check" });
    expect(finished(now.gate("red").gate("red")).state.last?.end).toMatchObject({
      outcome: "rejected",
    });
    expect(finished(now.gate("green")).state.last?.end.accepted).toEqual([
      { id: "A", verification: "verified" },
    ]);
  });

  test("about a task that was done with red checks and was reopened needs them green", () => {
    const before = reading({ checks: checks({ A: "k1" }) });
    const first = finished(afterAgent(exit(), worked(), given(), { before, red: ["checks of A"] }));
    expect(first.state.gates).toEqual({ "checks of A": "red" });
    const again = afterAgent(exit(), marked(["A"], ["B"], { checks: checks({ A: "k1" }) }), first)
      .gate("red")
      .decides({ type: "run-gate", phase: "again" })
      .gate("red");
    expect(finished(again).state.last?.end).toMatchObject({ outcome: "rejected", accepted: [] });
  });

  test("about a task is not excused by another one whose equal checks were red before", () => {
    const before = reading({ checks: checks({ X: "k1" }) });
    const left = marked(["A"], ["B"], { checks: checks({ X: "k1", A: "k1" }) });
    const now = afterAgent(exit(), left, given(), { before, red: ["checks of X"] })
      .gate("red")
      .decides({ type: "run-gate", phase: "again" })
      .gate("red");
    expect(finished(now).state.last?.end).toMatchObject({ outcome: "rejected", accepted: [] });
  });

  test("is verified only where a gate looks at that very task", () => {
    const left = marked(["A", "B"], [], { checks: checks({ A: "k1" }) });
    const now = afterAgent(exit(), left).gate("green");
    expect(finished(now).state.last?.end.accepted).toEqual([
      { id: "A", verification: "verified" },
      { id: "B", verification: "unverified" },
    ]);
  });
});

test("no gate runs where nothing is claimed", () => {
  afterAgent(exit(), worked(), gated()).decides({ type: "write-memory" });
  afterAgent(exit(), change(), gated()).decides({ type: "write-memory" });
});

test("a gate that becomes green is progress, even in an iteration that changed nothing else", () => {
  const silent = { ...claim, treeChanged: false };
  const now = afterAgent(exit({ code: 1 }), silent, gated(), { red: ["lint"] })
    .gate("green")
    .gate("red")
    .gate("red");
  expect(finished(now).state.last?.end).toMatchObject({ outcome: "agent-failed", progress: true });
});

test("a gate that ran into its time limit is said to have timed out", () => {
  const result = (name: string, timedOut: boolean) => ({
    name,
    passed: false,
    code: null,
    timedOut,
    durationMs: 1,
    lines: [],
  });
  expect(redWords([result("lint", false), result("tests", true)])).toBe(
    'the gate "lint" fails, the gate "tests" timed out',
  );
  expect(
    redWords(Array.from({ length: 9 }, () => result("x", false))).match(/fails/gu),
  ).toHaveLength(5);
});
