// The hybrid layout: a folder per feature under `.ralph/`, with a list of stories, a progress log and room for specs.

import { join } from "node:path";
import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import type { GuardedFile, SignalKind } from "../../core/schema/effect.ts";
import { nearest } from "../../std/nearest.ts";
import { err, ok, type Result } from "../../std/result.ts";
import type { Host } from "../host/host.ts";

/** Where one feature's files lie; `name` is the path as a person would write it. */
export interface FeaturePaths {
  readonly feature: string;
  readonly folder: string;
  readonly tasks: { readonly path: string; readonly name: string };
  readonly memory: { readonly path: string; readonly name: string };
  /** Files that only a person may change. */
  readonly guarded: Readonly<Record<GuardedFile, { readonly path: string; readonly name: string }>>;
  /** Files by which an agent says that all is done, or that it waits for a person. */
  readonly stopFiles: Readonly<Record<SignalKind, string>>;
  readonly specs: { readonly path: string; readonly name: string };
  /** Folder of what was done and laid by, of all features. */
  readonly archive: { readonly path: string; readonly name: string };
}

/** What a feature is looked for by. */
export interface FeatureQuery {
  readonly tree: string;
  readonly wanted: string | undefined;
  readonly branch: string | undefined;
  /** The folder of `.ralph/` in which the person stands. */
  readonly folder?: string | undefined;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/u;
const NAME_EXPECTED =
  "at most 100 letters, digits, dots, dashes and underscores, starting with a letter or digit";

/** Where a prompt template lies that was ejected. */
export const EJECTED = ".ralph/templates/prompt.md";

/** Folders of `.ralph/` that are no features. */
const RESERVED: readonly string[] = ["archive", "schemas", "templates"];

export function featurePaths(tree: string, feature: string): FeaturePaths {
  const named = (file: string): { path: string; name: string } => ({
    path: join(tree, ".ralph", feature, file),
    name: `.ralph/${feature}/${file}`,
  });
  return {
    feature,
    folder: join(tree, ".ralph", feature),
    tasks: named("prd.json"),
    memory: named("progress.txt"),
    guarded: {
      settings: { path: join(tree, ".ralph", "config.yaml"), name: ".ralph/config.yaml" },
      prompt: named("prompt.md"),
      template: { path: join(tree, EJECTED), name: EJECTED },
    },
    stopFiles: { complete: named("COMPLETE").path, waiting: named("WAITING").path },
    specs: named("specs"),
    archive: { path: join(tree, ".ralph", "archive"), name: ".ralph/archive" },
  };
}

/** The named feature, or the one in whose folder the person is, or the one the branch is named after, or the only one. */
export function findFeature(host: Host, query: FeatureQuery): Result<FeaturePaths, Diagnostic[]> {
  const features = listFeatures(host, query.tree);
  if (query.wanted !== undefined) return findNamed(query.tree, query.wanted, features);
  const byBranch = features.find((feature) => isNamedAfter(query.branch ?? "", feature));
  const only = features.length === 1 ? features[0] : undefined;
  const byFolder = features.find((feature) => feature === query.folder);
  const feature = byFolder ?? byBranch ?? only;
  if (feature !== undefined) return ok(featurePaths(query.tree, feature));
  return err([features.length === 0 ? noFeature() : ambiguous(features)]);
}

/** Names of the features that have a task list, sorted. */
export function listFeatures(host: Host, tree: string): string[] {
  const folder = join(tree, ".ralph");
  return host.files
    .list(folder)
    .filter(
      (name) => isFeatureName(name) && host.files.kind(join(folder, name, "prd.json")) === "file",
    )
    .toSorted();
}

function isFeatureName(name: string): boolean {
  return problemWithName(name) === undefined;
}

/** Why a text cannot be the name of a feature; undefined where it can. */
export function problemWithName(name: string): Diagnostic | undefined {
  const file = "command line";
  const problem = `"${name}" cannot be the name of a feature`;
  if (!NAME.test(name) || name.includes(".."))
    return { file, problem, expected: NAME_EXPECTED, remedy: "choose another name" };
  if (!RESERVED.includes(name) && !/^ralph-\d+$/u.test(name)) return undefined;
  const taken = `${RESERVED.join(", ")} and ralph-1, ralph-2 … have a meaning of their own`;
  return { file, problem, expected: `another name: ${taken}`, remedy: "choose another name" };
}

function findNamed(
  tree: string,
  wanted: string,
  features: readonly string[],
): Result<FeaturePaths, Diagnostic[]> {
  const bad = problemWithName(wanted);
  if (bad !== undefined) return err([bad]);
  if (features.includes(wanted)) return ok(featurePaths(tree, wanted));
  const close = nearest(wanted, features);
  const remedy = close === undefined ? `make it: ralph init ${wanted}` : `did you mean "${close}"?`;
  const expected =
    features.length === 0
      ? "a folder .ralph/NAME with a prd.json"
      : `one of: ${features.join(", ")}`;
  return err([
    { file: "command line", problem: `there is no feature "${wanted}" here`, expected, remedy },
  ]);
}

function isNamedAfter(branch: string, feature: string): boolean {
  return (
    branch === feature || branch.endsWith(`/${feature}`) || branch.replaceAll("/", "-") === feature
  );
}

function noFeature(): Diagnostic {
  return {
    file: ".ralph/",
    problem: "there is no feature here",
    expected: "a folder .ralph/NAME with a prd.json",
    remedy: "make one: ralph init NAME, or go to the folder of your project",
  };
}

function ambiguous(features: readonly string[]): Diagnostic {
  return {
    file: ".ralph/",
    problem: `there are ${features.length} features here and the branch is named after none of them`,
    expected: `one of: ${features.slice(0, 20).join(", ")}`,
    remedy: `name one: -f ${features[0] ?? "NAME"}`,
  };
}
