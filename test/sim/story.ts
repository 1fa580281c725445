// A story of the pretend list, and how the program sees it.

import { TaskId } from "../../src/core/schema/ids.ts";
import type { Task, TaskList } from "../../src/core/schema/task.ts";
import type { Hand } from "./timeline.ts";

/** A story as the list holds it; `by` is who set its mark last. */
export interface Story {
  readonly id: string;
  readonly title: string;
  readonly criteria: readonly string[];
  readonly notes: string;
  readonly priority: number;
  readonly dependsOn: readonly string[];
  /** The command of its own check. */
  readonly check: string | undefined;
  readonly done: boolean;
  readonly by: Hand;
}

/** What a readable list holds. */
export interface Listed {
  readonly stories: readonly Story[];
  readonly frame: string;
}

/** The list, or what an agent or a person has made of it. */
export type ListFile =
  | ({ readonly kind: "list" } & Listed)
  | { readonly kind: "broken" | "missing"; readonly by: Hand };

export function toList({ stories, frame }: Listed): TaskList {
  return { tasks: stories.map(toTask), frame };
}

export function toTask(story: Story): Task {
  return {
    id: TaskId.parse(story.id),
    title: story.title,
    description: "",
    criteria: story.criteria,
    priority: story.priority,
    status: story.done ? "done" : "open",
    dependsOn: story.dependsOn.map((id) => TaskId.parse(id)),
    notes: story.notes,
    checks: story.check === undefined ? [] : [story.check],
    get frozen(): string {
      return frozenOf(story);
    },
  };
}

/** All that an agent may not change. */
export function frozenOf({ id, title, criteria, priority, dependsOn, check }: Story): string {
  return [id, title, criteria.join(","), priority, dependsOn.join(), check ?? ""].join("|");
}

/** The words of the first, the states and the new stories of the second; marks of the second do not count. */
export function mergeStories(base: Listed, left: Listed | undefined): Listed {
  if (left === undefined) return base;
  const now = new Map(left.stories.map((story) => [story.id, story]));
  const known = new Set(base.stories.map(({ id }) => id));
  const kept = base.stories.map((story) => {
    const { done = story.done, notes = story.notes, by } = now.get(story.id) ?? {};
    return story.done && !done
      ? { ...story, done, notes, by: by ?? story.by }
      : { ...story, notes };
  });
  const added = left.stories
    .filter(({ id }) => !known.has(id))
    .map((story) => ({ ...story, done: false }));
  return { stories: [...kept, ...added], frame: base.frame };
}
