// The stories of a prd.json, and nothing about what may be wrong with one: this much every look at a feature needs.

import * as z from "zod/mini";
import { TaskId } from "../../core/schema/ids.ts";
import type { Task } from "../../core/schema/task.ts";

/** The longest id of a story. */
export const ID_MAX = 100;
/** An id stands in events, in variables and on lines of their own, so it is short and one line. */
const StoryId = TaskId.check(
  z.refine((id) => id.length <= ID_MAX && !/[\p{Cc}\u2028\u2029]/u.test(id)),
);

// Only id, title and passes must be there: lists of other tools have no more, or have keys of their own.
export const Story = z.looseObject({
  id: StoryId,
  title: z.string(),
  description: z.optional(z.string()),
  acceptanceCriteria: z.optional(z.array(z.string())),
  priority: z.optional(z.number()),
  passes: z.boolean(),
  status: z.optional(z.string()),
  dependsOn: z.optional(z.array(TaskId)),
  notes: z.optional(z.string()),
});

export const Prd = z.looseObject({ userStories: z.array(Story) });

/** One story as it is written. */
export type Story = z.infer<typeof Story>;

/** The tasks of a text, or none where it cannot be read. */
export function readStories(text: string): Task[] {
  try {
    return Prd.parse(JSON.parse(stripBom(text))).userStories.map(toTask);
  } catch {
    return [];
  }
}

export function toTask(story: Story): Task {
  const isRunning = story.status === "in-progress" || story.status === "in_progress";
  return {
    id: story.id,
    title: story.title,
    description: story.description ?? "",
    criteria: story.acceptanceCriteria ?? [],
    priority: story.priority,
    status: story.passes ? "done" : isRunning ? "in-progress" : "open",
    dependsOn: story.dependsOn ?? [],
    notes: story.notes ?? "",
  };
}

export function stripBom(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}
