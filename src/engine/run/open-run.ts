// Starts a new run, or takes up the one that was stopped or cut off, and leaves its log open for the driver.

import { reduce } from "../../core/loop/reduce.ts";
import type { RunState } from "../../core/loop/state.ts";
import { Config } from "../../core/schema/config.ts";
import type { Event, Fact } from "../../core/schema/event.ts";
import { TaskId, type RunId } from "../../core/schema/ids.ts";
import { isResumable } from "../../core/schema/outcome.ts";
import { readStatus, type GitStatus } from "../../world/git/read-status.ts";
import type { Host } from "../../world/host/host.ts";
import { Journal } from "../../world/store/journal.ts";
import { readLatestRun, writeLatestRun } from "../../world/store/latest-run.ts";
import { readTip } from "../../world/store/read-log.ts";
import { FOLDER_MODE, runPaths, type RunPaths } from "../../world/store/run-paths.ts";
import { treeOf, type Project } from "../project/open-project.ts";
import { addUntracked, writeLeftovers, writeUntracked } from "./commit-paths.ts";

/** What is needed to start or take up a run. */
export interface OpenOrder {
  readonly project: Project;
  readonly config: Config;
  readonly run: RunId;
  readonly paths: RunPaths;
  readonly argv: readonly string[];
  readonly program: string;
  readonly onEvent: (event: Event, state: RunState) => void;
}

const VERIFIED_CHARS_MAX = 16_000;

/** An open log and the state it stands for. */
export interface OpenedRun {
  readonly journal: Journal;
  readonly state: RunState;
}

/** A run to go on with, or why the newest one cannot even be read. */
export interface OpenRun {
  readonly run: RunId | undefined;
  /** True when an agent was let go in an iteration that is still open: what it left has yet to be looked at. */
  readonly hasUnseenWork: boolean;
  readonly problem: string | undefined;
}

/** The newest run of the feature, if it goes on rather than being followed by a new one. */
export function findOpenRun(host: Host, project: Project): OpenRun {
  const none = { run: undefined, hasUnseenWork: false, problem: undefined };
  const run = readLatestRun(host, project.record, treeOf(project), project.feature.feature);
  if (run === undefined) return none;
  const tip = readTip(host, runPaths(project.record, run));
  if (!tip.ok) return { ...none, problem: tip.error };
  const { end, current } = tip.value.state;
  const goesOn = end === undefined || isResumable(end.reason);
  return goesOn ? { ...none, run, hasUnseenWork: current?.agent !== undefined } : none;
}

export async function openRun(host: Host, order: OpenOrder): Promise<OpenedRun> {
  const tip = readTip(host, order.paths);
  if (tip.ok) {
    const journal = new Journal(host, order.paths, {
      run: order.run,
      seq: tip.value.seq,
      bytes: tip.value.bytes,
    });
    const git = await readGit(host, order.project);
    if (git !== undefined) addUntracked(host, order.paths, git.dirty);
    return resume(journal, order, tip.value.state);
  }
  return await start(host, order);
}

/** The last thing a process does with a run that may go on. */
export async function letGo(host: Host, project: Project, paths: RunPaths): Promise<void> {
  const git = await readGit(host, project);
  if (git !== undefined) writeLeftovers(host, paths, git.dirty);
}

async function start(host: Host, order: OpenOrder): Promise<OpenedRun> {
  const { project, paths, run } = order;
  host.files.makeFolder(paths.folder, FOLDER_MODE);
  const tree = treeOf(project);
  const git = await readGit(host, project);
  writeUntracked(host, paths, git?.dirty ?? []);
  const journal = new Journal(host, paths, { run, seq: 0, bytes: 0 });
  const { feature } = project.feature;
  const verified = readVerified(host, project);
  const fact: Fact = {
    type: "run-started",
    program: order.program,
    config: order.config,
    argv: [...order.argv],
    layout: "hybrid",
    feature,
    tree,
    ...(git?.head === undefined ? {} : { head: git.head }),
    ...(verified.length === 0 ? {} : { verified }),
  };
  const state = record(journal, order, undefined, fact);
  journal.sync();
  // Only now: a pointer to a run without a first event would hide the one before it.
  writeLatestRun(host, project.record, { tree, feature, run });
  return { journal, state };
}

/** File by file, since a folder may come to hold files of the user's and of the agent's. */
async function readGit(host: Host, project: Project): Promise<GitStatus | undefined> {
  if (project.repository === undefined) return undefined;
  const status = await readStatus(host, project.repository.tree, "files");
  return status.ok ? status.value : undefined;
}

/** What the run before this one has verified, cut to what one event can hold. */
function readVerified(host: Host, project: Project): TaskId[] {
  const run = readLatestRun(host, project.record, treeOf(project), project.feature.feature);
  const tip = run === undefined ? undefined : readTip(host, runPaths(project.record, run));
  if (tip?.ok !== true) return [];
  const names = Object.entries(tip.value.state.accepted).filter(([, how]) => how === "verified");
  let room = VERIFIED_CHARS_MAX;
  return names.map(([id]) => TaskId.parse(id)).filter((id) => (room -= id.length + 3) > 0);
}

function resume(journal: Journal, order: OpenOrder, folded: RunState): OpenedRun {
  const resumed: Fact = { type: "run-resumed", program: order.program, argv: [...order.argv] };
  let state = record(journal, order, folded, resumed);
  const changed = changedKeys(state.config, order.config);
  if (changed.length > 0) {
    state = record(journal, order, state, {
      type: "config-changed",
      config: order.config,
      changed,
    });
  }
  // What a killed process left unsynced is built upon from here; a power loss must not take it away any more.
  journal.sync();
  return { journal, state };
}

function record(
  journal: Journal,
  order: OpenOrder,
  state: RunState | undefined,
  fact: Fact,
): RunState {
  const event = journal.append(fact, {});
  const next = reduce(state, event);
  order.onEvent(event, next);
  return next;
}

function changedKeys(old: Config, young: Config): string[] {
  // Parsed, so that both have their keys in the same order.
  const before = new Map<string, unknown>(Object.entries(Config.parse(old)));
  const after = new Map<string, unknown>(Object.entries(Config.parse(young)));
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys].filter(
    (key) => JSON.stringify(before.get(key)) !== JSON.stringify(after.get(key)),
  );
}
