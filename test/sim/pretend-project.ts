// The pretend project: a task list, code and tests with a truth of their own, a memory file, the person's files and a
// repository. Gates look at the code, never at what anybody says about it.

import type { GuardedFile, SignalKind } from "../../src/core/schema/effect.ts";
import { assert } from "../../src/std/assert.ts";
import type { Machine } from "./machine.ts";
import { PretendRepository, type Files } from "./pretend-repository.ts";
import { frozenOf, type ListFile, type Story } from "./story.ts";
import type { Glance, Hand, Tampering, Truth } from "./timeline.ts";

/** How a project is when a run begins. */
export interface ProjectPlan {
  readonly stories: readonly Story[];
  readonly gates: readonly string[];
  readonly isCovered: (gate: string, id: string) => boolean;
  /** Gates that are red whatever the stories are like, until somebody mends them. */
  readonly redBefore: readonly string[];
  readonly stash: readonly string[];
}

/** What a test is worth that nobody has touched. */
const STRENGTH = 3;

/** What the program keeps between two agents, and what git would show. */
export class PretendProject {
  readonly #machine: Machine;
  readonly #plan: ProjectPlan;
  readonly repository: PretendRepository;
  list: ListFile;
  readonly redBefore: Set<string>;
  readonly files: Record<GuardedFile, string | undefined> = {
    settings: "s0",
    prompt: "p0",
    template: undefined,
  };
  readonly stopFiles = new Map<SignalKind, { readonly text: string; readonly by: Hand }>();
  /** Files of the project's own that are not committed. */
  readonly #ownDirty = new Set<string>();
  readonly trailers: string[] = [];
  memoryBytes = 0;
  readonly markers: string[] = [];
  /** Iterations that archived finished work. */
  readonly archives: string[] = [];
  /** The list as it was before anybody damaged it. */
  lastReadable: readonly Story[];
  /** The trees that a reading has seen, by digest. */
  readonly seen = new Map<string, Files>();
  /** How strong the tests are that a person knows of, and the tasks that are a person's. */
  readonly #knownTests = new Map<string, number>();
  readonly #personsTasks: Set<string>;
  /** What an agent found when it was let go: nothing of it may be different when its iteration ends. */
  #foundTasks: ReadonlyMap<string, string> = new Map();
  #foundFiles: Readonly<Record<GuardedFile, string | undefined>> = this.files;
  #additions: string[] = [];
  #nextStory: number;
  #version = 0;

  constructor(machine: Machine, plan: ProjectPlan) {
    const { stories } = plan;
    this.#machine = machine;
    this.#plan = plan;
    this.repository = new PretendRepository(plan.stash);
    this.list = { kind: "list", stories, frame: "frame" };
    this.lastReadable = stories;
    this.redBefore = new Set(plan.redBefore);
    this.#personsTasks = new Set(stories.map(({ id }) => id));
    this.#nextStory = stories.length + 1;
    for (const story of stories) if (story.done) this.setCode(story.id, "good");
    this.repository.commit("before");
    this.repository.takeTruth();
  }

  get stories(): readonly Story[] {
    return this.list.kind === "list" ? this.list.stories : [];
  }

  story(id: string): Story | undefined {
    return this.stories.find((story) => story.id === id);
  }

  ready(): string[] {
    const done = new Set(this.stories.filter((s) => s.done).map(({ id }) => id));
    return this.stories
      .filter((s) => !s.done && s.dependsOn.every((id) => done.has(id)))
      .map(({ id }) => id);
  }

  // The code and its tests.

  isGood(id: string): boolean {
    return this.repository.work.get(`src/${id}`)?.startsWith("good") === true;
  }

  setCode(id: string, state: "good" | "broken"): void {
    this.write(`src/${id}`, state);
  }

  strength(id: string): number {
    return strengthIn(this.repository.work, id);
  }

  setStrength(id: string, strength: number): void {
    if (strength < this.strength(id)) this.tampered("tests");
    this.repository.work.set(`test/${id}`, String(strength));
  }

