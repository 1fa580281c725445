// `ralph init`: makes the folder of a new feature. Everything is looked at before the first byte is written, and what was
// made goes again when something fails half way.

import { join } from "node:path";
import { fillSimple } from "../../core/prompt/template-variables.ts";
import type { Config } from "../../core/schema/config.ts";
import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import { err, ok, type Result } from "../../std/result.ts";
import { resolveConfig } from "../../world/config/resolve-config.ts";
import type { Host } from "../../world/host/host.ts";
import {
  EJECTED,
  featurePaths,
  problemWithName,
  type FeaturePaths,
} from "../../world/layouts/hybrid.ts";
import { parseIssue, type IssueList, type NewStory } from "../../world/tasks/from-issue.ts";
import { readIssue } from "../../world/tasks/gh-issue.ts";
import { branchNameOf } from "./branch-name.ts";
import { TEMPLATE_FILES } from "./eject-template.ts";
import { findPlace, type Place } from "./open-project.ts";

/** What a person wants made. */
export interface InitOrder {
  readonly cwd: string;
  readonly feature: string;
  /** Address or number of an issue that the stories are made of. */
  readonly issue: string | undefined;
  readonly template: "default" | "tdd";
  /** Folder with the shipped templates. */
  readonly templates: string;
}

/** What was made, and where. */
export interface MadeFeature {
  readonly place: Place;
  readonly feature: FeaturePaths;
  /** How many stories came from the issue; undefined without one. */
  readonly fromIssue: number | undefined;
  /** Files that were written, as a person would write them, in the order of their importance. */
  readonly files: readonly string[];
  /** The branch that `ralph run` will work on. */
  readonly branch: string;
  /** How many checks the settings have; without any, work is accepted unverified. */
  readonly gates: number;
}

/** A file that is to be written; those that are there already are left alone. */
interface NewFile {
  readonly name: string;
  readonly text: string;
}

const FILE_MODE = 0o644;
const FOLDER_MODE = 0o755;
const SCHEMAS = ["prd.schema.json", "config.schema.json"] as const;

export async function initFeature(
  host: Host,
  order: InitOrder,
): Promise<Result<MadeFeature, Diagnostic[]>> {
  const place = findPlace(host, order.cwd);
  const feature = featurePaths(place.root, order.feature);
  const problems = checkPlace(host, place, feature);
  const config = resolveConfig(host, place.root, {});
  if (!config.ok) problems.push(...config.error);
  if (problems.length > 0 || !config.ok) return err(problems);
  const issue = await readStories(host, order, place);
  if (!issue.ok) return err([issue.error]);
  const settings = config.value.config;
  const branch = branchNameOf(order.feature, settings.branch);
  const own = featureFiles(host, order, feature, {
    config: settings,
    branch,
    list: issue.value,
    hasEjected: host.files.kind(join(place.root, EJECTED)) !== undefined,
  });
  const shared = sharedFiles(host, order).filter(
    ({ name }) => host.files.stamp(join(place.root, name)) === undefined,
  );
  try {
    write(host, place, feature, { own, shared });
  } catch (error) {
    // Another process may have made the same one meanwhile.
    if (host.files.stamp(feature.folder) === undefined) throw error;
    return err([isThere(order.feature)]);
  }
  const files = [...own, ...shared].map(({ name }) => name);
  const fromIssue = issue.value?.stories.length;
  return ok({ place, feature, fromIssue, files, branch, gates: settings.gates.length });
}

/** What stands in the way. */
function checkPlace(host: Host, { root }: Place, feature: FeaturePaths): Diagnostic[] {
  const bad = problemWithName(feature.feature);
  if (bad !== undefined) return [bad];
  if (root === host.files.real(host.env["HOME"] ?? "")) return [inHome()];
  const base = join(root, ".ralph");
  const isFolder = (path: string): boolean =>
    host.files.stamp(path) === undefined || host.files.kind(path) === "folder";
  if (!isFolder(base)) return [inTheWay(".ralph")];
  if (!isFolder(join(base, "schemas"))) return [inTheWay(".ralph/schemas")];
  if (host.files.kind(join(base, "config.yaml")) === "folder")
    return [inTheWay(".ralph/config.yaml")];
  if (host.files.stamp(feature.folder) === undefined) return [];
  const isFeature = host.files.kind(feature.tasks.path) === "file";
  return [isFeature ? isThere(feature.feature) : inTheWay(`.ralph/${feature.feature}`)];
}

async function readStories(
  host: Host,
  { issue }: InitOrder,
  { root }: Place,
): Promise<Result<IssueList | undefined, Diagnostic>> {
  if (issue === undefined) return ok(undefined);
  const found = await readIssue(host, { reference: issue, cwd: root });
  return found.ok ? ok(parseIssue(found.value)) : found;
}

