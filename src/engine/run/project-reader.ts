// Reads the project before an agent and again after it, and tells what changed in between. It judges nothing.

import { relative } from "node:path";
import { compareTasks, summarizeTasks } from "../../core/loop/next-task.ts";
import { outOfTurn } from "../../core/loop/parking.ts";
import type { RunState } from "../../core/loop/state.ts";
import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import { GUARDED_FILES, type GuardedFile, type SignalKind } from "../../core/schema/effect.ts";
import type { GitReading, ProjectChange, ProjectReading } from "../../core/schema/event.ts";
import type { Task, TaskChanges, TaskList } from "../../core/schema/task.ts";
import { renderTaskChanges } from "../../core/view/task-changes.ts";
import { assert } from "../../std/assert.ts";
import { checksum } from "../../std/checksum.ts";
import { printableLine } from "../../std/printable.ts";
import type { Result } from "../../std/result.ts";
import { clip } from "../../std/text.ts";
import { operationOf } from "../../world/git/check-state.ts";
import { lockPaths } from "../../world/git/mend-lock.ts";
import { pinRefs } from "../../world/git/pin-refs.ts";
import { readCommits } from "../../world/git/read-commits.ts";
import {
  countLost,
  parseRefs,
  readRefs,
  renderRefs,
  type Refs,
} from "../../world/git/read-refs.ts";
import { readStash } from "../../world/git/read-stash.ts";
import {
  digestOf,
  readStatus,
  stampDirty,
  type DirtyStamps,
  type GitStatus,
} from "../../world/git/read-status.ts";
import type { Host } from "../../world/host/host.ts";
import { progressSize, readNewEntries } from "../../world/memory/progress-txt.ts";
import { KeptTexts, textName } from "../../world/store/kept-texts.ts";
import { treeKey } from "../../world/store/latest-run.ts";
import type { RunPaths } from "../../world/store/run-paths.ts";
import { PrdFile, type TaskReading } from "../../world/tasks/prd-file.ts";
import { readList } from "../../world/tasks/stories.ts";
import type { Project } from "../project/open-project.ts";
import { isOwnFile } from "./commit-paths.ts";
import { TamperCheck } from "./tamper-check.ts";

type ListReading = Result<TaskReading, readonly Diagnostic[]>;

const NO_CHANGES: TaskChanges = compareTasks({ tasks: [], frame: "" }, { tasks: [], frame: "" });
const FILES_NAMED_MAX = 20;
const FILE_NAME_MAX = 150;
const CHECKS_MAX = 200;
const SIGNAL_MAX = 500;
const NOTED_MAX = 20;
/** Three files and the refs, each of the current iteration, of one that was cut off, and to spare. */
const GUARDED_KEPT = 12;
const SIGNALS: readonly SignalKind[] = ["waiting", "complete"];

/** The eyes of one run. */
export class ProjectReader {
  readonly tasks: PrdFile;
  readonly guarded: KeptTexts;
  readonly #host: Host;
  readonly #project: Project;
  readonly #lists: KeptTexts;
  readonly #tampering: TamperCheck;
  #status: GitStatus | undefined;
  /** What was dirty when the agent had ended. */
  #leftDirty: ReadonlySet<string> | undefined;
  /** What was dirty before the agent; unknown in a process that has not seen it. */
  #stampsBefore: DirtyStamps | undefined;
  /** The list as this process last saw or wrote it. */
  #seenText: string | undefined;
  #parsedBefore: { text: string; list: TaskList } | undefined;

  constructor(host: Host, project: Project, paths: RunPaths) {
    this.#host = host;
    this.#project = project;
    this.tasks = new PrdFile(host, project.feature.tasks.path, project.feature.tasks.name);
    this.#lists = new KeptTexts(host, paths.lists);
    this.guarded = new KeptTexts(host, paths.guarded, GUARDED_KEPT);
    this.#tampering = new TamperCheck(host, project);
  }

