import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { eventsSoFar, logText } from "../rig/killing.ts";
import { type Ended, TestProject } from "../rig/project.ts";

const FILL = "dd if=/dev/zero of=FOLDER/fill bs=1k 2> /dev/null; true";
/** Set where this file runs itself in a namespace in which it may mount. */
const INSIDE = "RALPH_TEST_NAMESPACE";

function tryMount(): boolean {
  const folder = join(tmpdir(), `ralph-mount-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  const mounted = spawnSync("mount", ["-t", "tmpfs", "tmpfs", folder]).status === 0;
  if (mounted) execFileSync("umount", [folder]);
  rmSync(folder, { recursive: true });
  return mounted;
}

const canMount = process.platform === "linux" && tryMount();

/** A disk of its own for one folder of the project. */
function mountAt(project: TestProject, path: string, size: string): string {
  const folder = join(project.root, path);
  mkdirSync(folder, { recursive: true });
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size},mode=0700`, "tmpfs", folder]);
  onTestFinished(() => {
    project.killAll();
    execFileSync("umount", ["--lazy", folder]);
  });
  return folder;
}

/** Named in full: otherwise mount passes on the old options, which a namespace does not accept. */
function remount(folder: string, options: string): void {
  execFileSync("mount", ["-o", `remount,${options}`, "tmpfs", folder]);
}

function given(scenario: string): TestProject {
  const project = new TestProject();
  project.config("agent: scripted\nquality_checks: {there: '! grep -qs wrong work.txt'}\n");
  project.stories({ id: "A" }, { id: "B" });
  project.scenario(scenario);
  return project;
}

function expectDiskEnd(project: TestProject, end: Ended, words: RegExp): void {
  expect(end.code, `${end.stdout}\n${end.stderr}`).toBe(74);
  expect(end.stdout + end.stderr).toMatch(words);
  expect(end.stderr).not.toContain("defect");
  expect(project.processes()).toEqual([]);
  const names = readdirSync(project.root, { recursive: true, encoding: "utf8" });
  expect(names.filter((name) => name.endsWith(".ralph-tmp") || name.endsWith(".tmp"))).toEqual([]);
  // Every line can be read, and a list of tasks is either the old or the new one.
  const seqs = eventsSoFar(project).map(({ seq }) => seq);
  expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  expect(logText(project)).toMatch(/(?:^|\n)$/u);
  expect(() => JSON.parse(project.read(".ralph/shop/prd.json"))).not.toThrow();
}

/** The same run goes on to the end, and nothing is done twice. */
async function expectGoesOn(project: TestProject, run: string | undefined): Promise<void> {
  const { code, stdout, stderr } = await project.ralph(["run"]);
  expect(code, `${stdout}\n${stderr}`).toBe(0);
  const events = eventsSoFar(project);
  expect(new Set(events.map((event) => event.run)).size).toBe(1);
  expect(run ?? events[0]?.run).toBe(events[0]?.run);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  const accepted = events.filter(
    ({ type, end }) =>
      type === "iteration-ended" && (end as { outcome: string }).outcome === "accepted",
  );
  expect(accepted).toHaveLength(2);
}

const DO_IT = `
- do: [{write: {path: work.txt, text: right}}, {mark: task}]
`;
const fillOnce = (folder: string): string =>
  `
- when: {task: A, attempt: 1}
  do: [{write: {path: work.txt, text: right}}, {mark: task}, {run: '${FILL.replace("FOLDER", folder)}'}, {stream: "some more output\\n"}]
${DO_IT.trim()}
`;