function featureFiles(
  host: Host,
  order: InitOrder,
  feature: FeaturePaths,
  made: { config: Config; branch: string; list: IssueList | undefined; hasEjected: boolean },
): NewFile[] {
  const { config, branch, list } = made;
  const prd = {
    $schema: "../schemas/prd.schema.json",
    feature: feature.feature,
    branchName: branch,
    description: list?.description ?? "TODO: what this feature is for, in a sentence",
    createdAt: new Date(host.clock.now()).toISOString().replace(/\.\d+Z$/u, "Z"),
    userStories: list?.stories ?? [PLACEHOLDER],
  };
  // A template of the project's own is used as it is then, and would be hidden by a copy of ours.
  const usesEjected = made.hasEjected && order.template === "default";
  const prompt = usesEjected ? undefined : promptText(host, order, feature, config);
  const { guarded, memory, specs, tasks } = feature;
  return [
    { name: tasks.name, text: `${JSON.stringify(prd, null, 2)}\n` },
    { name: memory.name, text: "" },
    ...(prompt === undefined ? [] : [{ name: guarded.prompt.name, text: prompt }]),
    ...(list === undefined
      ? []
      : [{ name: `${specs.name}/${list.spec.name}`, text: list.spec.text }]),
    { name: `${specs.name}/.gitkeep`, text: "" },
  ];
}

/** The shipped template as plain text: what a person finds in the file goes to the agent as it stands there. */
function promptText(
  host: Host,
  { templates, template }: InitOrder,
  feature: FeaturePaths,
  config: Config,
): string | undefined {
  const text = host.files.readText(join(templates, TEMPLATE_FILES[template]));
  if (text === undefined) return undefined;
  return fillSimple(text, {
    feature: feature.feature,
    promise: config.promise,
    attempt: 1,
    task: { id: "the task", title: "below" },
    files: {
      tasks: feature.tasks.name,
      progress: feature.memory.name,
      specs: feature.specs.name,
    },
    gates: [],
  });
}

/** Settings and schemas, which all features share; one that is not shipped is left out. */
function sharedFiles(host: Host, { templates }: InitOrder): NewFile[] {
  const shipped = [
    [".ralph/config.yaml", join(templates, "config.yaml")] as const,
    ...SCHEMAS.map(
      (name) => [`.ralph/schemas/${name}`, join(templates, "..", "schemas", name)] as const,
    ),
  ];
  return shipped.flatMap(([name, path]) => {
    const text = host.files.readText(path);
    return text === undefined ? [] : [{ name, text }];
  });
}

/** The feature's folder comes last and whole, by one rename; whatever fails before takes everything with it. */
function write(
  host: Host,
  { root }: Place,
  feature: FeaturePaths,
  files: { readonly own: readonly NewFile[]; readonly shared: readonly NewFile[] },
): void {
  const made: string[] = [];
  const temporary = join(root, ".ralph", `.${feature.feature}.ralph-tmp`);
  const makeFolder = (path: string): void => {
    if (host.files.kind(path) !== undefined) return;
    made.push(path);
    host.files.makeFolder(path, FOLDER_MODE);
  };
  const put = (path: string, text: string): void => {
    makeFolder(join(path, ".."));
    made.push(path);
    host.files.replace(path, text, { mode: FILE_MODE, durability: "synced" });
  };
  try {
    makeFolder(join(root, ".ralph"));
    for (const { name, text } of files.shared) put(join(root, name), text);
    made.push(temporary);
    host.files.remove(temporary);
    makeFolder(temporary);
    const inside = `.ralph/${feature.feature}/`;
    for (const { name, text } of files.own) put(join(temporary, name.slice(inside.length)), text);
    host.files.rename(temporary, feature.folder);
  } catch (error) {
    for (const path of made.toReversed()) host.files.remove(path);
    throw error;
  }
}

const PLACEHOLDER: NewStory = {
  id: "STORY-001",
  title: "TODO: what is to be done, in a line",
  description: "TODO: who wants it, and why",
  acceptanceCriteria: ["TODO: something that can be tested"],
  priority: 1,
  passes: false,
  notes: "",
};

function isThere(feature: string): Diagnostic {
  return {
    file: `.ralph/${feature}/prd.json`,
    problem: `there is a feature "${feature}" already`,
    expected: "a new name",
    remedy: `go on with it: ralph run -f ${feature}; or lay it by first: ralph archive -f ${feature}`,
  };
}

function inTheWay(name: string): Diagnostic {
  return {
    file: name,
    problem: "something else has this name",
    expected: "no such file, so that it can be made",
    remedy: "move it away, or choose another name",
  };
}

function inHome(): Diagnostic {
  return {
    file: "command line",
    problem: "this is your home folder; its .ralph/ is for settings of all projects",
    expected: "the folder of a project",
    remedy: "go there first: cd my-project",
  };
}
