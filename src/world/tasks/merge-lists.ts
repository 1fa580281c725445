// Two texts of one prd.json made into one: the words of the first, the states of the second. It decides nothing about
// whose states are to be believed; that is what `marks` says.

import { assert } from "../../std/assert.ts";
import {
  appendJsonItems,
  readJsonItems,
  setJsonKeys,
  setJsonValue,
  type JsonItem,
  type KeyChange,
} from "../../std/edit/json-edit.ts";
import { err, ok, type Result } from "../../std/result.ts";
import { parseStories, type Story } from "./parse-prd.ts";

/** Whether a story that only the second text calls done is done; a reopening is taken either way. */
type Marks = "keep" | "drop";

const FILE = "prd.json";
const STORIES = "userStories";

/**
 * The text of `base` byte for byte, with the states, the notes and the new stories of `states`. Where `states` is broken
 * it is `base` alone; merging the outcome once more changes nothing.
 */
export function mergeLists(base: string, states: string, marks: Marks): Result<string, string> {
  const ours = parseStories(base, FILE);
  if (!ours.ok) return err(ours.error[0]?.problem ?? "the list cannot be read");
  const theirs = parseStories(states, FILE);
  const items = theirs.ok ? readJsonItems(states, [STORIES]) : undefined;
  if (!theirs.ok || items === undefined) return ok(base);
  const known = new Map(theirs.value.map((story) => [story.id, story]));
  const changes = ours.value.flatMap((story, index) =>
    planChanges(story, known.get(story.id), marks).map((change) => ({
      ...change,
      path: [STORIES, index],
    })),
  );
  const edited = setJsonKeys(base, changes);
  if (!edited.ok) return edited;
  const old = new Set<string>(ours.value.map((story) => story.id));
  const added = items.filter((_, index) => !old.has(theirs.value[index]?.id ?? ""));
  return appendJsonItems(edited.value, [STORIES], marks === "keep" ? added : added.map(reopen));
}

function planChanges(
  ours: Story,
  theirs: Story | undefined,
  marks: Marks,
): Omit<KeyChange, "path">[] {
  if (theirs === undefined) return [];
  const passes = marks === "keep" ? theirs.passes : ours.passes && theirs.passes;
  return [
    ...(passes === ours.passes ? [] : [{ key: "passes", value: passes }]),
    ...(theirs.status === ours.status ? [] : [{ key: "status", value: theirs.status }]),
    ...(theirs.notes === ours.notes ? [] : [{ key: "notes", value: theirs.notes }]),
  ];
}

/** The same story, not done. */
function reopen(item: JsonItem): JsonItem {
  const source = setJsonValue(item.source, ["passes"], false);
  assert(source.ok, "a story that was read is an object");
  return { ...item, source: source.value };
}

/** The list `now` without the stories that were in `before` and are not in `edited`; what came later stays. */
export function withoutRemoved(now: string, texts: { before: string; edited: string }): string {
  const ids = (text: string): string[] => {
    const stories = parseStories(text, FILE);
    return stories.ok ? stories.value.map(({ id }) => id) : [];
  };
  const kept = new Set(ids(texts.edited));
  const removed = new Set(ids(texts.before).filter((id) => !kept.has(id)));
  const stories = parseStories(now, FILE);
  if (!stories.ok || removed.size === 0) return now;
  // Only its stories are looked at from here on, so its own form does not matter any more.
  return JSON.stringify({ [STORIES]: stories.value.filter(({ id }) => !removed.has(id)) }, null, 2);
}
