import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { TestProject } from "../rig/project.ts";

const PROGRESS = ".ralph/shop/progress.txt";

function given(scenario: string, ids: readonly string[] = ["A"], config = ""): TestProject {
  const project = new TestProject();
  project.stories(...ids.map((id) => ({ id })));
  project.config(`agent: scripted\n${config}`);
  project.scenario(scenario);
  project.commitAll();
  return project;
}

/** The entries of the progress log, each as its lines. */
const entries = (project: TestProject): string[][] =>
  project
    .read(PROGRESS)
    .split(/^---$/mu)
    .slice(1)
    .map((text) => text.trim().split("\n"));

const WORK = "{write: {path: work.txt, text: x}}";
const OWN =
  "---\\nIteration: 1\\nDate: 2026-01-01T00:00:00Z\\nStory: A - first\\nStatus: complete\\nLearnings:\\n  - mine\\n";
const CLOSING =
  "---\\nIteration: 2\\nDate: 2026-01-01T00:00:00Z\\nStory: N/A - All complete\\nStatus: ALL STORIES COMPLETE\\nOutput: <promise>COMPLETE</promise>\\n";

describe("who writes", () => {
  test("G1 an entry that the agent wrote is kept, and there is no second one", async () => {
    const project = given(
      `- do: [${WORK}, {append: {path: ${PROGRESS}, text: "${OWN}"}}, {mark: task}, {say: "Learnings:\\n- never twice"}]\n`,
    );
    expect((await project.ralph(["run"])).code).toBe(0);
    const [first, second, ...more] = entries(project);
    expect(first).toEqual(OWN.split("\\n").slice(1, -1));
    expect(second).toContain("Status: ALL STORIES COMPLETE");
    expect(more).toEqual([]);
    expect(project.read(PROGRESS)).not.toContain("never twice");
  });

  test.each([
    [
      "Learnings:",
      "All done.\\n\\nLearnings:\\n- the port is 8080\\n- tests need a database\\n\\nBye.",
    ],
    [
      "## Learnings",
      "## Learnings\\n\\n* the port is 8080\\n* tests need a database\\n\\n## Next\\n- no",
    ],
  ])(
    "G1 where there is none ralph writes it, with the learnings of a block %j",
    async (_, text) => {
      const project = given(`- do: [${WORK}, {mark: task}, {say: "${text}"}]\n`);
      expect((await project.ralph(["run"])).code).toBe(0);
      const [first = []] = entries(project);
      expect(first).toEqual([
        "Iteration: 1",
        expect.stringMatching(/^Date: /u) as string,
        "Story: A - Title of A",
        "Status: complete",
        "Files Changed:",
        "  - work.txt",
        "Learnings:",
        "  - the port is 8080",
        "  - tests need a database",
        expect.stringMatching(/^Run: .+\/1$/u) as string,
      ]);
    },
  );

  test("E4 an agent's commit is named in its entry", async () => {
    const project = given(`- do: [${WORK}, {commit: "feat: A"}, {mark: task}]\n`);
    expect((await project.ralph(["run"])).code).toBe(0);
    const commit = project.git("log", "--format=%H", "--grep=^feat: A$").trim();
    expect(entries(project)[0]).toContain(`Commit: ${commit.slice(0, 12)}`);
  });
});

describe("the closing entry", () => {
  test("E4 is written when all is complete, with the promise, and committed", async () => {
    const project = given(
      `- do: [${WORK}, {mark: task}]\n`,
      ["A", "B"],
      "completion: {promise: FINISHED}\n",
    );
    expect((await project.ralph(["run"])).code).toBe(0);
    const all = entries(project);
    expect(all).toHaveLength(3);
    expect(all[2]).toEqual([
      "Iteration: 2",
      expect.stringMatching(/^Date: /u) as string,
      "Story: N/A - All complete",
      "Status: ALL STORIES COMPLETE",
      "Output: FINISHED",
      expect.stringMatching(/^Run: .+\/2\/closing$/u) as string,
    ]);
    expect(project.git("show", `HEAD:${PROGRESS}`)).toBe(project.read(PROGRESS));
  });

  test("E4 is not written again when the agent has written one", async () => {
    const project = given(
      `- do: [${WORK}, {append: {path: ${PROGRESS}, text: "${OWN}${CLOSING}"}}, {mark: task}]\n`,
    );
    expect((await project.ralph(["run"])).code).toBe(0);
    expect(entries(project)).toHaveLength(2);
  });

  test("E4 is not written while something is open", async () => {
    const project = given(`- do: [${WORK}, {mark: task}]\n`, ["A", "B"]);
    await project.ralph(["run", "-n", "1"]);
    expect(project.read(PROGRESS)).not.toContain("ALL STORIES COMPLETE");
  });
});