  async read(state: RunState): Promise<ProjectReading> {
    // Git works while the files are read.
    const status = this.#readStatus("before");
    const list = this.tasks.read();
    const kept = list.ok ? { list: this.#lists.keep(list.value.text) } : {};
    const reading = { ...this.#reading(state, list), ...kept };
    const edits = this.#edits(state, reading, list);
    // A task that a person has just touched is laid aside no longer.
    const tasks = list.ok
      ? summarizeTasks(list.value.tasks, outOfTurn(state, edits?.tasks))
      : reading.tasks;
    if (list.ok) this.#seenText = list.value.text;
    this.#tampering.look(state, list.ok ? list.value.list : this.listBefore(state));
    const { git, digest } = this.#gitReading(await status).reading;
    const refs = git === undefined ? {} : await this.#holdRefs(git);
    return {
      ...reading,
      ...(git === undefined ? {} : { git: { ...git, ...refs } }),
      digest,
      tasks,
      ...(edits === undefined ? {} : { edits }),
    };
  }

  async inspect(state: RunState): Promise<ProjectChange> {
    const before = state.current?.before;
    assert(before !== undefined, "what changed is told from the reading before");
    const status = this.#readStatus("after");
    const list = this.tasks.read();
    const changes = this.#changes(state, list);
    const claimed = new Set<string>(changes.finished.map(({ id }) => id));
    const { reading: git, stamps } = this.#gitReading(await status, "after");
    const now = { ...this.#reading(state, list, claimed), ...git };
    const head = git.git?.head;
    const commits =
      head === undefined || head === before.git?.head
        ? { count: 0, files: [], dropped: 0 }
        : await readCommits(this.#host, this.#tree, before.git?.head, head);
    this.#leftDirty = new Set(stamps.keys());
    const changed = [...new Set([...commits.files, ...this.#dirtied(stamps)])];
    if (list.ok) this.#seenText = list.value.text;
    const memory = this.#project.feature.memory.path;
    const entries = readNewEntries(this.#host, memory, before.memoryBytes);
    return {
      ...now,
      ...(list.ok ? { list: textName(list.value.text) } : {}),
      changes,
      commits: commits.count,
      dropped: commits.dropped,
      ...this.#lostRefs(state),
      treeChanged: now.digest !== before.digest,
      files: this.#named(changed),
      ...(await this.#tampering.inspect(state, changed, this.#status)),
      entryWritten: entries.entry,
      ...(entries.closing ? { closingWritten: true } : {}),
    };
  }

  /** The list as it was before the agent started, also after a restart. */
  listBefore(state: RunState): TaskList {
    const text = this.textBefore(state) ?? "";
    if (this.#parsedBefore?.text === text) return this.#parsedBefore.list;
    const list = readList(text);
    this.#parsedBefore = { text, list };
    return list;
  }

  textBefore(state: RunState): string | undefined {
    return this.#lists.read(state.current?.before?.list);
  }

  /** Branches and tags as they were before the agent; undefined where the record has none. */
  refsBefore(state: RunState): Refs | undefined {
    const text = this.guarded.read(state.current?.before?.git?.refs);
    return text === undefined ? undefined : parseRefs(text);
  }

  /** The commands of a task's own checks, as the person wrote them. */
  checksOf(state: RunState, id: string): readonly string[] {
    const known = (tasks: readonly Task[]): Task | undefined =>
      tasks.find((task) => task.id === id);
    const now = this.tasks.read();
    const task = known(this.listBefore(state).tasks) ?? known(now.ok ? now.value.tasks : []);
    return task?.checks ?? [];
  }

  /** The list as it is now; what was written by us is no person's edit. */
  see(state: RunState): Pick<ProjectReading, "tasks"> & { list?: string } {
    const list = this.tasks.read();
    const tasks = summarizeTasks(list.ok ? list.value.tasks : [], outOfTurn(state));
    if (!list.ok) return { tasks };
    this.#seenText = list.value.text;
    return { tasks, list: textName(list.value.text) };
  }

  /** Whether git did not know the path when the agent had ended; what appears later is of a gate's making. */
  wasThere(path: string): boolean {
    return this.#leftDirty?.has(path) ?? true;
  }

  /** A list that is the same to the last byte, however long, is not compared task by task. */
  #changes(state: RunState, list: ListReading): TaskChanges {
    if (!list.ok || list.value.text === this.textBefore(state)) return NO_CHANGES;
    return compareTasks(this.listBefore(state), list.value.list);
  }

  get #tree(): string {
    return this.#project.repository?.tree ?? this.#project.root;
  }

  #reading(
    state: RunState,
    list: ListReading,
    claimed: ReadonlySet<string> = new Set(),
  ): ProjectReading {
    const { feature } = this.#project;
    const tasks = list.ok ? list.value.tasks : [];
    const checks = ownChecks(this.#withChecks(state, tasks), claimed);
    const signal = SIGNALS.flatMap((kind) => {
      const text = this.#host.files.readText(feature.stopFiles[kind]);
      return text === undefined ? [] : [{ kind, text: printableLine(text, SIGNAL_MAX) }];
    })[0];
    return {
      tasks: summarizeTasks(tasks, outOfTurn(state)),
      ...(list.ok ? {} : { problem: firstProblem(list.error) }),
      digest: "no repository",
      memoryBytes: progressSize(this.#host, feature.memory.path),
      ...(checks.length === 0 ? {} : { checks }),
      guarded: this.#keepGuarded(),
      ...(signal === undefined ? {} : { signal }),
    };
  }

  /** A story that an agent adds brings no checks that could vouch for it. */
  #withChecks(state: RunState, tasks: readonly Task[]): readonly Task[] {
    if (state.current?.before === undefined) return tasks;
    const known = new Set<string>(this.listBefore(state).tasks.map(({ id }) => id));
    return tasks.filter(({ id, checks }) => checks.length > 0 && known.has(id));
  }

  #keepGuarded(): Partial<Record<GuardedFile, string>> {
    const names: Partial<Record<GuardedFile, string>> = {};
    for (const file of GUARDED_FILES) {
      const text = this.#host.files.readText(this.#project.feature.guarded[file].path);
      if (text !== undefined) names[file] = this.guarded.keep(text);
    }
    return names;
  }

  #gitReading(
    status: GitStatus | undefined,
    when: "before" | "after" = "before",
  ): { reading: { git?: GitReading; digest: string }; stamps: DirtyStamps } {
    const { repository } = this.#project;
    if (status === undefined || repository === undefined) {
      if (when === "before") this.#stampsBefore = new Map();
      return { reading: { digest: "no repository" }, stamps: new Map() };
    }
    const stamps = stampDirty(this.#host, repository.tree, status);
    if (when === "before") this.#stampsBefore = stamps;
    const operation = operationOf(this.#host, repository);
    const stash = readStash(this.#host, repository);
    const locks = lockPaths(repository, status.branch ?? "");
    const isLocked = locks.some((path) => this.#host.files.stamp(path) !== undefined);
    const git: GitReading = {
      ...(status.head === undefined ? {} : { head: status.head }),
      ...(status.branch === undefined ? {} : { branch: clip(status.branch, 200) }),
      dirty: status.dirty.length,
      ...(operation === undefined ? {} : { operation }),
      ...(isLocked ? { locked: true } : {}),
      ...(stash.length === 0 ? {} : { stash }),
    };
    const isOwn = (path: string): boolean => isOwnFile(this.#project, path);
    return { reading: { git, digest: digestOf(status, stamps, isOwn) }, stamps };
  }

  /** Keeps what the agent might lose of the user's: in the record where it was, and in git that it stays. */
  async #holdRefs({ head, branch, stash = [] }: GitReading): Promise<Pick<GitReading, "refs">> {
    const { repository } = this.#project;
    if (repository === undefined) return {};
    const refs = new Map(readRefs(this.#host, repository));
    // The run's own branch moves with every iteration and is told by its head.
    refs.delete(`refs/heads/${branch ?? ""}`);
    const ids = [...(head === undefined ? [] : [head]), ...stash, ...refs.values()];
    await pinRefs(this.#host, repository, treeKey(repository.tree), ids);
    return refs.size === 0 ? {} : { refs: this.guarded.keep(renderRefs(refs)) };
  }

  #lostRefs(state: RunState): Pick<ProjectChange, "lostRefs"> {
    const { repository } = this.#project;
    const before = this.refsBefore(state);
    if (repository === undefined || before === undefined) return {};
    const lostRefs = countLost(this.#host, repository, before);
    return lostRefs === 0 ? {} : { lostRefs };
  }

  /** One that git cannot read is the last one seen before an agent, and none after it: a person has to look then. */
  async #readStatus(when: "before" | "after"): Promise<GitStatus | undefined> {
    const { repository } = this.#project;
    if (repository === undefined) return undefined;
    const status = await readStatus(this.#host, repository.tree, "files");
    if (!status.ok && when === "after") return undefined;
    if (status.ok) this.#status = status.value;
    return this.#status;
  }

  /** Paths that are dirty and were not, or not like this, before the agent. */
  #dirtied(stamps: DirtyStamps): string[] {
    const before = this.#stampsBefore;
    return [...stamps].filter(([path, stamp]) => before?.get(path) !== stamp).map(([path]) => path);
  }

  #named(changed: readonly string[]): string[] {
    const files = changed.filter((path) => !isOwnFile(this.#project, path));
    return files.slice(0, FILES_NAMED_MAX).map((path) => clip(path, FILE_NAME_MAX));
  }

  /** What a person has changed since the run last looked or wrote. */
  #edits(state: RunState, reading: ProjectReading, list: ListReading): ProjectReading["edits"] {
    const { trust } = state;
    if (trust.list === undefined) return undefined;
    const words: string[] = [];
    const tasks: Task["id"][] = [];
    if (reading.list !== undefined && reading.list !== trust.list && list.ok) {
      const old = this.#textNamed(trust.list);
      const before = old === undefined ? undefined : readList(old);
      const changes = before === undefined ? undefined : compareTasks(before, list.value.list);
      const noted = newlyNoted(before?.tasks ?? [], list.value.tasks);
      const said = changes === undefined ? [] : renderTaskChanges(changes);
      said.push(...noted.map((id) => `${id}: notes`));
      words.push(...(said.length === 0 ? ["the task list"] : said));
      tasks.push(...noted, ...(changes?.edited ?? []).map(({ id }) => id));
      tasks.push(...(changes?.reopened ?? []).map(({ id }) => id));
      tasks.push(...(changes?.finished ?? []).map(({ id }) => id));
    }
    for (const file of GUARDED_FILES) {
      if (reading.guarded?.[file] !== trust[file])
        words.push(relative(this.#project.root, this.#project.feature.guarded[file].path));
    }
    return words.length === 0 ? undefined : { words, tasks };
  }

  #textNamed(name: string): string | undefined {
    const seen = this.#seenText;
    if (seen !== undefined && textName(seen) === name) return seen;
    return this.#lists.read(name);
  }
}

/** Tasks whose notes a person has changed: the place to answer an agent's question. At most a few are named. */
function newlyNoted(before: readonly Task[], now: readonly Task[]): Task["id"][] {
  const old = new Map(before.map(({ id, notes }) => [id, notes]));
  const isNew = ({ id, notes }: Task): boolean => old.has(id) && old.get(id) !== notes;
  return now
    .filter(isNew)
    .slice(0, NOTED_MAX)
    .map(({ id }) => id);
}

/** Tasks that are done and have checks; those just claimed come first, so that a bound never leaves them out. */
function ownChecks(tasks: readonly Task[], claimed: ReadonlySet<string>) {
  const done = tasks.filter(({ status, checks }) => status === "done" && checks.length > 0);
  const first = done.filter(({ id }) => claimed.has(id));
  const others = done.filter(({ id }) => !claimed.has(id));
  return [...first, ...others]
    .slice(0, CHECKS_MAX)
    .map(({ id, checks }) => ({ task: id, key: checksum(checks.join("\0")).slice(0, 12) }));
}

function firstProblem(diagnostics: readonly Diagnostic[]): string {
  const [first] = diagnostics;
  if (first === undefined) return "the task list cannot be read";
  const line = first.line === undefined ? "" : `:${first.line}`;
  return clip(`${first.file}${line}: ${first.problem}`, 500);
}
