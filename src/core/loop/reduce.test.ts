import { describe, expect, test } from "vitest";
import {
  afterAgent,
  baselined,
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
  tasks,
  worked,
  type Given,
} from "../../../test/given.ts";
import { decideIteration } from "./decide-iteration.ts";

const gated = () => given({ gates: [gate("tests")] });
const STOP = {
  type: "control-received",
  id: "1",
  control: { type: "stop", when: "after-iteration", signal: "SIGINT", from: "test" },
} as const;

/** The process dies after it has announced what the core wants next. */
function dies(now: Given): Given {
  const decision = decideIteration(now.state);
  if (decision.type !== "effect") throw new Error("there is nothing to die in");
  return now
    .and({ type: "effect-ordered", order: decision.effect, reason: decision.reason })
    .crashed();
}

describe("a process that dies", () => {
  test("in the baseline lets the next one begin with the files, and known gates stay known", () => {
    const from = given({ gates: [gate("lint"), gate("tests")] });
    const begun = from
      .and({ type: "iteration-started", reason: "test" })
      .answered({ type: "project-read", reading: reading() })
      .gate("red");
    dies(begun)
      .decides({ type: "read-project" })
      .answered({ type: "project-read", reading: reading() })
      .decides({ type: "run-gate", gate: gate("tests"), phase: "baseline" });
  });

  test("before the agent is let go begins the iteration anew and counts no attempt", () => {
    const now = dies(
      baselined().answered({ type: "prompt-written", bytes: 1, tokens: 1, cut: [] }),
    );
    expect(now.state).toMatchObject({ attempts: {}, calls: [] });
    now.decides({ type: "read-project" });
  });

  test("in a gate lets the next one read and check again, all from the start", () => {
    const now = afterAgent(exit(), marked(["A"], ["B"]), gated()).gate("red");
    dies(now)
      .decides({ type: "inspect-project" })
      .answered({ type: "project-inspected", change: marked(["A"], ["B"]) })
      .decides({ type: "run-gate", phase: "check" });
  });

  test("in the mending of git has it mended again, and lost history still rejects the claim", () => {
    const now = dies(afterAgent(exit(), marked(["A"], ["B"], { dropped: 1 }), gated()));
    expect(now.state.current?.pending?.effect.type).toBe("mend-git");
    const mended = now
      .and({ type: "git-mended", did: ["main is back at c0."] })
      .decides({ type: "inspect-project" })
      .answered({ type: "project-inspected", change: marked(["A"], ["B"]) });
    expect(finished(mended).state.last?.end).toMatchObject({ outcome: "rejected", accepted: [] });
  });

  test("after the mending of git reads again, and lost history still rejects the claim", () => {
    const now = afterAgent(exit(), marked(["A"], ["B"], { dropped: 1 }), gated())
      .answered({ type: "git-mended", did: ["main is back at c0."] })
      .crashed()
      .answered({ type: "project-inspected", change: marked(["A"], ["B"]) });
    expect(finished(now).state.last?.end).toMatchObject({ outcome: "rejected", accepted: [] });
  });

  test("in putting a person's file back has it put back again, and the claim is rejected", () => {
    const before = reading({ guarded: { settings: "s0" } });
    const left = marked(["A"], ["B"], { guarded: { settings: "s1" } });
    const now = dies(afterAgent(exit(), left, gated(), { before }));
    expect(now.state.current?.pending?.effect).toMatchObject({ type: "restore-file" });
    const restored = now.and({ type: "file-restored", file: "settings", keptAside: "x" });
    expect(finished(restored).state.last?.end).toMatchObject({ outcome: "rejected", accepted: [] });
  });

  test("after putting a person's file back still rejects the claim, though the file is as it was", () => {
    const before = reading({ guarded: { settings: "s0" } });
    const left = marked(["A"], ["B"], { guarded: { settings: "s1" } });
    const now = afterAgent(exit(), left, gated(), { before })
      .answered({ type: "file-restored", file: "settings", keptAside: "x" })
      .crashed()
      .answered({
        type: "project-inspected",
        change: marked(["A"], ["B"], { guarded: { settings: "s0" } }),
      });
    expect(finished(now).state.last?.end).toMatchObject({ outcome: "rejected", accepted: [] });
  });

  test("in putting the list back has it put back again, and the claim is rejected", () => {
    const now = dies(afterAgent(exit(), edited(["A"], ["B"]), gated()));
    expect(now.state.current?.pending?.effect.type).toBe("restore-tasks");
    const restored = now.and({ type: "tasks-restored", keptAside: "x" });
    expect(finished(restored).state.last?.end).toMatchObject({ outcome: "rejected", accepted: [] });
  });

  test("in taking a mark back takes it back again, without asking the gates", () => {
    const rejected = afterAgent(exit(), marked(["A", "B"], []), gated())
      .gate("red")
      .gate("red");
    const now = dies(rejected);
    expect(now.state.current?.pending?.effect).toMatchObject({ type: "mark-task", task: "A" });
    now
      .and({ type: "task-marked", task: task("A").id, status: "open" })
      .decides({ type: "mark-task", task: task("B").id });
  });

  test("between two marks that are taken back goes on with the second", () => {
    afterAgent(exit(), marked(["A", "B"], []), gated())
      .gate("red")
      .gate("red")
      .answered({ type: "task-marked", task: task("A").id, status: "open" })
      .crashed()
      .decides({ type: "mark-task", task: task("B").id });
  });

  test("in putting a stop file aside looks again", () => {
    const left = worked({ signal: { kind: "complete", text: "" } });
    dies(afterAgent(exit(), left))
      .decides({ type: "inspect-project" })
      .answered({ type: "project-inspected", change: left })
      .decides({ type: "set-aside" });
  });

  test("after putting a stop file aside still knows of its claim", () => {
    const left = worked({ signal: { kind: "complete", text: "" } });
    const now = afterAgent(exit(), left)
      .answered({ type: "signal-set-aside", signal: "complete", keptAside: "x" })
      .crashed()
      .answered({ type: "project-inspected", change: worked() });
    expect(finished(now).state.last?.end).toMatchObject({
      outcome: "rejected",
      claims: [{ kind: "stop-file", verdict: "rejected" }],
    });
  });

  test("in the commit reads again and keeps what the gates said", () => {
    const now = afterAgent(exit(), marked(["A"], ["B"]), gated())
      .gate("green")
      .answered({ type: "memory-written", by: "ralph" });
    const again = dies(now).and({ type: "committed", commit: "c1" });
    again.decides({ type: "inspect-project" }).answered({
      type: "project-inspected",
      change: marked(["A"], ["B"], { commits: 1, git: git({ head: "c1" }) }),
    });
    expect(again.state.current?.gates).toHaveLength(1);
  });

  test("while the agent runs leaves a lost agent, whose work is judged", () => {
    const running = baselined(gated())
      .answered({ type: "prompt-written", bytes: 1, tokens: 1, cut: [] })
      .started()
      .crashed();
    expect(running.state.current?.pending?.effect.type).toBe("run-agent");
    const now = running
      .and({ type: "agent-exited", exit: exit({ code: null, lost: true }) })
      .answered({ type: "project-inspected", change: marked(["A"], ["B"]) });
    expect(finished(now).state.last?.end).toMatchObject({ outcome: "accepted" });
    expect(now.state.attempts).toEqual({ A: 1 });
  });
});

