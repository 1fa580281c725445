import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Ended, TestProject } from "../rig/project.ts";

const PRD = `{
  "userStories": [
    {
      "id": "A",
      "title": "first",
      "passes": false
    },
    {
      "id": "B",
      "title": "second",
      "passes": false
    }
  ]
}
`;
const prdPath = ".ralph/shop/prd.json";

function given(files: Record<string, string> = {}): TestProject {
  const project = new TestProject();
  project.write(prdPath, PRD);
  project.scenario(`- do: [{run: 'touch "$HOME/started"'}, {mark: task}]\n`);
  for (const [path, text] of Object.entries(files)) project.write(path, text);
  project.commitAll();
  return project;
}

/** Every file of the project and of its home, with the repository: name, time and content. */
function fingerprint(project: TestProject): string {
  const hash = createHash("sha256");
  for (const base of [project.root, project.home]) {
    for (const name of readdirSync(base, { recursive: true, encoding: "utf8" }).toSorted()) {
      const path = join(base, name);
      const stat = lstatSync(path, { bigint: true });
      hash.update(`${name}\0${stat.mode}\0${stat.mtimeNs}\0`);
      if (stat.isFile()) hash.update(readFileSync(path));
    }
  }
  return hash.digest("hex");
}

/** Refused with one message, and nothing in the world is different. */
async function expectRefused(
  project: TestProject,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Ended> {
  const before = fingerprint(project);
  const end = await project.ralph(args, { env });
  expect(end.code, `${end.stdout}\n${end.stderr}`).toBe(64);
  expect(end.stdout).toBe("");
  expect(end.stderr).toMatch(/^ {2}expected: \S/mu);
  expect(end.stderr).toMatch(/^ {2}to do: \S/mu);
  expect(fingerprint(project), "something was changed").toBe(before);
  expect(project.exists(".git/ralph")).toBe(false);
  expect(existsSync(join(project.home, "started"))).toBe(false);
  return end;
}

/** The blocks of a message: place and problem, expectation, remedy. */
const blocks = (end: Ended): string[] =>
  end.stderr.split(/^(?=\S)/mu).filter((text) => text !== "");

test.each([
  [["run", "--max-iteratons", "5"], "--max-iteratons", "did you mean --max-iterations?"],
  [["run", "--jsno"], "--jsno", "did you mean --json?"],
  [["runn"], "runn", "did you mean run?"],
  [["frobnicate"], "frobnicate", "ralph --help"],
  [["run", "extra"], "too many arguments", "ralph run --help"],
  [["run", "-n"], "-n, --max-iterations", "argument missing"],
  [["run", "-n", "0"], "0", "expected: a whole number above zero"],
  [["run", "-n", "-3"], "-3", "expected: a whole number above zero"],
  [["run", "-n", "five"], "five", "expected: a whole number above zero"],
  [["run", "-n", "1e3"], "1e3", "expected: a whole number above zero"],
  [["run", "-t", "soon"], "soon", "expected: a duration such as 90s, 15m or 2h"],
  [["run", "-t", "0"], "0", "expected: a duration"],
  [["run", "--max-time", "-5m"], "-5m", "expected: a duration"],
  [["run", "--agent", "cluade"], `there is no agent "cluade"`, `did you mean "claude"?`],
  [["run", "-f", "shp"], `there is no feature "shp" here`, `did you mean "shop"?`],
  [["logs", "--last", "many"], "many", "expected: a whole number above zero"],
])("the command line %j is refused with what to do", async (args, problem, remedy) => {
  const end = await expectRefused(given(), args);
  expect(end.stderr).toMatch(/^command line: /u);
  expect(end.stderr).toContain(problem);
  expect(end.stderr).toContain(remedy);
  expect(blocks(end)).toHaveLength(1);
});

test.each([
  [
    "defaults:\n  max_iterations: many\n",
    '2:3: defaults.max_iterations is "many"',
    "a whole number above zero",
  ],
  [
    "defaults:\n  max_iterations: 0\n",
    "2:3: defaults.max_iterations is 0",
    "a whole number above zero",
  ],
  [
    "defaults:\n  timeout_minutes: soon\n",
    '2:3: defaults.timeout_minutes is "soon"',
    "a duration such as",
  ],
  [
    "agent: scripted\ndefaults:\n  max_iteration: 5\n",
    "3:3: defaults.max_iteration is no setting",
    'did you mean "max_iterations"?',
  ],
  [
    "quality_check:\n  a: b\n",
    "1:1: quality_check is no setting",
    'did you mean "quality_checks"?',
  ],
  ["quality_checks:\n  tests: [npm, test]\n", "2:3: quality_checks.tests", "a name and a command"],
  ["agent: cluade\n", '1:1: agent is "cluade"', "one of claude, command, scripted"],
  [
    "agent:\n  name: command\n  comand: x\n",
    "3:3: agent.comand is no setting",
    'did you mean "command"?',
  ],
  [
    "claude: {dangerously_skip_permissions: maybe}\n",
    '1:10: claude.dangerously_skip_permissions is "maybe"',
    "true or false",
  ],
  ["- a\n- b\n", "1:1: the file is", "expected: "],
])("the config %j is refused with place, expectation and remedy", async (text, problem, remedy) => {
  const end = await expectRefused(given({ ".ralph/config.yaml": text }), ["run"]);
  expect(end.stderr).toContain(`.ralph/config.yaml:${problem}`);
  expect(end.stderr).toContain(remedy);
});

test("broken YAML is refused with its place", async () => {
  const end = await expectRefused(
    given({ ".ralph/config.yaml": "agent: scripted\ndefaults: {a: [1\n" }),
    ["run"],
  );
  expect(end.stderr).toMatch(/^\.ralph\/config\.yaml:[23]:\d+: /u);
  expect(end.stderr).toContain("expected: valid YAML");
});

test("the user's own config is named as such", async () => {
  const project = given();
  project.write("../home/.ralph/config.yaml", "promt: 1\n");
  const end = await expectRefused(project, ["run"]);
  expect(end.stderr).toMatch(/^~\/\.ralph\/config\.yaml:1:1: promt is no setting/u);
});

test("several mistakes are told at once", async () => {
  const project = given({
    ".ralph/config.yaml": "defaults: {max_iterations: x}\npromt: 1\n",
    [prdPath]: PRD.replace('"passes": false', '"passes": "no"'),
  });
  const end = await expectRefused(project, ["run"], { MAX_ITERATIONS: "many" });
  const found = blocks(end);
  expect(found).toHaveLength(4);
  for (const block of found)
    expect(block).toMatch(/^\S.*: .*\n {2}expected: .*\n {2}to do: .*\n$/u);
});

test.each([
  [
    "a missing comma",
    PRD.replace('"title": "first",', '"title": "first"'),
    "6:7: a comma is missing before this",
    "valid JSON",
  ],
  [
    "a comma too many",
    PRD.replace('"passes": false\n    }\n  ]', '"passes": false,\n    }\n  ]'),
    "12:5: ",
    "valid JSON",
  ],
  [
    "a wrong type",
    PRD.replace('"passes": false', '"passes": "no"'),
    '6:17: userStories[0].passes is "no"',
    "true or false",
  ],
  [
    "a missing key",
    PRD.replace('      "title": "second",\n', ""),
    "8:5: userStories[1].title is missing",
    "a text in double quotes",
  ],
  [
    "an id used twice",
    PRD.replace('"B"', '"A"'),
    '9:13: the id "A" is used twice',
    "a different id for each story",
  ],
  [
    "an unknown dependency",
    PRD.replace('"title": "second"', '"dependsOn": ["X"], "title": "second"'),
    '10:20: "B" depends on "X", which is not in the list',
    "ids of other stories",
  ],
  [
    "no stories",
    '{"userStories": []}\n',
    "userStories is empty: there is nothing to do",
    "at least one story",
  ],
  ["no list at all", "{}\n", "1:1: userStories is missing", "a list of stories"],
  ["something else", "[1, 2]\n", "1:1: the file", 'an object with "userStories"'],
  ["nothing in it", "", "1:1: ", "valid JSON"],
  ["half of it", PRD.slice(0, 60), "", "valid JSON"],
])("T7 a task list with %s is refused with its place", async (_, text, problem, expected) => {
  const end = await expectRefused(given({ [prdPath]: text }), ["run"]);
  expect(end.stderr).toContain(`.ralph/shop/prd.json:`);
  expect(end.stderr).toContain(problem);
  expect(end.stderr).toContain(`expected: ${expected}`);
  expect(blocks(end)).toHaveLength(1);
});

test("T7 a project without a task list is refused with what to create", async () => {
  const project = new TestProject();
  project.write("README.md", "hello\n");
  project.commitAll();
  const end = await expectRefused(project, ["run"]);
  expect(end.stderr).toContain(".ralph/NAME with a prd.json");
  const named = await expectRefused(project, ["run", "-f", "shop"]);
  expect(named.stderr).toContain("ralph init shop");
});

test("T7 two features and no name: both are named", async () => {
  const project = given({ ".ralph/blog/prd.json": PRD });
  const end = await expectRefused(project, ["run"]);
  expect(end.stderr).toContain("one of: blog, shop");
  expect(end.stderr).toContain("-f blog");
});

test.each(["status", "logs", "why"])(
  "%s of an unknown feature is refused as well",
  async (command) => {
    const end = await expectRefused(given(), [command, "-f", "shp"]);
    expect(end.stderr).toContain(`did you mean "shop"?`);
  },
);

test("--json tells a refusal as one object too", async () => {
  const { code, stdout, stderr } = await given({ [prdPath]: "{" }).ralph(["run", "--json"]);
  expect(code).toBe(64);
  expect(JSON.parse(stdout)).toMatchObject({ reason: "bad-input", exitCode: 64 });
  expect(stderr).toContain("prd.json:1:2");
});

test("a variable of the environment is checked like a flag", async () => {
  for (const env of [{ MAX_ITERATIONS: "0" }, { TIMEOUT_MINUTES: "soon" }]) {
    const end = await expectRefused(given(), ["run"], env);
    expect(end.stderr).toContain(
      `environment: ${Object.keys(env)[0]} is "${Object.values(env)[0]}"`,
    );
    expect(end.stderr).toContain("unset");
  }
});

test("help about an unknown command names the commands there are", async () => {
  const { code, stderr } = await new TestProject().ralph(["help", "stauts"]);
  expect(code).toBe(64);
  expect(stderr).toContain("unknown command 'stauts'");
  expect(stderr).toContain("did you mean status?");
});

test("status says that it cannot read a task list, and run says why", async () => {
  const project = new TestProject();
  project.write(".ralph/shop/prd.json", '{"userStories": [{"id": "A" "title": "t"}]}');
  const { stderr } = await project.ralph(["status"]);
  expect(stderr).toContain(".ralph/shop/prd.json has no task that can be read; `ralph run` says");
  expect((await project.ralph(["run"])).stderr).toContain(".ralph/shop/prd.json:1:");
});