  /** Whether a gate, or the own check with this command, would say red; a story without tests is seen by none. */
  isRed(key: string, tests: "as-they-are" | "as-known"): boolean {
    if (this.redBefore.has(key)) return true;
    const isGate = this.#plan.gates.includes(key);
    return this.stories.some(
      ({ id, done, check }) =>
        done &&
        (isGate ? this.#plan.isCovered(key, id) : check === key) &&
        !this.isGood(id) &&
        (tests === "as-known" ? this.#known(id) : this.strength(id)) > 0,
    );
  }

  /** Makes a story work, and whatever else is marked done and does not. */
  implement(id: string): void {
    this.setCode(id, "good");
    for (const story of this.stories)
      if (story.done && !this.isGood(story.id)) this.setCode(story.id, "good");
  }

  write(path: string, content: string): void {
    this.#version += 1;
    this.repository.work.set(path, `${content} ${this.#version}`);
  }

  /** Undoes whatever was done to tests, as far as anybody can remember. */
  mendTests(): void {
    const all = [...this.repository.commits.values()].map(({ files }) => files);
    for (const path of [...this.repository.work.keys()].filter((p) => p.startsWith("test/"))) {
      const id = path.slice("test/".length);
      const best = Math.max(STRENGTH, ...all.map((files) => strengthIn(files, id)));
      if (this.strength(id) < best) this.repository.work.set(path, String(best));
    }
  }

  /** A person has looked at the tests and takes them as they are. */
  takeTests(): void {
    for (const path of this.repository.work.keys()) {
      if (!path.startsWith("test/")) continue;
      const id = path.slice("test/".length);
      this.#knownTests.set(id, this.strength(id));
    }
  }

  // The list.

  /** The one way in which the list changes, so that every mark is on the timeline. */
  setList(next: ListFile, by: Hand): void {
    const before = new Map(this.lastReadable.map((story) => [story.id, story.done]));
    this.list = next;
    this.#ownDirty.add("prd.json");
    if (next.kind !== "list") {
      // What an agent may add to the list goes with a list that it breaks.
      if (by === "agent") this.#additions = [];
      this.#machine.tell({ type: "list-damaged", by });
      return;
    }
    this.lastReadable = next.stories;
    for (const { id, done } of next.stories) {
      if ((before.get(id) ?? false) === done) continue;
      this.#machine.tell({ type: "marked", id, isDone: done, by });
    }
  }

  mark(id: string, done: boolean, by: Hand): boolean {
    if (this.list.kind !== "list" || this.story(id) === undefined) return false;
    this.change(id, (s) => (s.done === done ? s : { ...s, done, by }), by);
    return true;
  }

  add(count: number, done: boolean, by: Hand): string | undefined {
    if (this.list.kind !== "list") return undefined;
    const added = Array.from({ length: count }, (): Story => {
      const id = `S-${this.#nextStory++}`;
      if (by === "person") this.#personsTasks.add(id);
      else this.#additions.push(id);
      const text = { title: `added ${id}`, criteria: ["works"], notes: "" };
      return { id, ...text, priority: 50, dependsOn: [], check: undefined, done, by };
    });
    this.#machine.tell({ type: "added", by });
    this.setList({ ...this.list, stories: [...this.stories, ...added] }, by);
    return added[0]?.id;
  }

  change(id: string, edit: (story: Story) => Story, by: Hand): void {
    if (this.list.kind !== "list") return;
    const stories = this.stories.map((s) => (s.id === id ? edit(s) : s));
    this.setList({ ...this.list, stories }, by);
  }

  /** A note is the agent's to write. */
  noteFor(id: string, notes: string): void {
    if (this.story(id) === undefined) return;
    this.change(id, (s) => ({ ...s, notes }), "agent");
    this.#additions.push(`${id}: ${notes}`);
  }

  tampered(what: Tampering): void {
    this.#machine.tell({ type: "tampered", what });
  }

  /** Undefined where nothing was left to commit. */
  commit(trailer: string | undefined, by: Hand): string | undefined {
    if (this.#ownDirty.size === 0 && this.repository.dirty().length === 0) return undefined;
    this.#ownDirty.clear();
    if (trailer !== undefined) this.trailers.push(trailer);
    const id = this.repository.commit(by);
    this.#machine.tell({ type: "committed", trailer, by });
    return id;
  }

  remember(marker: string | undefined): void {
    this.memoryBytes += 100;
    this.#ownDirty.add("progress.txt");
    if (marker !== undefined) this.markers.push(marker);
    this.#machine.tell({ type: "remembered", marker });
  }

  archive(iteration: string): void {
    this.archives.push(iteration);
    this.#ownDirty.add("archive");
    this.#machine.tell({
      type: "archived",
      by: iteration,
      open: this.stories.filter((s) => !s.done).length,
    });
  }

  /** An agent is let go: what it finds is what it has to leave. */
  noteFound(): void {
    this.#foundTasks = new Map(this.stories.map((story) => [story.id, frozenOf(story)]));
    this.#foundFiles = { ...this.files };
    this.#additions = [];
  }

  truth(): Truth {
    const { stories } = this;
    const now = new Map(stories.map((story) => [story.id, story]));
    const checks = stories.flatMap(({ id, done, check }) =>
      done && check !== undefined ? [[id, check] as const] : [],
    );
    const keys = [...this.#plan.gates, ...new Set(checks.map(([, check]) => check))];
    const isGone = (text: string): boolean => {
      const [id = "", notes] = text.split(": ");
      return notes === undefined ? !now.has(id) : now.get(id)?.notes !== notes;
    };
    return {
      damagedBy: this.list.kind === "list" ? undefined : this.list.by,
      open: stories.filter(({ done }) => !done).length,
      red: keys.filter((key) => this.isRed(key, "as-known")),
      weak: this.#weak(),
      missing: [...this.#personsTasks].filter((id) => !now.has(id)),
      edited: [...this.#foundTasks]
        .filter(([id, frozen]) => {
          const story = now.get(id);
          return story === undefined || frozenOf(story) !== frozen;
        })
        .map(([id]) => id),
      files: (["settings", "prompt"] as const).filter(
        (file) => this.files[file] !== this.#foundFiles[file],
      ),
      lostAdditions: this.#additions.filter(isGone),
      checks,
      ready: this.ready(),
      agentsStopFile: this.hasAgentsStopFile(),
    };
  }

  glance(): Glance {
    const open = this.stories.filter(({ done }) => !done).length;
    return { digest: this.repository.digest(), open };
  }

  hasAgentsStopFile(): boolean {
    return this.stopFiles.get("complete")?.by === "agent";
  }

  #weak(): string[] {
    const known = [...this.repository.work.keys()].filter((path) => path.startsWith("test/"));
    return known
      .map((path) => path.slice("test/".length))
      .filter((id) => this.strength(id) < this.#known(id));
  }

  /** What a person has last taken the tests of a story to be. */
  #known(id: string): number {
    return this.#knownTests.get(id) ?? STRENGTH;
  }
}

export function strengthIn(files: Files, id: string): number {
  const text = files.get(`test/${id}`);
  if (text === undefined) return STRENGTH;
  const strength = Number(text);
  assert(Number.isInteger(strength), `${text} is a strength`);
  return strength;
}
