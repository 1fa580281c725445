import { readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventsOf, lastEnd } from "../rig/agents.ts";
import { type Ended, TestProject } from "../rig/project.ts";

const GREEN = "agent: scripted\nquality_checks: {right: '! grep -qs wrong work.txt'}\n";
const WORK = "{run: 'echo x >> work.txt'}";

/** A user's repository: three commits, a second branch, a stash, an untracked file; the agent does the steps. */
function given(steps: string, more = ""): TestProject {
  const project = new TestProject();
  project.stories({ id: "A" });
  project.config(GREEN);
  project.write(".gitignore", "ignored.txt\n");
  project.write("code.txt", "one\n");
  project.commitAll("one");
  project.git("branch", "other");
  project.write("code.txt", "two\n");
  project.commitAll("two");
  project.write("code.txt", "stashed\n");
  project.git("stash", "-q");
  project.scenario(
    `- when: {attempt: 1}\n  do: [${steps}]\n${more}- do: [${WORK}, {mark: task}]\n`,
  );
  project.commitAll("three");
  project.write("mine.txt", "the user's, and unknown to git\n");
  project.write("ignored.txt", "the user's, and ignored\n");
  return project;
}

/** A shell command of the agent's as a step. */
const shell = (command: string): string => `{run: ${JSON.stringify(command)}}`;
const head = (project: TestProject): string => project.git("rev-parse", "HEAD").trim();
const branch = (project: TestProject): string => project.git("branch", "--show-current").trim();
const stashes = (project: TestProject): string =>
  project.git("stash", "list", "--format=%H %gs").trim();
const mended = (project: TestProject): string[] =>
  eventsOf(project, "git-mended").flatMap((event) => event["did"] as string[]);
const lastReason = (project: TestProject): string => lastEnd(project).reason;

/** Every commit, stash and file of the user's is there as it was. */
function keeps(project: TestProject): () => void {
  const commits = project.git("rev-list", "--branches").trim().split("\n");
  const stash = stashes(project);
  return () => {
    const held = project.git("rev-list", "--branches", "--tags", "--glob=refs/ralph");
    for (const commit of commits) expect(held).toContain(commit);
    expect(stashes(project)).toContain(stash);
    expect(project.read("mine.txt")).toBe("the user's, and unknown to git\n");
    expect(project.read("ignored.txt")).toBe("the user's, and ignored\n");
    expect(project.git("fsck", "--no-dangling", "--no-progress")).toBe("");
  };
}

function expectNeedsPerson(project: TestProject, ended: Ended, ...words: string[]): void {
  expect(ended.code, `printed: ${ended.stdout}`).toBe(2);
  for (const word of words) expect(lastReason(project)).toContain(word);
}

test("S5 a stale index.lock that an agent's git left is put aside, and the run goes on", async () => {
  const project = given(`${WORK}, ${shell("echo half > .git/index.lock")}, {mark: task}`);
  const keep = keeps(project);
  const { code, stdout } = await project.ralph(["run"]);
  expect(code, `printed: ${stdout}`).toBe(0);
  expect(mended(project).join()).toContain("index.lock");
  const left = readdirSync(join(project.root, ".git")).filter((name) =>
    name.startsWith("index.lock"),
  );
  expect(left).toHaveLength(1);
  expect(left[0]).toMatch(/^index\.lock\.ralph-/u);
  expect(project.git("log", "-1", "--format=%s").trim()).toBe("feat: A - Title of A");
  keep();
});

test("S5 another branch that an agent left checked out is left again; its work comes along", async () => {
  const project = given(
    `${shell("git switch -q -c feature/mine")}, ${WORK}, {commit: "work"}, {mark: task}`,
  );
  const keep = keeps(project);
  const before = head(project);
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(branch(project)).toBe("main");
  expect(mended(project).join()).toContain("main is checked out again");
  project.git("merge-base", "--is-ancestor", before, "HEAD");
  expect(project.git("log", "--format=%s", "main")).toContain("work");
  expect(project.git("branch", "--list", "feature/mine")).not.toBe("");
  keep();
});

test("S5 an older branch that an agent left checked out: back on ours, nothing of either is lost", async () => {
  const project = given(
    shell("git switch -q other && echo y > y.txt && git add y.txt && git commit -q -m elsewhere"),
  );
  const keep = keeps(project);
  const before = head(project);
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(branch(project)).toBe("main");
  expect(project.git("log", "-1", "--format=%s", "other").trim()).toBe("elsewhere");
  project.git("merge-base", "--is-ancestor", before, "main");
  keep();
});

