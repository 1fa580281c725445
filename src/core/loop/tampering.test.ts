import { describe, expect, test } from "vitest";
import {
  afterAgent,
  change,
  edited,
  exit,
  finding,
  finished,
  git,
  given,
  marked,
  reading,
  task,
  worked,
} from "../../../test/given.ts";
import type { ProjectChange } from "../schema/event.ts";
import { findingWords, listDamage, names, tamperLines } from "./tampering.ts";

const changed = (more: Partial<ProjectChange["changes"]>): ProjectChange =>
  change({ changes: { ...change().changes, ...more } });

describe("the list is put back", () => {
  test.each([
    [
      "broken",
      change({ problem: "prd.json:1: no JSON" }),
      "the task list was left unreadable (prd.json:1: no JSON)",
    ],
    ["without a task", changed({ removed: [task("B")] }), "tasks were removed from the list (B)"],
    [
      "with another title",
      edited([], ["A", "B"]),
      'the task list was edited (A title: "Pay" → "Pay later")',
    ],
    [
      "with another frame",
      changed({ listEdits: ["keys beside the stories", "the order of the stories"] }),
      "the task list was edited (keys beside the stories; the order of the stories)",
    ],
    [
      "with more marks than are named",
      changed({ finishedCount: 31, finished: [task("A")] }),
      "31 tasks were marked done in one iteration",
    ],
  ])("when it is left %s", (_, left, words) => {
    expect(listDamage(left)).toBe(words);
    afterAgent(exit(), left).decides({ type: "restore-tasks", why: words });
  });

  test.each([
    ["marks", marked(["A"], ["B"])],
    ["new tasks", changed({ added: [task("N")] })],
    ["reopened tasks", changed({ reopened: [task("X")] })],
    ["empty lists of edits", changed({ edited: [], listEdits: [] })],
  ])("but not for %s", (_, left) => {
    expect(listDamage(left)).toBeUndefined();
  });

  test("and what is told of many edits is bounded", () => {
    const edits = Array.from({ length: 5 }, (_, i) => ({ id: task(`T${i}`).id, what: "title" }));
    expect(listDamage(changed({ edited: edits }))).toBe(
      "the task list was edited (T0 title; T1 title; T2 title)",
    );
  });
});

describe("the person's files are put back", () => {
  const before = reading({ guarded: { settings: "s0", prompt: "p0" } });

  test.each([
    ["changed", { settings: "s1", prompt: "p0" }, "settings"],
    ["deleted", { prompt: "p0" }, "settings"],
    ["changed", { settings: "s0", prompt: "p1" }, "prompt"],
  ] as const)("when one is %s", (_, guarded, file) => {
    afterAgent(exit(), worked({ guarded }), given(), { before }).decides({
      type: "restore-file",
      file,
    });
  });

  test("when one is new", () => {
    const none = { before: reading({ guarded: {} }) };
    afterAgent(exit(), worked({ guarded: { prompt: "p1" } }), given(), none).decides({
      type: "restore-file",
      file: "prompt",
    });
  });

  test("each once, and without a claim this is a rejected iteration all the same", () => {
    const now = afterAgent(exit(), worked({ guarded: {} }), given(), { before })
      .answered({ type: "file-restored", file: "settings", keptAside: "x" })
      .decides({ type: "restore-file", file: "prompt" })
      .answered({ type: "file-restored", file: "prompt", keptAside: "y" })
      .decides({ type: "write-memory" });
    expect(finished(now).state.last?.end).toMatchObject({ outcome: "rejected", accepted: [] });
    expect(now.state.aside).toEqual({ tasks: undefined, settings: "x", prompt: "y" });
  });

  test("but not where an older version has not looked at them", () => {
    afterAgent(exit(), worked({ guarded: { settings: "s1" } })).decides({ type: "write-memory" });
  });
});

