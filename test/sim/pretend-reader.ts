// The eyes of the pretend world: what a reading of the project finds before an agent and after it, told from the truth.

import { compareTasks, summarizeTasks } from "../../src/core/loop/next-task.ts";
import { outOfTurn } from "../../src/core/loop/parking.ts";
import type { RunState } from "../../src/core/loop/state.ts";
import type { SignalKind } from "../../src/core/schema/effect.ts";
import type { ProjectChange, ProjectReading } from "../../src/core/schema/event.ts";
import type { Finding } from "../../src/core/schema/finding.ts";
import { TaskId } from "../../src/core/schema/ids.ts";
import { assert } from "../../src/std/assert.ts";
import { KeptTexts, textName } from "../../src/world/store/kept-texts.ts";
import { strengthIn } from "./pretend-project.ts";
import { differ } from "./pretend-repository.ts";
import type { Stage } from "./stage.ts";
import { toList, toTask, type Listed } from "./story.ts";

const SIGNALS: readonly SignalKind[] = ["waiting", "complete"];

/** Reads the project of a stage for one process of the runner. */
export class PretendReader {
  readonly #stage: Stage;
  readonly #lists: KeptTexts;
  /** The list before the agent, and the text of the list as it is, so that neither is made twice. */
  #parsed: { readonly name: string; readonly list: Listed } | undefined;
  #rendered: { readonly of: Listed; readonly text: string; name?: string } | undefined;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#lists = new KeptTexts(stage.disk.host(), stage.paths.lists);
  }

  read(state: RunState): ProjectReading {
    const { project } = this.#stage;
    const { repository } = project;
    const edits = this.#edits(state);
    // What a person has touched is back in turn with this very reading.
    const reading = this.#reading(state, new Set(), edits?.tasks);
    project.seen.set(reading.digest, new Map(repository.work));
    if (project.list.kind !== "list") return reading;
    this.see();
    return {
      ...reading,
      list: this.#lists.keep(this.#render(project.list)),
      ...(edits === undefined ? {} : { edits }),
    };
  }

  inspect(state: RunState): ProjectChange {
    const { project } = this.#stage;
    const { repository } = project;
    const before = state.current?.before;
    assert(before !== undefined, "what changed is told from the reading before");
    const listBefore = toList(this.listBefore(state));
    const listNow = project.list.kind === "list" ? toList(project.list) : listBefore;
    const changes = compareTasks(listBefore, listNow);
    const now = this.#reading(state, new Set(changes.finished.map(({ id }) => id)));
    const treeBefore = project.seen.get(before.digest);
    assert(treeBefore !== undefined, "the tree that an iteration began with was seen");
    const changed = differ(treeBefore, repository.work);
    const touched = changed.filter((path) => path.startsWith("test/"));
    const old = repository.history(before.git?.head ?? "");
    const young = repository.history(repository.head);
    const list = this.see();
    return {
      ...now,
      ...(list === undefined ? {} : { list }),
      changes,
      commits: [...young].filter((id) => !old.has(id)).length,
      dropped: [...old].filter((id) => !young.has(id)).length,
      treeChanged: now.digest !== before.digest,
      files: changed.slice(0, 20),
      testOnly: changed.length > 0 && touched.length === changed.length,
      touched,
      findings: this.#findings(state, touched),
      entryWritten: project.memoryBytes > before.memoryBytes,
    };
  }

  /** The list as the iteration found it, by the name that the log has for it. */
  listBefore(state: RunState): Listed {
    const name = state.current?.before?.list;
    if (name !== undefined && this.#parsed?.name === name) return this.#parsed.list;
    const text = this.#lists.read(name);
    assert(name !== undefined && text !== undefined, "the list an iteration began with is kept");
    const list = JSON.parse(text) as Listed;
    this.#parsed = { name, list };
    return list;
  }

  /** Remembers the list as it is now, so that a person's edit can be told from it. */
  see(): string | undefined {
    const { project, seenLists } = this.#stage;
    if (project.list.kind !== "list") return undefined;
    const text = this.#render(project.list);
    const rendered = this.#rendered;
    const name = rendered?.name ?? textName(text);
    if (rendered !== undefined) rendered.name = name;
    seenLists.set(name, text);
    return name;
  }

  summary(state: RunState, touched: readonly string[] = []): ProjectReading["tasks"] {
    return summarizeTasks(this.#stage.project.stories.map(toTask), outOfTurn(state, touched));
  }

  #render(list: Listed): string {
    if (this.#rendered?.of !== list) this.#rendered = { of: list, text: render(list) };
    return this.#rendered.text;
  }

  #reading(
    state: RunState,
    claimed: ReadonlySet<string>,
    touched?: readonly string[],
  ): ProjectReading {
    const { project } = this.#stage;
    const { repository, list, stopFiles } = project;
    const kind = SIGNALS.find((name) => stopFiles.has(name));
    const checks = project.stories.filter(({ done, check }) => done && check !== undefined);
    const ordered = [
      ...checks.filter(({ id }) => claimed.has(id)),
      ...checks.filter(({ id }) => !claimed.has(id)),
    ];
    const guarded = Object.entries(project.files).filter(([, text]) => text !== undefined);
    return {
      tasks: this.summary(state, touched),
      ...(list.kind === "list" ? {} : { problem: `prd.json is ${list.kind}` }),
      git: {
        head: repository.head,
        ...(repository.branch === undefined ? {} : { branch: repository.branch }),
        dirty: repository.dirty().length,
        ...(repository.operation === undefined ? {} : { operation: repository.operation }),
        ...(repository.isLocked ? { locked: true } : {}),
        ...(repository.stash.length === 0 ? {} : { stash: [...repository.stash] }),
      },
      digest: repository.digest(),
      memoryBytes: project.memoryBytes,
      ...(checks.length === 0
        ? {}
        : {
            checks: ordered.map(({ id, check = "" }) => ({ task: TaskId.parse(id), key: check })),
          }),
      guarded: Object.fromEntries(guarded),
      ...(kind === undefined ? {} : { signal: { kind, text: stopFiles.get(kind)?.text ?? "" } }),
    };
  }

  /** What was done to tests since the commit that is trusted, in files that an agent has touched since. */
  #findings(state: RunState, touched: readonly string[]): Finding[] {
    const { repository } = this.#stage.project;
    const trusted = repository.commits.get(state.trust.commit ?? "");
    if (trusted === undefined) return [];
    const suspects = [...new Set([...touched, ...state.trust.touched])];
    return suspects.flatMap((path) => {
      const id = path.slice("test/".length);
      const [was, is] = [strengthIn(trusted.files, id), strengthIn(repository.work, id)];
      if (is >= was) return [];
      const what = is === 0 ? "all tests removed" : `${was - is} tests weaker`;
      return [{ kind: "tests", path, what, lines: [`-${was}`, `+${is}`] }];
    });
  }

  /** What a person has changed since the run last looked or wrote. */
  #edits(state: RunState): ProjectReading["edits"] {
    const { project, seenLists } = this.#stage;
    const { trust } = state;
    if (trust.list === undefined || project.list.kind !== "list") return undefined;
    const text = seenLists.get(trust.list);
    const words: string[] = [];
    const tasks: TaskId[] = [];
    if (text !== undefined && text !== this.#render(project.list)) {
      const changes = compareTasks(toList(JSON.parse(text) as Listed), toList(project.list));
      words.push("the task list");
      const named = [...(changes.edited ?? []), ...changes.reopened, ...changes.finished];
      tasks.push(...named.map(({ id }) => id));
    }
    for (const file of ["settings", "prompt"] as const)
      if (project.files[file] !== trust[file]) words.push(file);
    return words.length === 0 ? undefined : { words, tasks };
  }
}

function render({ stories, frame }: Listed): string {
  return JSON.stringify({ stories, frame });
}
