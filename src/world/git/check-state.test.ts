import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { TestRepository } from "../../../test/rig/repository.ts";
import { checkGitState, operationOf } from "./check-state.ts";

function holding(...names: string[]): TestRepository {
  const it = new TestRepository();
  for (const name of names) {
    const path = join(it.tree, ".git", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, name === "sequencer/todo" ? "revert 1234567 Text\n" : "");
  }
  return it;
}

test.each<[string | undefined, string[]]>([
  [undefined, []],
  ["merge", ["MERGE_HEAD"]],
  ["rebase", ["rebase-merge/done"]],
  ["rebase", ["rebase-apply/next"]],
  ["am", ["rebase-apply/applying"]],
  ["cherry-pick", ["CHERRY_PICK_HEAD"]],
  ["revert", ["REVERT_HEAD"]],
  ["revert", ["sequencer/todo"]],
  ["bisect", ["BISECT_LOG"]],
  ["rebase", ["MERGE_HEAD", "rebase-merge/done", "CHERRY_PICK_HEAD"]],
])("the operation in progress is %s by %j", (operation, names) => {
  const it = holding(...names);
  expect(operationOf(it.host, it.repository())).toBe(operation);
});

test("an operation in progress stops a run before it starts", () => {
  const it = holding("MERGE_HEAD");
  const status = { head: undefined, branch: "main", dirty: [] };
  expect(checkGitState(it.host, it.repository(), status)).toMatchObject([
    {
      severity: "stops",
      problem: "a merge is in progress",
      remedy: "finish or give it up first: git merge --continue or git merge --abort",
    },
  ]);
});
