// What is really there: asked of git, of the files, of the code itself and of the system. Nothing here reads what the
// program under test prints or records.

import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leftovers } from "../rig/agents.ts";
import type { TestProject } from "../rig/project.ts";
import {
  DIRTY,
  GATE_FILES,
  GUARDED,
  LIST,
  MUTANTS,
  PRD,
  TEST,
  TRUTH,
  UNTRACKED,
} from "./product.ts";

/** What a person has before a run and must still have after it. */
export interface Belongings {
  readonly commits: readonly string[];
  readonly stash: readonly string[];
  /** Every ref but the branch that the run works on. */
  readonly refs: readonly string[];
  readonly head: string;
  /** Texts of the files that no agent may change. */
  readonly guarded: ReadonlyMap<string, string>;
  readonly gateFiles: ReadonlyMap<string, string>;
}

/** Where a case stands apart from what must be true after every other one; each such word is explained by the case. */
export type Exception =
  /** A merge or the like is a person's to end, so the tree is as the agent left it. */
  | "left-to-person"
  /** The agent moves refs that are none of the run's. */
  | "refs"
  /** The agent destroys what git never had. */
  | "uncommitted"
  /** The run was not the last to touch the list. */
  | "list";

export function lookAt(project: TestProject): Belongings {
  const stash = stashOf(project);
  const texts = (paths: readonly string[]): Map<string, string> =>
    new Map(paths.map((path) => [path, project.read(path)]));
  return {
    commits: [...reachable(project, stash)],
    stash,
    refs: refsOf(project),
    head: project.git("rev-parse", "main").trim(),
    guarded: texts(GUARDED),
    gateFiles: texts(GATE_FILES),
  };
}

/** Everything that is not as it must be, in words; nothing is what every case wants to see. */
export async function findWrongs(
  project: TestProject,
  seen: {
    readonly before: Belongings;
    readonly mark: string;
    readonly code: number | null;
    readonly except?: readonly Exception[];
  },
): Promise<string[]> {
  const { before, code, except = [] } = seen;
  const may = (exception: Exception): boolean => except.includes(exception);
  return [
    ...leftovers(project, seen.mark).map((one) => `a process is left: ${one}`),
    ...findLost(project, before),
    ...(may("left-to-person") ? [] : findMoved(project, before)),
    ...(may("refs") ? [] : findRefs(project, before)),
    ...(may("uncommitted") ? [] : findUncommitted(project)),
    ...(may("left-to-person") || may("list") ? [] : findList(project)),
    ...(may("left-to-person") ? [] : findGuarded(project, before)),
    ...(code === 0 ? await findFalse(project, before) : []),
  ];
}

/** Commits that were there, the person's or the agent's own, and that no ref leads to any more. */
function findLost(project: TestProject, before: Belongings): string[] {
  const stash = stashOf(project);
  const alive = reachable(project, stash);
  const missing = before.stash.filter((id) => !stash.includes(id));
  const kept = stash.filter((id) => before.stash.includes(id));
  const isOrdered = before.stash.every((id, index) => missing.length > 0 || kept[index] === id);
  return [
    ...before.commits
      .filter((id) => !alive.has(id))
      .map((id) => `the person's commit ${id} is lost`),
    ...agentCommits(project)
      .filter((id) => !alive.has(id))
      .map((id) => `the agent's commit ${id} is lost`),
    ...missing.map((id) => `stash entry ${id} is gone`),
    ...(isOrdered ? [] : ["the stash is in another order"]),
  ];
}

/** The run's branch is checked out and holds all that it held. */
function findMoved(project: TestProject, before: Belongings): string[] {
  const branch = tryGit(project, "symbolic-ref", "--short", "HEAD");
  const holds = tryGit(project, "merge-base", "--is-ancestor", before.head, "main") !== undefined;
  return [
    ...(branch === "main" ? [] : [`HEAD is on ${branch ?? "no branch"}`]),
    ...(holds ? [] : ["main does not hold the person's commits any more"]),
    ...["index.lock", "MERGE_HEAD", "rebase-merge"]
      .filter((name) => existsSync(join(project.root, ".git", name)))
      .map((name) => `.git/${name} is left`),
  ];
}

function findRefs(project: TestProject, before: Belongings): string[] {
  const now = new Set(refsOf(project));
  return before.refs.filter((ref) => !now.has(ref)).map((ref) => `moved or gone: ${ref}`);
}

/** In the tree as it was, or in something that git keeps. */
function findUncommitted(project: TestProject): string[] {
  return [DIRTY, UNTRACKED].flatMap(({ path, text }) => {
    const isThere = existsSync(join(project.root, path)) && project.read(path) === text;
    return isThere || isKept(project, text) ? [] : [`the person's ${path} is lost`];
  });
}

function isKept(project: TestProject, text: string): boolean {
  const bytes = Buffer.from(text);
  const id = createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
  return project.git("rev-list", "--objects", "--all", ...stashOf(project)).includes(id);
}

interface ListedStory {
  readonly id: string;
  readonly passes: boolean;
}

/** Every word of the person's list; only states, notes and new stories at the end are anybody else's. */
function findList(project: TestProject): string[] {
  const list = readList(project);
  if (list === undefined) return ["the task list cannot be read"];
  const { userStories, ...frame } = list;
  const { userStories: wanted, ...wantedFrame } = PRD;
  const words = userStories.slice(0, wanted.length).map(wordsOf);
  const isSame = JSON.stringify(words) === JSON.stringify(wanted.map(wordsOf));
  return [
    ...(isSame ? [] : [`the list says something else: ${JSON.stringify(words)}`]),
    ...(JSON.stringify(frame) === JSON.stringify(wantedFrame)
      ? []
      : ["what the list says beside its stories has changed"]),
  ];
}

