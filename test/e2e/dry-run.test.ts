import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { MARK, shellAgent, untilFile } from "../rig/agents.ts";
import { TestProject } from "../rig/project.ts";

/** Names, kinds, modes, times and bytes of all that is in a folder, in one word. */
function imprint(folder: string): string {
  const hash = createHash("sha256");
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted()) {
    const path = join(folder, name);
    const stat = lstatSync(path, { bigint: true });
    hash.update(`${name}\0${stat.mode}\0${stat.mtimeNs}\0${stat.ctimeNs}\0${stat.size}\0`);
    if (stat.isFile()) hash.update(readFileSync(path));
    if (stat.isSymbolicLink()) hash.update(readlinkSync(path));
  }
  return hash.digest("hex");
}

const STORIES = [
  { id: "S-1", title: "Done before", passes: true },
  { id: "S-2", title: "Later", priority: 2 },
  { id: "S-3", title: "Pay now", priority: 1, acceptanceCriteria: ["money moves"] },
];

function shop(): TestProject {
  const project = new TestProject();
  project.stories(...STORIES);
  shellAgent(project, "touch started; while [ ! -e go ]; do sleep 0.05; done", {
    config: "quality_checks: {tests: 'touch gate-ran'}\ndefaults: {max_iterations: 9}\n",
  });
  project.write(".gitignore", "started\ngo\n");
  project.write(".ralph/shop/progress.txt", "# Progress Log: shop\n");
  project.commitAll();
  // Git would now like to refresh its index: the time is another one, the bytes are not.
  utimesSync(join(project.root, ".gitignore"), new Date(), new Date());
  return project;
}

test("E2 --dry-run shows settings, story, the whole prompt, the command line and the gates", async () => {
  const project = shop();
  const { code, stdout } = await project.ralph(["run", "--dry-run", "-t", "20m"]);
  expect(code).toBe(0);
  expect(stdout).toContain("a new run would start");
  expect(stdout).toMatch(/defaults\.max_iterations +9 +\.ralph\/config\.yaml:3\n/u);
  expect(stdout).toMatch(/defaults\.timeout_minutes +20m +flag --timeout\n/u);
  expect(stdout).toContain("S-3: Pay now (attempt 1)\n1 of 3 tasks done\n");
  expect(stdout).toContain("# One task, then stop\n");
  expect(stdout).toContain("Acceptance criteria:\n- money moves\n");
  expect(stdout).toContain("\n\n./agent.sh\n");
  expect(stdout).toContain("tests: touch gate-ran\n");
});

test("E2 --dry-run changes no byte, no time and no mode of project, .git and home", async () => {
  const project = shop();
  project.write("dirty.txt", "not committed");
  const base = dirname(project.root);
  const before = imprint(base);
  for (const args of [["-v"], ["--json"], ["--detach"], ["-p", "dirty.txt"], ["--reset-circuit"]]) {
    const { code } = await project.ralph(["run", "--dry-run", ...args]);
    expect(code).toBe(0);
  }
  for (const args of [["validate"], ["config"], ["run", "--dry-run", "-f", "nobody"]])
    await project.ralph(args);
  expect(imprint(base)).toBe(before);
  expect(project.exists("started")).toBe(false);
});

test("E2 the prompt it shows is the one the agent gets", async () => {
  const project = shop();
  shellAgent(project, `cat > started; ${MARK}`);
  project.commitAll();
  const { stdout } = await project.ralph(["run", "--dry-run", "--json"]);
  const plan = JSON.parse(stdout) as { prompt: { text: string; begins: string }; argv: string[] };
  await project.ralph(["run", "-n", "1"]);
  expect(plan.prompt.text).toBe(project.read("started"));
  expect(plan.prompt.begins).toBe("templates/prompt.md");
  expect(plan.argv).toEqual(["./agent.sh"]);
});

test("E2 --dry-run --json is one object, also for a list with nothing to do", async () => {
  const project = shop();
  const plan = JSON.parse((await project.ralph(["run", "--dry-run", "--json"])).stdout);
  expect(plan).toMatchObject({
    feature: "shop",
    run: null,
    working: null,
    tasks: { total: 3, done: 1, open: 2 },
    story: { id: "S-3", title: "Pay now", attempt: 1 },
    gates: [{ name: "tests", command: "touch gate-ran", timeoutMs: 900_000 }],
  });
  project.stories({ id: "S-1", passes: true });
  const done = JSON.parse((await project.ralph(["run", "--dry-run", "--json"])).stdout);
  expect(done).toMatchObject({ story: null, prompt: null, tasks: { open: 0 } });
});

test("E2 --dry-run tells the branch that a new run would be brought onto, and stays where it is", async () => {
  const project = shop();
  project.config(
    `${project.read(".ralph/config.yaml")}branch: {auto_create: true, prefix: wip/}\n`,
  );
  const { stdout } = await project.ralph(["run", "--dry-run"]);
  expect(stdout).toContain("on branch wip/shop, which is created where it is missing\n");
  const plan = JSON.parse((await project.ralph(["run", "--dry-run", "--json"])).stdout) as unknown;
  expect(plan).toMatchObject({ branch: "wip/shop" });
  expect(project.git("branch", "--list").trim()).toBe("* main");
});

test("E2 --dry-run works while a run holds the tree, and tells of it; the run is not disturbed", async () => {
  const project = shop();
  const run = project.start(["run", "-n", "1"]);
  await untilFile(project, "started");
  const { code, stdout } = await project.ralph(["run", "--dry-run"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/not now: run \S+ works in this tree/u);
  expect(stdout).toContain("S-3: Pay now");
  project.write("go", "");
  expect((await run.ended).code).toBe(1);
});

test("E2 --dry-run of a run that was stopped says that it goes on, and changes nothing of it", async () => {
  const project = shop();
  const run = project.start(["run"]);
  await untilFile(project, "started");
  run.child.kill("SIGTERM");
  expect((await run.ended).code).toBe(143);
  const base = dirname(project.root);
  const before = imprint(base);
  const { stdout } = await project.ralph(["run", "--dry-run"]);
  expect(stdout).toMatch(/run \S+ would go on/u);
  expect(imprint(base)).toBe(before);
});

test("E2 a mistake is told by --dry-run as by the run, with exit 64", async () => {
  const project = shop();
  project.config("defaults: {max_iterations: none}\n");
  const { code, stderr } = await project.ralph(["run", "--dry-run"]);
  expect(code).toBe(64);
  expect(stderr).toContain(".ralph/config.yaml:1:12: defaults.max_iterations");
});
