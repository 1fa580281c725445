// Takes, on a person's word, what an agent changed and may not change: edits that were put aside become the files, and
// what was done to tests and gates is trusted from now on. Only while no run works in the tree.

import { dirname, join } from "node:path";
import { reduce } from "../../core/loop/reduce.ts";
import type { RunState } from "../../core/loop/state.ts";
import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import { GUARDED_FILES } from "../../core/schema/effect.ts";
import type { Finding } from "../../core/schema/finding.ts";
import { err, ok, type Result } from "../../std/result.ts";
import { parseConfig } from "../../world/config/parse-config.ts";
import type { Host } from "../../world/host/host.ts";
import { Journal } from "../../world/store/journal.ts";
import { lockPath } from "../../world/store/latest-run.ts";
import { renderRefusal, takeLock } from "../../world/store/lock.ts";
import { readTip } from "../../world/store/read-log.ts";
import { mergeLists, withoutRemoved } from "../../world/tasks/merge-lists.ts";
import { parsePrd } from "../../world/tasks/parse-prd.ts";
import { findRun, type FoundRun } from "./find-run.ts";
import { treeOf, type Project } from "./open-project.ts";

/** What there is to accept. */
export interface OpenEdits {
  /** Files with an edit of an agent that was put aside, as a person calls them, and where the edit lies. */
  readonly files: readonly { readonly name: string; readonly aside: string }[];
  readonly findings: readonly Finding[];
}

/** A file that would be written. */
interface NewText {
  readonly path: string;
  readonly name: string;
  readonly text: string;
}

const FILE_MODE = 0o644;

export function findEdits(host: Host, project: Project): OpenEdits {
  const state = findRun(host, project)?.state;
  if (state === undefined) return { files: [], findings: [] };
  const { feature } = project;
  const { aside, trust } = state;
  const all = [
    { name: feature.tasks.name, aside: aside.tasks },
    ...GUARDED_FILES.map((file) => ({ name: feature.guarded[file].name, aside: aside[file] })),
  ];
  const files = all.flatMap((one) =>
    one.aside === undefined
      ? []
      : [{ name: one.name, aside: join(project.record, "..", one.aside) }],
  );
  return { files, findings: trust.findings };
}

/** What a person's word came to. */
export interface Accepted {
  /** One sentence each. */
  readonly taken: readonly string[];
  /** Edits that cannot be used as they are. */
  readonly refused: readonly Diagnostic[];
}

const NOTHING: Accepted = { taken: [], refused: [] };

/** What was accepted, or why nothing could be. */
export function acceptEdits(host: Host, project: Project): Result<Accepted, Diagnostic[]> {
  const found = findRun(host, project);
  if (found?.state === undefined) return ok(NOTHING);
  const path = lockPath(project.record, treeOf(project));
  const lock = takeLock(host, { path, run: found.run, otherHost: "refuse" });
  if (!lock.ok) return err([isWorking(renderRefusal(lock.error, host.clock.now()))]);
  try {
    return acceptLocked(host, project, found);
  } finally {
    lock.value.release();
  }
}

function acceptLocked(
  host: Host,
  project: Project,
  found: FoundRun,
): Result<Accepted, Diagnostic[]> {
  const tip = readTip(host, found.paths);
  if (!tip.ok) return ok(NOTHING);
  const { texts, refused } = newTexts(host, project, tip.value.state);
  const { findings } = tip.value.state.trust;
  const taken = [
    ...texts.map(({ name }) => `${name} is what the agent made of it`),
    ...findings.map((finding) => `${finding.path}: ${finding.what}`),
  ];
  if (taken.length === 0) return refused.length > 0 ? err([...refused]) : ok(NOTHING);
  for (const { path, text } of texts)
    host.files.replace(path, text, { mode: FILE_MODE, durability: "synced" });
  const { seq, bytes } = tip.value;
  const journal = new Journal(host, found.paths, { run: found.run, seq, bytes });
  try {
    const event = journal.append({ type: "edits-accepted", what: taken }, {});
    journal.sync();
    journal.snapshot(reduce(tip.value.state, event));
  } finally {
    journal.close();
  }
  return ok({ taken, refused });
}

/** All files are checked before the first is written; one that is broken does not keep the others back. */
function newTexts(
  host: Host,
  project: Project,
  { aside }: RunState,
): { texts: readonly NewText[]; refused: readonly Diagnostic[] } {
  const texts: NewText[] = [];
  const refused: Diagnostic[] = [];
  const take = (
    target: { path: string; name: string },
    text: Result<string, Diagnostic[]>,
  ): void => {
    if (text.ok) texts.push({ ...target, text: text.value });
    else refused.push(...text.error);
  };
  const { feature, record } = project;
  if (aside.tasks !== undefined)
    take(feature.tasks, acceptedList(host, project, join(record, "..", aside.tasks)));
  for (const file of GUARDED_FILES) {
    const name = aside[file];
    const text = name === undefined ? undefined : host.files.readText(join(record, "..", name));
    if (text === undefined) continue;
    const parsed = file === "settings" ? parseConfig(text, feature.guarded[file].name) : ok(text);
    take(feature.guarded[file], parsed.ok ? ok(text) : parsed);
  }
  return { texts, refused };
}

/** The agent's list, with the states and the new tasks of the one that is there now. */
function acceptedList(
  host: Host,
  { feature }: Project,
  aside: string,
): Result<string, Diagnostic[]> {
  const edited = host.files.readText(aside) ?? "";
  const before = host.files.readText(join(dirname(aside), "tasks.before")) ?? "";
  const now = host.files.readText(feature.tasks.path) ?? "";
  const parsed = parsePrd(edited, feature.tasks.name);
  if (!parsed.ok) return err(parsed.error.map((one) => ({ ...one, remedy: unusable(aside) })));
  const merged = mergeLists(edited, withoutRemoved(now, { before, edited }), "keep");
  return merged.ok ? merged : err([badList(feature.tasks.name, merged.error, aside)]);
}

function badList(file: string, problem: string, aside: string): Diagnostic {
  return { file, problem, expected: "a list that can be read", remedy: unusable(aside) };
}

function unusable(aside: string): string {
  return `this edit cannot be taken as it is; it lies in ${aside}`;
}

function isWorking(problem: string): Diagnostic {
  return {
    file: "this tree",
    problem,
    expected: "no run at work: what changes during an iteration is taken for the agent's",
    remedy: "stop it first: ralph stop",
  };
}