describe("the list", () => {
  test("E4 a feature with another name than its folder is a mistake", async () => {
    const project = given(`- do: [${WORK}, {mark: task}]\n`);
    const prd =
      '{\n  "feature": "store",\n  "userStories": [{"id": "A", "title": "T", "passes": false}]\n}\n';
    project.write(".ralph/shop/prd.json", prd);
    const { code, stderr } = await project.ralph(["run"]);
    expect(code).toBe(64);
    expect(stderr).toContain('.ralph/shop/prd.json:2:14: feature is "store"');
    expect(project.read(".ralph/shop/prd.json")).toBe(prd);
  });

  test("E4 a feature is found by the folder one is in, by the branch, and as the only one", async () => {
    const project = given("");
    project.write(
      ".ralph/pay/prd.json",
      '{"userStories": [{"id": "A", "title": "T", "passes": false}]}',
    );
    project.write(".ralph/pay/specs/x.md", "x");
    expect((await project.ralph(["status"])).code).toBe(64);
    const inside = join(project.root, ".ralph", "pay", "specs");
    expect((await project.ralph(["status"], { cwd: inside })).stdout).toMatch(/^pay:/u);
    project.git("switch", "-q", "-c", "feature/shop");
    expect((await project.ralph(["status"])).stdout).toMatch(/^shop:/u);
  });

  test("G3 tasks with nothing but id, title and state are done in the order of the file", async () => {
    const project = given("- do: [{run: 'echo $RALPH_TASK_ID >> order.txt'}, {mark: task}]\n");
    const story = (id: string) => ({ id, title: id, passes: false });
    const userStories = ["Z", "A", "M"].map(story);
    project.write(".ralph/shop/prd.json", JSON.stringify({ userStories }));
    expect((await project.ralph(["run"])).code).toBe(0);
    expect(project.read("order.txt")).toBe("Z\nA\nM\n");
  });
});

describe("without our record", () => {
  const ONE_EACH = "- do: [{run: 'echo $RALPH_TASK_ID >> order.txt'}, {mark: task}]\n";

  test("G7 deleting it loses no work: the rest is done, and nothing twice", async () => {
    const project = given(ONE_EACH, ["A", "B", "C"]);
    expect((await project.ralph(["run", "-n", "1"])).code).toBe(1);
    rmSync(join(project.root, ".git", "ralph"), { recursive: true });
    expect((await project.ralph(["run"])).code).toBe(0);
    expect(project.read("order.txt")).toBe("A\nB\nC\n");
    expect(entries(project)).toHaveLength(4);
  });

  test("G7 a fresh clone goes on from list, progress and git, on the branch of the work", async () => {
    const project = given(ONE_EACH, ["A", "B", "C"]);
    const list = JSON.parse(project.read(".ralph/shop/prd.json")) as object;
    const prd = { feature: "shop", branchName: "feature/shop", ...list };
    project.write(".ralph/shop/prd.json", JSON.stringify(prd, null, 2));
    project.commitAll("with a branch");
    expect((await project.ralph(["run", "-n", "2"])).code).toBe(1);
    project.git("switch", "-q", "main");
    const clone = join(dirname(project.root), "clone");
    execFileSync("git", ["clone", "-q", project.root, clone]);
    execFileSync("git", ["-C", clone, "config", "user.name", "Test"]);
    execFileSync("git", ["-C", clone, "config", "user.email", "test@localhost"]);
    const { code, stdout, stderr } = await project.ralph(["run"], { cwd: clone });
    expect(code, `${stdout}${stderr}`).toBe(0);
    const order = execFileSync("git", ["-C", clone, "show", "feature/shop:order.txt"]);
    expect(order.toString("utf8")).toBe("A\nB\nC\n");
  });
});