describe("the repository is mended first", () => {
  test.each([
    [
      "another branch",
      { git: git({ branch: "side" }) },
      "the agent left the repository on the branch side instead of main",
    ],
    [
      "no branch",
      { git: { head: "c0", dirty: 0 } },
      "the agent left the repository on no branch instead of main",
    ],
    ["lost commits", { dropped: 1 }, "the agent took commits out of the history"],
    ["a lock", { git: git({ locked: true }) }, "a git that died has left its lock"],
    ["another stash", { git: git({ stash: ["s1"] }) }, "the agent changed the stash"],
    ["lost refs", { lostRefs: 1 }, "the agent removed or moved branches or tags"],
    [
      "lost refs in the middle of a merge",
      { lostRefs: 2, git: git({ operation: "merge" }) },
      "the agent removed or moved branches or tags",
    ],
  ] as const)("%s", (_, more, why) => {
    const broken = { ...change().changes, removed: [task("A")] };
    afterAgent(exit(), change({ ...more, changes: broken }))
      .decides({ type: "mend-git", why })
      .answered({ type: "git-mended", did: ["mended"] })
      .answered({ type: "project-inspected", change: change({ changes: broken }) })
      .decides({ type: "restore-tasks" });
  });

  test("but not where it was like that before", () => {
    const locked = reading({ git: git({ locked: true, stash: ["s1"] }) });
    const left = worked({ git: git({ locked: true, stash: ["s1"] }) });
    afterAgent(exit(), left, given(), { before: locked }).decides({ type: "write-memory" });
  });

  test("but not where there was no branch to go back to", () => {
    const detached = reading({ git: { head: "c0", dirty: 0 } });
    afterAgent(exit(), worked(), given(), { before: detached }).decides({ type: "write-memory" });
  });

  test("also in the middle of a merge, so that lost commits are kept before a person ends it", () => {
    const left = worked({ git: git({ operation: "merge" }), dropped: 1 });
    const problem = "the agent left a merge in progress: finish it";
    const now = afterAgent(exit(), left)
      .decides({ type: "mend-git", why: "the agent took commits out of the history" })
      .answered({ type: "git-mended", did: ["kept"], problem })
      .answered({ type: "project-inspected", change: left });
    expect(finished(now).state.last?.end).toMatchObject({
      outcome: "needs-human",
      blocked: true,
      reason: problem,
    });
  });

  test("but not in the middle of a merge, which is a person's to end", () => {
    const left = worked({ git: git({ branch: "side", operation: "merge" }) });
    afterAgent(exit(), left).decides({ type: "write-memory" });
  });

  test("and once in an iteration", () => {
    const lost = worked({ dropped: 1 });
    const now = afterAgent(exit(), lost)
      .answered({ type: "git-mended", did: [] })
      .answered({ type: "project-inspected", change: lost })
      .decides({ type: "write-memory" });
    expect(finished(now).state.last?.end).toMatchObject({ outcome: "needs-human", blocked: true });
  });

  test("and a claim stands where branches were mended, or one has only grown", () => {
    const left = worked({ lostRefs: 1 });
    const now = afterAgent(exit(), left)
      .answered({ type: "git-mended", did: ["other is back."] })
      .answered({ type: "project-inspected", change: left });
    const plain = finished(afterAgent(exit(), worked())).state.last?.end.outcome;
    expect(finished(now).state.last?.end.outcome).toBe(plain);
  });

  test("and lost history is told even where the mending has no words for it", () => {
    const now = afterAgent(exit(), worked({ dropped: 1 })).answered({
      type: "git-mended",
      did: [],
    });
    expect(finished(now).state.last?.end).toMatchObject({
      outcome: "rejected",
      reason: "the agent took commits out of the history; they were put back",
    });
  });
});

test("findings are named, three of them", () => {
  const all = ["a", "b", "c", "d", "e"].map((path) => finding(path));
  expect(findingWords(all)).toBe(
    "2 tests removed (a), 2 tests removed (b), 2 tests removed (c) and 2 more; undo it, or a person accepts it with `ralph accept-edits`",
  );
});

test("what is shown of the diff is bounded", () => {
  const many = Array.from({ length: 30 }, (_, i) => finding(`t${i}`));
  const now = afterAgent(exit(), { ...edited([], ["A", "B"]), findings: many });
  expect(now.state.current).toBeDefined();
  const lines = now.state.current === undefined ? [] : tamperLines(now.state.current);
  expect(lines).toHaveLength(20);
  expect(lines[0]).toBe('A: title: "Pay" → "Pay later"');
});

test("names are bounded", () => {
  expect(names(["a", "b"].map(task))).toBe("a, b");
  expect(names(Array.from({ length: 8 }, (_, i) => task(`${i}`)))).toBe("0, 1, 2, 3, 4 and 3 more");
});