describe.runIf(canMount)("with a small disk", () => {
  test("S7 the disk of the record fills up under an agent: exit 74, a whole log, and the same run goes on", async () => {
    const project = given(fillOnce(".git/ralph"));
    project.commitAll();
    const record = mountAt(project, ".git/ralph", "1600k");
    const end = await project.ralph(["run"]);
    expectDiskEnd(project, end, /no space left on device/u);
    const [first] = eventsSoFar(project);
    expect(eventsSoFar(project).at(-1)).toMatchObject({ type: "run-ended", reason: "disk" });
    expect((await project.ralph(["why"])).stdout).toContain("Make room on the disk");
    expect((await project.status()).end).toMatchObject({ reason: "disk", exitCode: 74 });
    rmSync(join(record, "fill"));
    await expectGoesOn(project, first?.run);
  });

  test("S7 the disk of the record is full before the start: said, and nothing is begun", async () => {
    const project = given(DO_IT);
    project.commitAll();
    const record = mountAt(project, ".git/ralph", "64k");
    spawnSync("sh", ["-c", FILL.replace("FOLDER", record)]);
    const end = await project.ralph(["run", "--json"]);
    expectDiskEnd(project, end, /no space left on device/u);
    expect(JSON.parse(end.stdout)).toMatchObject({ reason: "disk", exitCode: 74 });
    expect(project.exists("work.txt")).toBe(false);
    rmSync(join(record, "fill"));
    remount(record, "size=8m");
    await expectGoesOn(project, undefined);
  });

  test("S7 no room for the reserve of a new run: said, and the next start works", async () => {
    const project = given(DO_IT);
    project.commitAll();
    const record = mountAt(project, ".git/ralph", "512k");
    expectDiskEnd(project, await project.ralph(["run"]), /no space left on device/u);
    remount(record, "size=8m");
    await expectGoesOn(project, undefined);
  });

  test("S7 the record is read-only: said, and nothing is begun", async () => {
    const project = given(DO_IT);
    project.commitAll();
    const record = mountAt(project, ".git/ralph", "8m");
    remount(record, "ro");
    expectDiskEnd(project, await project.ralph(["run"]), /read-only file system/u);
    expect(project.exists("work.txt")).toBe(false);
    remount(record, "rw");
    await expectGoesOn(project, undefined);
  });

  test("S7 the project's disk fills up: the list stays whole, and the same run goes on", async () => {
    const project = given(fillOnce(".ralph/shop"));
    const [prd, scenario] = [
      project.read(".ralph/shop/prd.json"),
      project.read(".ralph/shop/scenario.yaml"),
    ];
    const folder = mountAt(project, ".ralph/shop", "32k");
    writeFileSync(join(folder, "prd.json"), prd);
    writeFileSync(join(folder, "scenario.yaml"), scenario);
    project.commitAll();
    const end = await project.ralph(["run"]);
    expectDiskEnd(project, end, /no space left on device/u);
    const [first] = eventsSoFar(project);
    expect(project.read(".ralph/shop/prd.json")).toBe(prd.replace("false", "true"));
    rmSync(join(folder, "fill"));
    await expectGoesOn(project, first?.run);
    expect(project.git("status", "--porcelain")).toBe("");
  });

  test("S7 a mark that cannot be taken back on a full disk is taken back when there is room", async () => {
    const project = given(fillOnce(".ralph/shop").replace("text: right", "text: wrong"));
    const [prd, scenario] = [
      project.read(".ralph/shop/prd.json"),
      project.read(".ralph/shop/scenario.yaml"),
    ];
    const folder = mountAt(project, ".ralph/shop", "32k");
    writeFileSync(join(folder, "prd.json"), prd);
    writeFileSync(join(folder, "scenario.yaml"), scenario);
    project.commitAll();
    const end = await project.ralph(["run"]);
    expectDiskEnd(project, end, /no space left on device/u);
    const [first] = eventsSoFar(project);
    rmSync(join(folder, "fill"));
    await expectGoesOn(project, first?.run);
    expect(project.outcomes()).toEqual(["rejected", "accepted", "accepted"]);
  });

  test("S7 the project becomes read-only under an agent: said, and the same run goes on", async () => {
    const project = given(
      `
- when: {task: A, attempt: 1}
  do: [{write: {path: work.txt, text: right}}, {mark: task}, {run: 'mount -o remount,ro tmpfs .ralph/shop'}]
${DO_IT.trim()}
`,
    );
    const [prd, scenario] = [
      project.read(".ralph/shop/prd.json"),
      project.read(".ralph/shop/scenario.yaml"),
    ];
    const folder = mountAt(project, ".ralph/shop", "64k");
    writeFileSync(join(folder, "prd.json"), prd);
    writeFileSync(join(folder, "scenario.yaml"), scenario);
    project.commitAll();
    const end = await project.ralph(["run"]);
    expectDiskEnd(project, end, /read-only file system/u);
    const [first] = eventsSoFar(project);
    remount(folder, "rw");
    await expectGoesOn(project, first?.run);
  });
});

test.runIf(!canMount)("S7 in a namespace where a small disk can be mounted", () => {
  const isInside = process.env[INSIDE] !== undefined;
  const mayUnshare = !isInside && spawnSync("unshare", ["-Urm", "true"]).status === 0;
  if (!mayUnshare) {
    const why = "S7 was LEFT OUT: neither mount nor `unshare -Urm` is allowed here";
    if (process.env["CI"] === "true") throw new Error(why);
    process.stderr.write(`\n!!! ${why} !!!\n`);
    return;
  }
  const file = new URL(import.meta.url).pathname;
  const args = [
    "-Urm",
    process.execPath,
    "node_modules/vitest/vitest.mjs",
    "run",
    "--project",
    "e2e",
    file,
  ];
  const { status, stdout } = spawnSync("unshare", args, {
    env: { ...process.env, [INSIDE]: "1", CI: "true" },
    encoding: "utf8",
  });
  expect(status, `printed: ${stdout}`).toBe(0);
  expect(existsSync(file)).toBe(true);
});