test("S5 a detached HEAD is put back on the branch, and the commits made there are kept", async () => {
  const project = given(
    `${shell("git checkout -q --detach && echo x > work.txt && git add work.txt && git commit -q -m detached")}, {mark: task}`,
  );
  const keep = keeps(project);
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(branch(project)).toBe("main");
  expect(project.git("log", "--format=%s", "main")).toContain("detached");
  keep();
});

test("S5 a detached HEAD on an old commit is put back, and what was committed there has a name", async () => {
  const project = given(
    shell(
      "git checkout -q --detach HEAD~2 && echo x > old.txt && git add old.txt && git commit -q -m aside",
    ),
  );
  const keep = keeps(project);
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(branch(project)).toBe("main");
  expect(project.git("log", "--format=%s", "--glob=refs/ralph/aside")).toContain("aside");
  keep();
});

/** An operation that stops in the middle, and how a person gives it up. */
const OPERATIONS: readonly (readonly [string, string, string])[] = [
  ["merge", "git merge -q fork", "merge"],
  ["rebase", "git rebase -q fork", "rebase"],
  ["cherry-pick", "git cherry-pick fork", "cherry-pick"],
];

test.each(OPERATIONS)(
  "S5 a %s that an agent left in progress stops the run with what to do",
  async (...row) => {
    const [, command, operation] = row;
    const fork =
      "git branch fork other && git switch -q fork && echo fork > code.txt && git commit -qam fork && git switch -q main";
    const project = given(
      `${shell(`${fork} && { ${command} >/dev/null 2>&1; true; }`)}, {mark: task}`,
    );
    const keep = keeps(project);
    const before = head(project);
    expectNeedsPerson(
      project,
      await project.ralph(["run"]),
      `left a ${operation} in progress`,
      `git ${operation} --abort`,
    );
    expect((await project.status()).tasks[0]?.status).toBe("open");
    const again = await project.ralph(["run"]);
    expect(again.code).toBe(64);
    expect(again.stderr).toContain(`a ${operation} is in progress`);
    expect(again.stderr).toContain("--abort");
    project.write(".ralph/shop/prd.json", project.git("show", "HEAD:.ralph/shop/prd.json"));
    project.git(operation, "--abort");
    expect(head(project)).toBe(before);
    expect((await project.ralph(["run"])).code).toBe(0);
    expect(branch(project)).toBe("main");
    keep();
  },
);

test("S5 uncommitted changes that an agent left are the next agent's, and are committed when accepted", async () => {
  const project = given(shell("echo half >> code.txt; echo new > half.txt"));
  const keep = keeps(project);
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(project.outcomes()).toEqual(["progressed", "accepted"]);
  const files = project.git("show", "--format=", "--name-only", "HEAD").trim().split("\n");
  expect(files).toEqual(expect.arrayContaining(["code.txt", "half.txt", "work.txt"]));
  expect(files).not.toContain("mine.txt");
  expect(project.git("status", "--porcelain").trim()).toBe("?? mine.txt");
  keep();
});

test("S5 T6 history that an agent moved back is put back, and its claim does not stand", async () => {
  const project = given(
    `${shell("git reset -q --hard HEAD~1")}, ${WORK}, {mark: task}`,
    `- when: {attempt: 2}\n  do: [${WORK}, {mark: task}]\n`,
  );
  project.write(".ralph/shop/note.txt", "so that the last commit has something\n");
  project.git("add", ".ralph/shop/note.txt");
  project.git("commit", "-q", "-m", "four");
  const keep = keeps(project);
  const before = head(project);
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(project.outcomes()).toEqual(["rejected", "accepted"]);
  project.git("merge-base", "--is-ancestor", before, "main");
  expect(project.read(".ralph/shop/note.txt")).toContain("so that");
  keep();
});

test("S5 T6 a commit that an agent amended away is kept", async () => {
  const project = given(
    `${shell("echo y > y.txt && git add y.txt && git commit -q --amend -m rewritten")}, {mark: task}`,
  );
  const keep = keeps(project);
  const before = head(project);
  await project.ralph(["run", "-n", "1"]);
  expect(project.outcomes()).toEqual(["rejected"]);
  project.git("merge-base", "--is-ancestor", before, "main");
  expect(project.git("log", "--format=%s", "--glob=refs/ralph")).toContain("rewritten");
  keep();
});

