// prd.json: reads the user stories and says precisely what is wrong with a file that has none to read.

import * as z from "zod/mini";
import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import { TaskId } from "../../core/schema/ids.ts";
import type { TaskList } from "../../core/schema/task.ts";
import { findJsonProblem, isTooDeep, locateJson, type JsonPath } from "../../std/edit/json-edit.ts";
import { printableLine } from "../../std/printable.ts";
import { err, ok, type Result } from "../../std/result.ts";
import { stripBom, toList } from "./stories.ts";

const REMEDY = "mend the file and start again; nothing was changed";

const ID_MAX = 100;
/** An id stands in events, in variables and on lines of their own, so it is short and one line. */
const StoryId = TaskId.check(
  z.refine((id) => id.length <= ID_MAX && !/[\p{Cc}\u2028\u2029]/u.test(id)),
);

/** A key with what it means; the sentence also goes into the JSON Schema. */
function described<T extends z.ZodMiniType>(schema: T, description: string): T {
  z.globalRegistry.add(schema, { description });
  return schema;
}

// Only id, title and passes must be there: lists of other tools have no more, or have keys of their own.
export const Story = z.looseObject({
  id: described(StoryId, "Name of the story, unique in the list; 1 to 100 characters on one line"),
  title: described(z.string(), "What is to be done, in one line"),
  description: described(z.optional(z.string()), "What is to be done, in full"),
  acceptanceCriteria: described(
    z.optional(z.array(z.string())),
    "What must be true when the story is done",
  ),
  priority: described(z.optional(z.number()), "1 comes first; without one the order of the file"),
  passes: described(z.boolean(), "Done or not"),
  status: described(z.optional(z.string()), "`in-progress` is taken up before anything else"),
  dependsOn: described(z.optional(z.array(TaskId)), "Ids of stories that must be done first"),
  notes: described(z.optional(z.string()), "Shown to the agent; also the place for answers"),
  checks: described(
    z.optional(z.union([z.string(), z.array(z.string())])),
    "Commands of its own that must succeed before the story counts as done",
  ),
});

/** The whole file; what else stands in it is a person's own. */
export const Prd = z.looseObject({
  feature: described(z.optional(z.string()), "Name of the feature: that of its folder"),
  branchName: described(z.optional(z.string()), "Branch the work is done on"),
  userStories: described(z.array(Story), "The stories"),
});

/** A story as it stands in the file, with the keys that nobody here knows. */
export type Story = z.infer<typeof Story>;

/** `file` is the name used in messages. */
export function parsePrd(text: string, file: string): Result<TaskList, Diagnostic[]> {
  const checked = check(text, file);
  return checked.ok ? ok(toList(checked.value.json)) : checked;
}

/** The same stories as they stand in the file, for who has to know which keys are there. */
export function parseStories(text: string, file: string): Result<Story[], Diagnostic[]> {
  const checked = check(text, file);
  return checked.ok ? ok(checked.value.stories) : checked;
}

/** What the list says about itself beside its stories; nothing where it cannot be read. */
export function readNames(text: string): {
  readonly feature: string | undefined;
  readonly branch: string | undefined;
} {
  try {
    const { feature, branchName } = Prd.parse(JSON.parse(stripBom(text)));
    return { feature, branch: branchName };
  } catch {
    return { feature: undefined, branch: undefined };
  }
}

/** A list that was copied from another feature says so by its name. */
export function checkFeature(text: string, file: string, feature: string): Diagnostic[] {
  const written = readNames(text).feature;
  if (written === undefined || written === feature) return [];
  return [
    {
      file,
      ...locateJson(text, ["feature"]),
      problem: `feature is ${shown(written)}, but its folder is "${feature}"`,
      expected: `"${feature}"`,
      remedy: "write the name of the folder, or rename the folder",
    },
  ];
}

/** Index of each story by id, for edits. */
export function indexStories(text: string): Map<string, number> {
  const parsed = Prd.safeParse(JSON.parse(stripBom(text)));
  const stories = parsed.success ? parsed.data.userStories : [];
  return new Map(stories.map((story, index) => [story.id, index]));
}

