import { describe, expect, test } from "vitest";
import {
  afterAgent,
  config,
  exit,
  finished,
  type Given,
  given,
  marked,
  reading,
  said,
  task,
  tasks,
  worked,
} from "../../../test/given.ts";
import type { Effect } from "../schema/effect.ts";
import { decideIteration } from "./decide-iteration.ts";

/** What the core orders from here to the end of the iteration. */
function ordersOf(from: Given): Effect[] {
  const orders: Effect[] = [];
  let now = from;
  for (let steps = 0; steps < 20; steps++) {
    const decision = decideIteration(now.state);
    if (decision.type === "end") return orders;
    orders.push(decision.effect);
    now = now.answered(answerTo(decision.effect));
  }
  throw new Error("the iteration does not end");
}

function answerTo(effect: Effect) {
  if (effect.type === "archive") return { type: "archived", path: "p" } as const;
  if (effect.type === "commit") return { type: "committed", commit: "c1" } as const;
  return { type: "memory-written", by: "ralph" } as const;
}

const types = (orders: readonly Effect[]): string[] => orders.map(({ type }) => type);
const CLOSING = {
  type: "write-memory",
  entry: {
    status: "ALL STORIES COMPLETE",
    files: [],
    learnings: [],
    output: "<promise>COMPLETE</promise>",
  },
};

describe("the entry of an iteration", () => {
  test("is the agent's where it wrote one", () => {
    const left = marked(["A"], ["B"], { entryWritten: true });
    expect(types(ordersOf(afterAgent(exit(), left)))).toEqual(["commit"]);
  });

  test("is ours where there is none, with what the agent has learned and its commit", () => {
    const left = marked(["A"], ["B"], {
      commits: 1,
      files: ["a.ts"],
      git: { head: "0123456789abcdef", branch: "main", dirty: 0 },
    });
    const [entry] = ordersOf(afterAgent(said("Learnings:\n- a thing"), left));
    expect(entry).toEqual({
      type: "write-memory",
      entry: {
        task: task("A"),
        status: "complete",
        files: ["a.ts"],
        learnings: ["a thing"],
        commit: "0123456789ab",
      },
    });
  });

  test("says first why nothing was accepted", () => {
    const [entry] = ordersOf(afterAgent(said("Learnings:\n- a thing"), worked()));
    expect(entry).toMatchObject({
      entry: {
        status: "progressed",
        learnings: ["work was done, but no task was finished", "a thing"],
      },
    });
  });
});

describe("when all is complete", () => {
  test("entry, closing entry, archive and one commit follow one another", () => {
    const orders = ordersOf(afterAgent(exit(), marked(["A"], [])));
    expect(types(orders)).toEqual(["write-memory", "write-memory", "archive", "commit"]);
    expect(orders[1]).toEqual(CLOSING);
  });

  test("an agent's own closing entry is enough", () => {
    const left = marked(["A"], [], { entryWritten: true, closingWritten: true });
    expect(types(ordersOf(afterAgent(exit(), left)))).toEqual(["archive", "commit"]);
  });

  test("nothing is archived where the settings say so", () => {
    const orders = ordersOf(afterAgent(exit(), marked(["A"], []), given({ archive: false })));
    expect(types(orders)).toEqual(["write-memory", "write-memory", "commit"]);
  });

  test("an archive that could not be made is told at the end", () => {
    const now = afterAgent(exit(), marked(["A"], []))
      .answered({ type: "memory-written", by: "ralph" })
      .answered({ type: "memory-written", by: "ralph" })
      .answered({ type: "archived", problem: "no permission" });
    expect(finished(now).state.last?.end).toMatchObject({
      complete: true,
      reason: expect.stringContaining("not archived: no permission") as string,
    });
  });

  test("what was done before a crash is not done again", () => {
    const closed = afterAgent(exit(), marked(["A"], []))
      .answered({ type: "memory-written", by: "ralph" })
      .answered({ type: "memory-written", by: "ralph" })
      .answered({ type: "archived", path: "p" })
      .crashed()
      .decides({ type: "inspect-project" })
      .answered({
        type: "project-inspected",
        change: marked(["A"], [], { entryWritten: true, closingWritten: true }),
      });
    expect(types(ordersOf(closed))).toEqual(["commit"]);
  });
});

describe("a run that finds all done", () => {
  const foundDone = (from: Given): Given =>
    from
      .and({ type: "iteration-started", reason: "test" })
      .answered({ type: "project-read", reading: reading({ tasks: tasks() }) });

  test("writes and archives nothing", () => {
    expect(ordersOf(foundDone(given()))).toEqual([]);
    expect(ordersOf(foundDone(given({}, { verified: [task("A").id] })))).toEqual([]);
  });

  test("closes and archives what it has accepted itself", () => {
    const before = finished(afterAgent(exit(), marked(["A"], ["B"])));
    expect(types(ordersOf(foundDone(before)))).toEqual(["write-memory", "archive", "commit"]);
  });

  test("only commits what an end before it has written and could not commit", () => {
    const left = afterAgent(exit(), marked(["A"], []))
      .answered({ type: "memory-written", by: "ralph" })
      .answered({ type: "memory-written", by: "ralph" })
      .answered({ type: "archived", path: "p" })
      .answered({ type: "committed", problem: "a hook said no" });
    const uncommitted = finished(left);
    expect(uncommitted.state.last?.end.complete).toBe(false);
    expect(types(ordersOf(foundDone(uncommitted.resumed())))).toEqual(["commit"]);
  });

  test("does so once, also when the end of the run did not reach the disk", () => {
    const complete = finished(afterAgent(exit(), marked(["A"], [])));
    expect(ordersOf(foundDone(complete.crashed()))).toEqual([]);
  });
});

test("settings that say nothing about it archive", () => {
  expect(config.archive).toBeUndefined();
});