test("S5 T6 a branch that an agent deleted under the run is there again", async () => {
  const project = given(shell("git switch -q --detach && git branch -q -D main"));
  const keep = keeps(project);
  const before = head(project);
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(branch(project)).toBe("main");
  project.git("merge-base", "--is-ancestor", before, "main");
  keep();
});

test("S5 T6 an orphan branch without any history stops the run with what to do", async () => {
  const project = given(
    shell(
      "git checkout -q --orphan fresh && git rm -rqf --cached . && git add code.txt && git commit -q -m fresh",
    ),
  );
  const keep = keeps(project);
  const before = head(project);
  // Git refuses to overwrite what the agent left lying about, so a person is told how to go on.
  expectNeedsPerson(project, await project.ralph(["run"]), "git switch main");
  project.git("merge-base", "--is-ancestor", before, "main");
  expect(project.git("log", "--format=%s", "--all")).toContain("fresh");
  keep();
});

test.each([
  ["dropped", "git stash drop -q"],
  ["popped", "git stash pop -q && git checkout -q code.txt"],
  ["cleared", "git stash clear"],
])("S5 a stash that an agent %s is there again", async (_, command) => {
  const project = given(`${shell(command)}, ${WORK}, {mark: task}`);
  const keep = keeps(project);
  const before = stashes(project);
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(stashes(project).split(" ")[0]).toBe(before.split(" ")[0]);
  expect(mended(project).join()).toMatch(/stash/iu);
  keep();
});

test("S5 what an agent adds to the stash stays there, with the user's entry behind it", async () => {
  const project = given(
    `${shell("echo later >> code.txt && git stash -q")}, ${WORK}, {mark: task}`,
  );
  const keep = keeps(project);
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(stashes(project).split("\n")).toHaveLength(2);
  keep();
});

test("S5 a deleted .git/ralph ends the run with a clear message, and the next run works", async () => {
  const project = given(`${WORK}, ${shell("rm -rf .git/ralph")}, {mark: task}`);
  const keep = keeps(project);
  const { code, stdout, stderr } = await project.ralph(["run"]);
  expect(code, `printed: ${stdout}${stderr}`).toBe(74);
  expect(stdout + stderr).not.toContain("defect");
  expect(stderr).toContain("was removed");
  expect(project.processes()).toEqual([]);
  keep();
  const again = await project.ralph(["run"]);
  expect(again.code, `printed: ${again.stdout}${again.stderr}`).toBe(0);
  keep();
});

test("S5 a deleted .git ends the run with a clear message, and leaves the files alone", async () => {
  const project = given(`${WORK}, ${shell("rm -rf .git")}, {mark: task}`);
  const { code, stderr } = await project.ralph(["run"]);
  expect(code).toBe(74);
  expect(stderr).toContain("was removed");
  expect(project.exists(".git")).toBe(false);
  expect(project.read("code.txt")).toBe("two\n");
  expect(project.read("mine.txt")).toBe("the user's, and unknown to git\n");
  expect(project.processes()).toEqual([]);
});

test("S5 the user's untracked and ignored files outlive an agent that changes branches", async () => {
  const project = given(
    `${shell('git switch -q other && echo theirs > ignored.txt && git add -f ignored.txt && git commit -q -m clash && git switch -q main && echo "the user\'s, and ignored" > ignored.txt && git switch -q --detach')}, ${WORK}`,
  );
  const keep = keeps(project);
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(branch(project)).toBe("main");
  keep();
});

test("S5 a repository that git cannot read any more stops the run, and the mark is taken back", async () => {
  const project = given(
    `${WORK}, ${shell("cp .git/config .git/good; echo '[' > .git/config")}, {mark: task}`,
  );
  expectNeedsPerson(project, await project.ralph(["run"]), "git status");
  expect(project.read(".ralph/shop/prd.json")).toContain('"passes": false');
  const again = await project.ralph(["run"]);
  expect(again.code).toBe(64);
  expect(again.stderr).toContain("git status");
  renameSync(join(project.root, ".git", "good"), join(project.root, ".git", "config"));
  expect((await project.ralph(["run"])).code).toBe(0);
  expect(project.git("log", "-1", "--format=%s").trim()).toBe("feat: A - Title of A");
});
