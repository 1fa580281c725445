import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { cli, type Ended, TestProject } from "../rig/project.ts";

/** Every file below a folder, by its path from there. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((name) => !name.startsWith(".git/"))
    .toSorted();
}

/** The same with folders. */
const everythingIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();

/** Root may write anywhere, so the folders get another owner. */
function giveAway(folder: string, uid: number): void {
  for (const name of ["", ...everythingIn(folder)]) chownSync(join(folder, name), uid, uid);
}

const MADE = [
  ".ralph/config.yaml",
  ".ralph/schemas/config.schema.json",
  ".ralph/schemas/prd.schema.json",
  ".ralph/shop/prd.json",
  ".ralph/shop/progress.txt",
  ".ralph/shop/prompt.md",
  ".ralph/shop/specs/.gitkeep",
];

/** Exit 64 with these words, and not a byte was written. */
function expectRefused(project: TestProject, before: readonly string[], end: Ended, words: RegExp) {
  expect(end.code, `${end.stdout}${end.stderr}`).toBe(64);
  expect(end.stderr).toMatch(words);
  expect(end.stderr).toContain("to do: ");
  expect(filesIn(project.root)).toEqual(before);
}

describe("a new feature", () => {
  test("E1 init makes the list, an empty progress log, a prompt, specs, settings and schemas, and says what is next", async () => {
    const project = new TestProject();
    const { code, stdout } = await project.ralph(["init", "shop"]);
    expect(code).toBe(0);
    expect(filesIn(project.root)).toEqual(MADE);
    const prd = JSON.parse(project.read(".ralph/shop/prd.json")) as Record<string, unknown>;
    expect(prd).toMatchObject({
      $schema: "../schemas/prd.schema.json",
      feature: "shop",
      branchName: "feature/shop",
      userStories: [{ id: "STORY-001", passes: false, priority: 1 }],
    });
    expect(prd["createdAt"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/u);
    expect(project.read(".ralph/shop/progress.txt")).toBe("");
    const prompt = project.read(".ralph/shop/prompt.md");
    expect(prompt).toContain(".ralph/shop/prd.json");
    expect(prompt).not.toContain("{{");
    expect(project.read(".ralph/config.yaml")).toMatch(
      /^# yaml-language-server: \$schema=schemas\/config\.schema\.json\n/u,
    );
    const next = stdout.slice(stdout.indexOf("Next:"));
    expect(next.split("\n")).toEqual([
      "Next:",
      "  1. write down what is to be done: .ralph/shop/prd.json",
      "  2. say how good work is told from bad: quality_checks in .ralph/config.yaml",
      "  3. ralph validate -f shop",
      "  4. ralph run -f shop",
      "",
    ]);
  });

  test("E1 who has named checks already is not told to", async () => {
    const project = new TestProject();
    project.config("quality_checks: {tests: 'true'}\n");
    const { stdout } = await project.ralph(["init", "shop"]);
    expect(stdout).toContain("  2. ralph validate -f shop\n");
    expect(stdout).not.toContain("quality_checks");
  });

  test("E1 a list that is still to be written is not run", async () => {
    const project = new TestProject();
    await project.ralph(["init", "shop"]);
    const { code, stderr } = await project.ralph(["run"]);
    expect(code).toBe(64);
    expect(stderr).toMatch(/\.ralph\/shop\/prd\.json:\d+/u);
    expect(stderr).toContain("TODO");
  });

  test("E1 once it is written the feature runs to the end on its branch", async () => {
    const project = new TestProject();
    await project.ralph(["init", "shop"]);
    const prd = JSON.parse(project.read(".ralph/shop/prd.json")) as { userStories: unknown[] };
    prd.userStories = [{ id: "A", title: "first", passes: false }];
    project.write(".ralph/shop/prd.json", JSON.stringify(prd, null, 2));
    project.scenario("- do: [{write: {path: work.txt, text: x}}, {mark: task}]\n");
    const end = await project.ralph(["run", "--agent", "scripted"]);
    expect(end.code, `${end.stdout}${end.stderr}`).toBe(0);
    expect(project.git("branch", "--show-current").trim()).toBe("feature/shop");
    expect(project.git("ls-files")).toContain("work.txt");
  });

  test("E1 --tdd takes the prompt that asks for tests first", async () => {
    const project = new TestProject();
    await project.ralph(["init", "shop"]);
    await project.ralph(["init", "pay", "--tdd"]);
    const [usual, tdd] = ["shop", "pay"].map((name) => project.read(`.ralph/${name}/prompt.md`));
    expect(tdd).not.toBe(usual);
    expect(tdd).toMatch(/test/iu);
    expect(tdd).not.toContain("{{");
  });

  test("E1 settings and schemas that are there stay as they are", async () => {
    const project = new TestProject();
    project.config("branch: {prefix: work/}\n");
    project.write(".ralph/schemas/prd.schema.json", "{}\n");
    const { code } = await project.ralph(["init", "shop"]);
    expect(code).toBe(0);
    expect(project.read(".ralph/config.yaml")).toBe("branch: {prefix: work/}\n");
    expect(project.read(".ralph/schemas/prd.schema.json")).toBe("{}\n");
    expect(JSON.parse(project.read(".ralph/shop/prd.json"))).toMatchObject({
      branchName: "work/shop",
    });
  });
});

describe("places", () => {
  test("E1 without git it works, and says that git init helps", async () => {
    const project = new TestProject({ git: false });
    const { code, stdout } = await project.ralph(["init", "shop"]);
    expect(code).toBe(0);
    expect(stdout).toContain("git init");
    expect(filesIn(project.root)).toEqual(MADE);
  });

  test("E1 in a subfolder it goes to the top of the repository, and says where", async () => {
    const project = new TestProject();
    project.write("packages/one/file.txt", "x");
    const { code, stdout } = await project.ralph(["init", "shop"], {
      cwd: join(project.root, "packages", "one"),
    });
    expect(code).toBe(0);
    expect(stdout).toContain(`in ${project.root}`);
    expect(filesIn(project.root)).toEqual([...MADE, "packages/one/file.txt"]);
  });

  test.each([".", ".ralph", ".ralph/schemas"])(
    "E1 S7 where %s cannot be written it says so with exit 74, and nothing is half-made",
    (closed) => {
      const project = new TestProject({ git: false });
      const folder = join(project.root, closed);
      mkdirSync(folder, { recursive: true });
      const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
      if (user.uid !== undefined) giveAway(dirname(project.root), user.uid);
      chmodSync(folder, 0o555);
      const before = everythingIn(project.root);
      const { status, stderr } = spawnSync(process.execPath, [cli, "init", "shop"], {
        cwd: project.root,
        env: project.environment(),
        encoding: "utf8",
        ...user,
      });
      chmodSync(folder, 0o755);
      expect(status, `said: ${stderr}`).toBe(74);
      expect(stderr).toMatch(/^nothing was made, this folder cannot be written: EACCES/u);
      expect(everythingIn(project.root)).toEqual(before);
    },
  );

  test("E1 in the home folder it makes no feature among the settings of all projects", async () => {
    const project = new TestProject({ git: false });
    const end = await project.ralph(["init", "shop"], { env: { HOME: project.root } });
    expectRefused(project, [], end, /home folder/u);
  });
});

describe("refused", () => {
  test.each([
    "../x",
    "a;b",
    "a b",
    "a/b",
    "a\nb",
    "é",
    "a".repeat(101),
    "archive",
    "schemas",
    "templates",
    "ralph-3",
    ".x",
    "-x",
    "",
  ])("E1 S6 the name %j", async (name) => {
    const project = new TestProject();
    const end = await project.ralph(["init", "--", name]);
    expectRefused(project, [], end, /name of a feature/u);
  });

  test("E1 a feature that is there already", async () => {
    const project = new TestProject();
    await project.ralph(["init", "shop"]);
    project.write(".ralph/shop/prd.json", "mine");
    expectRefused(project, MADE, await project.ralph(["init", "shop"]), /already/u);
    expect(project.read(".ralph/shop/prd.json")).toBe("mine");
  });

  test.each([".ralph", ".ralph/shop", ".ralph/schemas"])(
    "E1 a file in the way: %s",
    async (path) => {
      const project = new TestProject();
      project.write(path, "mine");
      expectRefused(project, [path], await project.ralph(["init", "shop"]), /something else/u);
    },
  );

  test("E1 settings with a mistake are named before anything is made", async () => {
    const project = new TestProject();
    project.config("brunch: 1\n");
    const end = await project.ralph(["init", "shop"]);
    expectRefused(project, [".ralph/config.yaml"], end, /config\.yaml:1/u);
  });
});

/** A program called gh that notes its arguments and then does this. */
function withGh(project: TestProject, script: string): { env: Record<string, string> } {
  const folder = join(project.home, "bin");
  mkdirSync(folder, { recursive: true });
  const note = 'for word in "$@"; do printf "%s\\n" "$word"; done > "$HOME/gh-arguments"';
  writeFileSync(join(folder, "gh"), `#!/bin/sh\n${note}\n${script}\n`, { mode: 0o755 });
  return { env: { PATH: `${folder}${delimiter}${process.env["PATH"] ?? ""}` } };
}

const ISSUE = {
  number: 42,
  title: "Pagination for the gear list",
  url: "https://github.com/me/shop/issues/42",
  body: [
    "We need pages.",
    "",
    "- [ ] Page parameters",
    "  - page starts at 1",
    "  - size is at most 100",
    "- [x] Database index",
    "",
    "## Acceptance criteria",
    "- the list is quick",
  ].join("\r\n"),
  comments: [{ author: { login: "ada" }, body: "And please:\n- [ ] Total count in the answer" }],
  labels: [{ name: "feature" }],
};

describe("from an issue", () => {
  const from = ["init", "shop", "--from-issue", ISSUE.url];

  test("E1 its task lists become stories, and all that was said is kept in specs", async () => {
    const project = new TestProject();
    writeFileSync(join(project.home, "issue.json"), JSON.stringify(ISSUE));
    const end = await project.ralph(from, withGh(project, 'cat "$HOME/issue.json"'));
    expect(end.code, `said: ${end.stderr}`).toBe(0);
    expect(end.stdout).toContain("3 stories");
    const { description, userStories } = JSON.parse(project.read(".ralph/shop/prd.json")) as {
      description: string;
      userStories: Record<string, unknown>[];
    };
    expect(description).toBe(ISSUE.title);
    expect(userStories).toMatchObject([
      {
        id: "STORY-001",
        title: "Page parameters",
        acceptanceCriteria: ["page starts at 1", "size is at most 100"],
        passes: false,
      },
      { id: "STORY-002", title: "Database index", passes: false },
      {
        id: "STORY-003",
        title: "Total count in the answer",
        acceptanceCriteria: ["the list is quick"],
      },
    ]);
    expect(userStories[1]?.["notes"]).toMatch(/ticked/u);
    const spec = project.read(".ralph/shop/specs/issue-42.md");
    for (const words of ["We need pages.", "ada", "And please:", ISSUE.url, "feature"])
      expect(spec).toContain(words);
    project.config("agent: { name: command, command: cat }\n");
    const checked = await project.ralph(["validate", "-f", "shop"]);
    expect(checked.code, `said: ${checked.stdout}${checked.stderr}`).toBe(0);
  });

  test("E1 an issue without a task list is one story, by its number as by its address", async () => {
    const project = new TestProject();
    const plain = { ...ISSUE, body: "Please.", comments: [], labels: [] };
    writeFileSync(join(project.home, "issue.json"), JSON.stringify(plain));
    const gh = withGh(project, 'cat "$HOME/issue.json"');
    const end = await project.ralph(["init", "shop", "--from-issue", "42"], gh);
    expect(end.code, `said: ${end.stderr}`).toBe(0);
    expect(end.stdout).toMatch(/1 story from the issue[\s\S]+look the stories through/u);
    expect(JSON.parse(project.read(".ralph/shop/prd.json"))).toMatchObject({
      userStories: [{ id: "STORY-001", title: ISSUE.title, passes: false }],
    });
  });

  test("E1 S6 gh gets the address as one argument, and no shell sees it", async () => {
    const project = new TestProject();
    writeFileSync(join(project.home, "issue.json"), JSON.stringify(ISSUE));
    const gh = withGh(project, 'cat "$HOME/issue.json"');
    const odd = "https://github.com/me/shop/issues/42#$(touch${IFS}pwned)";
    expect((await project.ralph(["init", "shop", "--from-issue", odd], gh)).code).toBe(0);
    const args = spawnSync("cat", [join(project.home, "gh-arguments")], { encoding: "utf8" });
    expect(args.stdout.split("\n").slice(0, 4)).toEqual(["issue", "view", odd, "--json"]);
    expect(existsSync(join(project.root, "pwned"))).toBe(false);
  });

  const SIGNED_OUT = "To get started with GitHub CLI, please run:  gh auth login";
  const failures: [string, string, RegExp][] = [
    ["signed out", `echo "${SIGNED_OUT}" >&2; exit 4`, /signed out[\s\S]+gh auth login/u],
    [
      "not found",
      'echo "GraphQL: Could not resolve to an issue or pull request with the number of 42." >&2; exit 1',
      /no such issue/u,
    ],
    [
      "no network",
      'echo "error connecting to api.github.com" >&2; echo "check your internet connection" >&2; exit 1',
      /cannot be reached/u,
    ],
    ["anything else", 'echo "it is raining" >&2; exit 1', /it is raining/u],
    ["an answer that is no issue", "echo '[1]'", /no issue/u],
  ];
  test.each(failures)("E1 %s: one message, and nothing is written", async (_, script, words) => {
    const project = new TestProject();
    expectRefused(project, [], await project.ralph(from, withGh(project, script)), words);
  });

  test("E1 without gh it says where to get it", async () => {
    const project = new TestProject();
    const end = await project.ralph(from, { env: { PATH: join(project.home, "none") } });
    expectRefused(project, [], end, /not on your PATH[\s\S]+cli\.github\.com/u);
  });

  test.each(["--web", "me/shop", "https://github.com/me/shop", "4 2"])(
    "E1 S6 %j is no issue, and gh is not asked",
    async (reference) => {
      const project = new TestProject();
      const gh = withGh(project, "exit 0");
      const end = await project.ralph(["init", "shop", `--from-issue=${reference}`], gh);
      expectRefused(project, [], end, /address of an issue/u);
      expect(existsSync(join(project.home, "gh-arguments"))).toBe(false);
    },
  );
});
