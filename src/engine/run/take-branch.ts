// Before a new run: onto the branch that the list or the settings ask for, and the run before it to the archive when that
// one worked on another. Under the lock; after it everything is as it was, or as it should be.

import type { RunState } from "../../core/loop/state.ts";
import type { Config } from "../../core/schema/config.ts";
import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import { locateJson } from "../../std/edit/json-edit.ts";
import { err, ok, type Result } from "../../std/result.ts";
import { leaveBranch, takeBranch } from "../../world/git/branch.ts";
import type { Host } from "../../world/host/host.ts";
import { readNames } from "../../world/tasks/parse-prd.ts";
import { wantedBranch, type WantedBranch } from "../project/branch-name.ts";
import type { Project } from "../project/open-project.ts";
import { archivePrevious, type OwnCommit } from "./archive-previous.ts";

/** The little of a run that has been checked and that another branch may change. */
interface Checked {
  readonly project: Project;
  readonly config: Config;
}

/** What is on the branch now. */
export interface OnBranch<T extends Checked> {
  readonly prepared: T;
  /** Undefined where none was asked for. */
  readonly branch: string | undefined;
  /** A commit that was made for the archive, and is no person's. */
  readonly ownCommit: OwnCommit | undefined;
}

/** How a run is brought onto its branch. */
export interface TakeOrder<T extends Checked> {
  readonly prepared: T;
  /** Checks everything once more: another branch may have another list and other settings. */
  readonly prepareAgain: () => Promise<Result<T, Diagnostic[]>>;
  readonly last: RunState | undefined;
  readonly onNotice: (text: string) => void;
}

export async function takeWantedBranch<T extends Checked>(
  host: Host,
  order: TakeOrder<T>,
): Promise<Result<OnBranch<T>, Diagnostic[]>> {
  const { prepared, last, onNotice } = order;
  const { repository, feature } = prepared.project;
  const wanted = wantedIn(host, prepared);
  if (repository === undefined || wanted === undefined)
    return ok({ prepared, branch: undefined, ownCommit: undefined });
  // Another branch may have a memory of its own; this one is what the run before has written.
  const progress = host.files.readText(feature.memory.path) ?? "";
  const taken = await takeBranch(host, repository, wanted);
  if (!taken.ok) return err([explain(host, prepared.project, wanted, taken.error)]);
  const { did, before } = taken.value;
  const again = did === "switched" ? await checkAgain(host, order, wanted) : ok(prepared);
  if (!again.ok) {
    if (before !== undefined) await leaveBranch(host, repository, before);
    return again;
  }
  if (did !== "nothing")
    onNotice(did === "created" ? `branch ${wanted.name} was created` : `on branch ${wanted.name}`);
  const { project } = again.value;
  const isOther = last?.branch !== undefined && last.branch !== wanted.name;
  const ownCommit = isOther
    ? await archivePrevious(host, { project, last, progress, onNotice })
    : undefined;
  return ok({ prepared: again.value, branch: wanted.name, ownCommit });
}

/** The branch that a new run would work on. */
export function wantedIn(host: Host, { project, config }: Checked): WantedBranch | undefined {
  const { feature, tasks } = project.feature;
  const { branch } = readNames(host.files.readText(tasks.path) ?? "");
  return wantedBranch(feature, branch, config.branch);
}

/** The list on the branch may name yet another one; nobody is led about. */
async function checkAgain<T extends Checked>(
  host: Host,
  { prepareAgain }: TakeOrder<T>,
  wanted: WantedBranch,
): Promise<Result<T, Diagnostic[]>> {
  const again = await prepareAgain();
  if (!again.ok) {
    const there = (one: Diagnostic) => ({ ...one, file: `${one.file} (branch ${wanted.name})` });
    return err(again.error.map(there));
  }
  const next = wantedIn(host, again.value);
  if (next === undefined || next.name === wanted.name) return again;
  const problem = `this names the branch "${wanted.name}", and the list there names "${next.name}"`;
  const remedy = "name the same branch in both";
  return err([
    { ...placeOf(host, again.value.project, next), problem, expected: wanted.name, remedy },
  ]);
}

function explain(
  host: Host,
  project: Project,
  wanted: WantedBranch,
  { problem, remedy }: { readonly problem: string; readonly remedy: string },
): Diagnostic {
  const expected = "a branch that this working tree can be on";
  return { ...placeOf(host, project, wanted), problem, expected, remedy };
}

/** Where the branch is asked for. */
function placeOf(
  host: Host,
  { feature }: Project,
  { from }: WantedBranch,
): Pick<Diagnostic, "file" | "line" | "column"> {
  if (from === "settings") return { file: feature.guarded.settings.name };
  const text = host.files.readText(feature.tasks.path) ?? "";
  return { file: feature.tasks.name, ...locateJson(text, ["branchName"]) };
}