describe("a run that goes on", () => {
  const asked = () => {
    const one = finished(afterAgent(exit({ asked: "Which bank?" }), worked()));
    return finished(
      afterAgent(said("<promise>COMPLETE</promise>"), worked(), one, {
        before: reading({ tasks: tasks("B") }),
      }),
    );
  };

  test("after it asked for a person takes up what was laid aside", () => {
    const over = asked()
      .and({ type: "iteration-started", reason: "test" })
      .answered({ type: "project-read", reading: reading({ tasks: { ...tasks("A"), next: [] } }) })
      .ended();
    expect(over.state.parked).toMatchObject({ A: { why: "asked" } });
    expect(over.resumed().state).toMatchObject({ parked: {}, struggles: {} });
  });

  test("after a stop leaves laid aside what was", () => {
    const { state } = asked().and(STOP).resumed();
    expect(state.parked).toMatchObject({ A: { why: "asked" } });
    expect(state.struggles).toMatchObject({ B: { tries: 1, rejected: 1 } });
  });

  test("after a crash leaves laid aside what was", () => {
    expect(asked().crashed().state.parked).toMatchObject({ A: { why: "asked" } });
  });

  test("keeps what it has counted", () => {
    const { state } = asked();
    const again = asked().and(STOP).resumed().state;
    for (const key of ["charged", "iteration", "attempts", "gates", "accepted", "trust"] as const)
      expect(again[key]).toEqual(state[key]);
  });

  test("does not remember an end that was due, but finds it again", () => {
    const left = marked(["A", "B"], [], { signal: { kind: "waiting", text: "?" } });
    const over = finished(afterAgent(exit(), left)).resumed();
    expect(over.state.ending).toBeUndefined();
    over.orders({ type: "run-iteration", n: 2 });
  });
});

describe("the list that is known", () => {
  test("counts a mark that was taken back as open", () => {
    const now = finished(afterAgent(exit(), marked(["A", "B"], [], { findings: [finding()] })));
    expect(now.state.tasks).toMatchObject({ open: 2, done: 1 });
  });

  test("does not count one that could not be taken back", () => {
    const now = afterAgent(exit(), marked(["A"], ["B"], { findings: [finding()] })).answered({
      type: "task-marked",
      task: task("A").id,
      status: "open",
      problem: "the mark did not stay",
    });
    expect(now.state.tasks).toMatchObject({ open: 1, done: 2 });
    now.decides({ type: "write-memory" });
  });

  test("is the one the putting back tells, or the one before the agent", () => {
    const broken = afterAgent(exit(), change({ problem: "no", tasks: tasks() }));
    const told = tasks("A", "B", "C");
    const fact = { type: "tasks-restored", keptAside: "x" } as const;
    expect(broken.answered(fact).state.tasks).toEqual(tasks("A", "B"));
    expect(broken.answered({ ...fact, tasks: told }).state.tasks).toEqual(told);
  });
});

test("names of tasks and gates that are words of the language do no harm", () => {
  const odd = marked(["__proto__"], ["constructor"], { checks: checks({ constructor: "k" }) });
  const from = given({ gates: [gate("__proto__")] });
  const before = reading({ tasks: tasks("__proto__", "constructor") });
  const { state } = finished(afterAgent(exit(), odd, from, { before }));
  expect(Object.entries(state.accepted)).toEqual([["__proto__", "verified"]]);
  expect(Object.entries(state.gates)).toContainEqual(["__proto__", "green"]);
  expect(Object.entries(state.attempts)).toEqual([["__proto__", 1]]);
});
