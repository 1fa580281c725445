// The pretend project: a task list, code with a truth of its own, a memory file and a repository. Gates look at the
// code, never at what anybody says about it.

import { TaskId } from "../../src/core/schema/ids.ts";
import type { Task } from "../../src/core/schema/task.ts";
import type { Machine } from "./machine.ts";
import type { Hand } from "./timeline.ts";

/** A story as the list holds it; `by` is who set its mark last. */
export interface Story {
  readonly id: string;
  readonly title: string;
  readonly priority: number;
  readonly dependsOn: readonly string[];
  readonly done: boolean;
  readonly by: Hand;
}

/** The list, or what an agent or a person has made of it. */
export type ListFile =
  | { readonly kind: "list"; readonly stories: readonly Story[] }
  | { readonly kind: "broken" | "missing"; readonly by: Hand };

/** What the program keeps between two agents, and what git would show. */
export class PretendProject {
  readonly #machine: Machine;
  readonly #isCovered: (gate: string, id: string) => boolean;
  list: ListFile;
  /** Stories that really work, and those that did and are broken now. */
  readonly code = new Map<string, "good" | "broken">();
  commits = 1;
  readonly trailers: string[] = [];
  readonly dirty = new Set<string>();
  treeVersion = 0;
  memoryBytes = 0;
  readonly markers: string[] = [];
  /** The list as it was before anybody damaged it. */
  lastReadable: readonly Story[];
  #nextStory: number;

  constructor(
    machine: Machine,
    stories: readonly Story[],
    isCovered: (gate: string, id: string) => boolean,
  ) {
    this.#machine = machine;
    this.#isCovered = isCovered;
    this.list = { kind: "list", stories };
    this.lastReadable = stories;
    this.#nextStory = stories.length + 1;
    for (const story of stories) if (story.done) this.code.set(story.id, "good");
  }

  get stories(): readonly Story[] {
    return this.list.kind === "list" ? this.list.stories : [];
  }

  get head(): string {
    return `c${String(this.commits).padStart(11, "0")}`;
  }

  story(id: string): Story | undefined {
    return this.stories.find((story) => story.id === id);
  }

  tasks(): readonly Task[] | undefined {
    return this.list.kind === "list" ? this.list.stories.map(toTask) : undefined;
  }

  isRed(gate: string): boolean {
    return this.stories.some(
      ({ id, done }) => done && this.#isCovered(gate, id) && this.code.get(id) !== "good",
    );
  }

  /** The one way in which the list changes, so that every mark is on the timeline. */
  setList(next: ListFile, by: Hand): void {
    const before = new Map(this.lastReadable.map((story) => [story.id, story.done]));
    this.list = next;
    this.dirty.add("prd.json");
    if (next.kind !== "list") {
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
    const stories = this.stories.map((s) =>
      s.id === id && s.done !== done ? { ...s, done, by } : s,
    );
    this.setList({ kind: "list", stories }, by);
    return true;
  }

  add(count: number, done: boolean, by: Hand): string | undefined {
    if (this.list.kind !== "list") return undefined;
    const added = Array.from({ length: count }, (): Story => {
      const id = `S-${this.#nextStory++}`;
      return { id, title: `added ${id}`, priority: 50, dependsOn: [], done, by };
    });
    this.setList({ kind: "list", stories: [...this.stories, ...added] }, by);
    return added[0]?.id;
  }

  retitle(id: string, title: string): void {
    if (this.list.kind !== "list") return;
    const stories = this.stories.map((s) => (s.id === id ? { ...s, title } : s));
    this.setList({ kind: "list", stories }, "person");
  }

  /** Makes a story work, and whatever else is marked done and does not. */
  implement(id: string): void {
    this.code.set(id, "good");
    for (const story of this.stories) if (story.done) this.code.set(story.id, "good");
    this.touch(`src/${id}`);
  }

  touch(path: string): void {
    this.dirty.add(path);
    this.treeVersion += 1;
  }

  /** Undefined where nothing was left to commit. */
  commit(trailer: string | undefined): string | undefined {
    if (this.dirty.size === 0) return undefined;
    this.dirty.clear();
    this.commits += 1;
    this.treeVersion += 1;
    if (trailer !== undefined) this.trailers.push(trailer);
    this.#machine.tell({ type: "committed", trailer });
    return this.head;
  }

  remember(marker: string | undefined): void {
    this.memoryBytes += 100;
    this.dirty.add("progress.txt");
    if (marker !== undefined) this.markers.push(marker);
    this.#machine.tell({ type: "remembered", marker });
  }
}

export function toTask(story: Story): Task {
  return {
    id: TaskId.parse(story.id),
    title: story.title,
    description: "",
    criteria: [],
    priority: story.priority,
    status: story.done ? "done" : "open",
    dependsOn: story.dependsOn.map((id) => TaskId.parse(id)),
    notes: "",
  };
}