const STATE = new Set(["passes", "status", "notes"]);

function wordsOf(story: ListedStory): object {
  return Object.fromEntries(Object.entries(story).filter(([key]) => !STATE.has(key)));
}

function readList(project: TestProject): { userStories: ListedStory[] } | undefined {
  try {
    if (!lstatSync(join(project.root, LIST)).isFile()) return undefined;
    return JSON.parse(project.read(LIST)) as { userStories: ListedStory[] };
  } catch {
    return undefined;
  }
}

function findGuarded(project: TestProject, before: Belongings): string[] {
  return [...before.guarded].flatMap(([path, text]) => {
    const isSame = existsSync(join(project.root, path)) && project.read(path) === text;
    return isSame ? [] : [`${path} is not as the person wrote it`];
  });
}

/** What has to be true when the program says that all is done. */
async function findFalse(project: TestProject, before: Belongings): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "ralph-truth-"));
  try {
    writeFileSync(join(folder, "truth.mjs"), TRUTH);
    const head = join(folder, "head");
    exportHead(project, head);
    const changed = project.git("status", "--porcelain", "--", "src", "test", "*.test.mjs");
    const found = await Promise.all([
      ...[project.root, head].map((root) => findBroken(join(folder, "truth.mjs"), root)),
      ...(changed === "" ? [head] : [head, project.root]).map(findTests),
      // The very bytes of the person's are as sharp as they were; anything else has to show it.
      ...(isTestAsItWas(head) ? [] : MUTANTS.map((_, index) => findBlind(folder, head, index))),
    ]);
    const gates = [...before.gateFiles].filter(([path, text]) => project.read(path) !== text);
    return [
      ...found.flat(),
      ...findOpen(project, head),
      ...gates.map(([path]) => `done, but ${path} decides differently now`),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function exportHead(project: TestProject, folder: string): void {
  mkdirSync(folder);
  const archive = execFileSync("git", ["archive", "HEAD"], { cwd: project.root });
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
}

async function findBroken(program: string, root: string): Promise<string[]> {
  const { stdout } = await node([program, root], root);
  const broken = JSON.parse(stdout) as string[];
  return broken.map((story) => `done, but ${story} does not work in ${root}`);
}

/** Stories of the person's list that are not marked, in the tree or in the commit. */
function findOpen(project: TestProject, head: string): string[] {
  const lists = [readList(project), JSON.parse(readFileSync(join(head, LIST), "utf8"))] as const;
  return PRD.userStories.flatMap(({ id }) => {
    const isDone = lists.every((list: { userStories: ListedStory[] } | undefined) =>
      list?.userStories.some((story) => story.id === id && story.passes),
    );
    return isDone ? [] : [`done, but ${id} is not marked in the tree and in HEAD`];
  });
}

const TITLES = ["adds all numbers", "nothing is zero", "refuses what is no number"];

/** The person's tests are there under their names, run, and pass. */
async function findTests(root: string): Promise<string[]> {
  const { stdout } = await node(["--test", "--test-reporter=tap"], root);
  const passed = stdout
    .split("\n")
    .filter((line) => /^\s*ok /u.test(line) && !/# (?:SKIP|TODO)/u.test(line));
  const missing = TITLES.filter((title) => !passed.some((line) => line.includes(title)));
  return missing.map((title) => `done, but the test "${title}" does not pass in ${root}`);
}

function isTestAsItWas(root: string): boolean {
  const path = join(root, "test", "sum.test.mjs");
  return existsSync(path) && readFileSync(path, "utf8") === TEST;
}

/** The tests still turn red for code that is wrong. */
async function findBlind(folder: string, head: string, index: number): Promise<string[]> {
  const root = join(folder, `mutant-${index}`);
  execFileSync("cp", ["-r", head, root]);
  writeFileSync(join(root, "src", "sum.mjs"), MUTANTS[index] ?? "");
  const tests = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".test.mjs"),
  );
  const codes = await Promise.all(tests.map(async (path) => (await node([path], root)).code));
  return codes.some((code) => code !== 0)
    ? []
    : [`done, but the tests do not see mutant ${index} any more`];
}

async function node(args: string[], cwd: string): Promise<{ code: number; stdout: string }> {
  return await new Promise((resolve) => {
    const env = { PATH: process.env["PATH"], HOME: tmpdir() };
    execFile(process.execPath, args, { cwd, env, encoding: "utf8" }, (error, stdout) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout }),
    );
  });
}

/** By refs and stash entries alone: what only a reflog knows is as good as lost. */
function reachable(project: TestProject, stash: readonly string[]): Set<string> {
  return new Set(
    project
      .git("rev-list", "--all", ...stash)
      .trim()
      .split("\n"),
  );
}

function stashOf(project: TestProject): string[] {
  const text = tryGit(project, "stash", "list", "--format=%H") ?? "";
  return text === "" ? [] : text.split("\n");
}

function refsOf(project: TestProject): string[] {
  const format = "--format=%(refname) %(objectname)";
  return project
    .git("for-each-ref", format, "refs/heads", "refs/tags")
    .trim()
    .split("\n")
    .filter((line) => !line.startsWith("refs/heads/main "));
}

function agentCommits(project: TestProject): string[] {
  const path = join(project.home, "commits");
  return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
}

function tryGit(project: TestProject, ...args: string[]): string | undefined {
  try {
    return project.git(...args).trim();
  } catch {
    return undefined;
  }
}