function check(
  text: string,
  file: string,
): Result<{ json: unknown; stories: Story[] }, Diagnostic[]> {
  const json = parseJson(text, file);
  if (!json.ok) return json;
  const parsed = Prd.safeParse(json.value);
  if (!parsed.success)
    return err(parsed.error.issues.map((issue) => explain(text, file, issue, json.value)));
  const stories = parsed.data.userStories;
  const problems = [...checkNotEmpty(stories, file), ...checkIds(stories, text, file)];
  return problems.length > 0 ? err(problems) : ok({ json: json.value, stories });
}

function parseJson(text: string, file: string): Result<unknown, Diagnostic[]> {
  try {
    const json: unknown = JSON.parse(stripBom(text));
    if (!isTooDeep(json)) return ok(json);
    const problem = "the file is nested too deeply";
    return err([{ file, problem, expected: "at most 500 levels", remedy: REMEDY }]);
  } catch {
    const problem = findJsonProblem(text) ?? { line: 1, column: 1, message: "this is not JSON" };
    const { line, column, message } = problem;
    return err([{ file, line, column, problem: message, expected: "valid JSON", remedy: REMEDY }]);
  }
}

function explain(text: string, file: string, issue: z.core.$ZodIssue, json: unknown): Diagnostic {
  const path = issue.path.filter((part): part is string | number => typeof part !== "symbol");
  const where = renderPath(path);
  const isMissing = issue.code === "invalid_type" && valueAt(json, path) === undefined;
  return {
    file,
    ...locateJson(text, path),
    problem: isMissing ? `${where} is missing` : `${where} is ${shown(valueAt(json, path))}`,
    expected: expectation(path),
    remedy: REMEDY,
  };
}

/** A value as it stands in the file, cut to what a message can hold. */
function shown(value: unknown): string {
  return printableLine(JSON.stringify(value) ?? "nothing", 80);
}

function valueAt(json: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined,
    json,
  );
}

function expectation(path: JsonPath): string {
  const field = typeof path.at(-1) === "number" ? path.at(-2) : path.at(-1);
  switch (field) {
    case "id":
      return `a text of 1 to ${ID_MAX} characters on one line`;
    case "passes":
      return "true or false";
    case "priority":
      return "a number, 1 for the most urgent";
    case "acceptanceCriteria":
      return "a list of texts";
    case "dependsOn":
      return "a list of story ids";
    case "checks":
      return "a command, or a list of commands";
    case "userStories":
      return 'a list of stories: "userStories": [{ "id": …, "title": …, "passes": false }]';
    default:
      return path.length === 0 ? 'an object with "userStories"' : "a text in double quotes";
  }
}

function checkNotEmpty(stories: readonly Story[], file: string): Diagnostic[] {
  if (stories.length > 0) return [];
  const expected = "at least one story";
  return [
    {
      file,
      problem: "userStories is empty: there is nothing to do",
      expected,
      remedy: "add a story",
    },
  ];
}

function checkIds(stories: readonly Story[], text: string, file: string): Diagnostic[] {
  const known = new Set(stories.map((story) => story.id));
  const seen = new Set<string>();
  return stories.flatMap((story, index) => {
    const problems: Diagnostic[] = [];
    const at = (key: string): { line: number; column: number } =>
      locateJson(text, ["userStories", index, key]);
    if (seen.has(story.id)) {
      const problem = `the id "${story.id}" is used twice`;
      problems.push({
        file,
        ...at("id"),
        problem,
        expected: "a different id for each story",
        remedy: REMEDY,
      });
    }
    seen.add(story.id);
    for (const id of story.dependsOn?.filter((name) => !known.has(name)) ?? []) {
      const problem = `"${story.id}" depends on "${id}", which is not in the list`;
      problems.push({
        file,
        ...at("dependsOn"),
        problem,
        expected: "ids of other stories",
        remedy: REMEDY,
      });
    }
    return problems;
  });
}

function renderPath(path: JsonPath): string {
  const text = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`)).join("");
  return text === "" ? "the file" : text.replace(/^\./u, "");
}
