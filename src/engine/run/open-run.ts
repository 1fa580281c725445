// Starts a new run, or takes up the one that was stopped or cut off, and leaves its log open for the driver.

import { isOwnCheck } from "../../core/loop/gates.ts";
import { reduce } from "../../core/loop/reduce.ts";
import type { RunState } from "../../core/loop/state.ts";
import { Config } from "../../core/schema/config.ts";
import { GUARDED_FILES } from "../../core/schema/effect.ts";
import type { Event, Fact, Inherited } from "../../core/schema/event.ts";
import { TaskId, type RunId } from "../../core/schema/ids.ts";
import { isResumable } from "../../core/schema/outcome.ts";
import { unpinRefs } from "../../world/git/pin-refs.ts";
import { readStatus, type GitStatus } from "../../world/git/read-status.ts";
import type { Host } from "../../world/host/host.ts";
import { featurePaths } from "../../world/layouts/hybrid.ts";
import { Journal } from "../../world/store/journal.ts";
import { KeptTexts } from "../../world/store/kept-texts.ts";
import {
  listFeaturesWithRuns,
  readLatestRun,
  treeKey,
  writeLatestRun,
} from "../../world/store/latest-run.ts";
import { readTip } from "../../world/store/read-log.ts";
import { FILE_MODE, FOLDER_MODE, runPaths, type RunPaths } from "../../world/store/run-paths.ts";
import { findPlace, treeOf, type Project } from "../project/open-project.ts";
import type { OwnCommit } from "./archive-previous.ts";
import { addUntracked, writeLeftovers, writeUntracked } from "./commit-paths.ts";

/** What is needed to start or take up a run. */
export interface OpenOrder {
  readonly project: Project;
  readonly config: Config;
  readonly run: RunId;
  readonly paths: RunPaths;
  readonly argv: readonly string[];
  readonly program: string;
  /** When agents were started in this tree within the last hour; undefined where nobody has noted it. */
  readonly calls: readonly number[] | undefined;
  /** Whether an open circuit breaker stays so. */
  readonly circuit: "kept" | "reset";
  /** Whether somebody can be asked. */
  readonly person: "present" | "away";
  /** The branch a new run was asked to work on. */
  readonly branch?: string | undefined;
  /** A commit of ours since the run before: it makes nothing a person's. */
  readonly ownCommit?: OwnCommit | undefined;
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
  /** The settings as they were before that agent, whose hand may be in the file; undefined where the file counts. */
  readonly settings: { readonly text: string | undefined } | undefined;
  readonly problem: string | undefined;
}

/** The newest run of the feature, if it goes on rather than being followed by a new one. */
export function findOpenRun(host: Host, project: Project): OpenRun {
  const none = {
    run: undefined,
    hasUnseenWork: false,
    settings: undefined,
    problem: undefined,
  };
  const run = readLatestRun(host, project.record, treeOf(project), project.feature.feature);
  if (run === undefined) return none;
  const paths = runPaths(project.record, run);
  const tip = readTip(host, paths);
  if (!tip.ok) return { ...none, problem: tip.error };
  const { end, current } = tip.value.state;
  const goesOn = end === undefined || isResumable(end.reason);
  if (!goesOn) return none;
  const hasUnseenWork = current?.agent !== undefined;
  return { ...none, run, hasUnseenWork, settings: settingsBefore(host, paths, current) };
}

/** What an agent made of the settings before the runner died must not decide how its own work is judged. */
function settingsBefore(
  host: Host,
  paths: RunPaths,
  current: RunState["current"],
): OpenRun["settings"] {
  const guarded = current?.before?.guarded;
  if (current?.agent === undefined || current.after !== undefined || guarded === undefined)
    return undefined;
  const text = new KeptTexts(host, paths.guarded).read(guarded.settings);
  const isLost = guarded.settings !== undefined && text === undefined;
  return isLost ? undefined : { text };
}

/** A project whose list an agent has deleted before its runner died is found by its run; the list is then put back. */
export function openCutOff(
  host: Host,
  cwd: string,
  wanted: string | undefined,
): Project | undefined {
  const place = findPlace(host, cwd);
  const features = listFeaturesWithRuns(host, place.record, treeOf(place));
  const projects = features
    .filter((feature) => wanted === undefined || wanted === feature)
    .map((feature) => ({ ...place, feature: featurePaths(place.root, feature) }));
  return projects.find((project) => findOpenRun(host, project).hasUnseenWork);
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
  const list = host.files.readText(project.feature.tasks.path);
  const how = { mode: FILE_MODE, durability: "cached" } as const;
  if (list !== undefined) host.files.replace(paths.tasks, list, how);
  const { repository } = project;
  // What nobody has looked at yet may be missing something that only a pin still holds.
  if (repository !== undefined && !findOpenRun(host, project).hasUnseenWork)
    await unpinRefs(host, repository, treeKey(repository.tree));
}

async function start(host: Host, order: OpenOrder): Promise<OpenedRun> {
  const { project, paths, run } = order;
  host.files.makeFolder(paths.folder, FOLDER_MODE);
  const tree = treeOf(project);
  const git = await readGit(host, project);
  writeUntracked(host, paths, git?.dirty ?? [], lastPaths(host, project));
  const journal = new Journal(host, paths, { run, seq: 0, bytes: 0 });
  const { feature } = project.feature;
  const last = readLastState(host, project);
  const verified = last === undefined ? [] : verifiedIn(last);
  const inherited = last === undefined ? {} : inheritedFrom(last, order);
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
    ...(order.calls === undefined ? {} : { calls: [...order.calls] }),
    ...(Object.keys(inherited).length === 0 ? {} : { inherited }),
    ...(order.branch === undefined ? {} : { branch: order.branch }),
    ...(order.person === "away" ? { unattended: true } : {}),
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

function lastPaths(host: Host, project: Project): RunPaths | undefined {
  const run = readLatestRun(host, project.record, treeOf(project), project.feature.feature);
  return run === undefined ? undefined : runPaths(project.record, run);
}

/** How the run before this one ended; undefined where there is none that can be read. */
export function readLastState(host: Host, project: Project): RunState | undefined {
  const paths = lastPaths(host, project);
  const tip = paths === undefined ? undefined : readTip(host, paths);
  return tip?.ok === true ? tip.value.state : undefined;
}

/** What it has verified, cut to what one event can hold. */
function verifiedIn(last: RunState): TaskId[] {
  const names = Object.entries(last.accepted).filter(([, how]) => how === "verified");
  let room = VERIFIED_CHARS_MAX;
  return names.map(([id]) => TaskId.parse(id)).filter((id) => (room -= id.length + 3) > 0);
}

/** What outlives a run: an open breaker, what the feature has cost, and tampering that nobody has accepted. */
function inheritedFrom(last: RunState, { circuit, config, ownCommit }: OpenOrder): Inherited {
  const { breaker, spent, trust } = last;
  const costUsd = sum(spent.costUsd, last.costUsd);
  const tokens = sum(spent.tokens, last.tokens);
  const isOpen = breaker.state !== "closed" && circuit === "kept";
  const greenGates = greenIn(last, config);
  const aside: NonNullable<Inherited["aside"]> = {};
  for (const file of ["tasks", ...GUARDED_FILES] as const) {
    const path = last.aside[file];
    if (path !== undefined) aside[file] = path;
  }
  const head = ownCommit?.before === trust.head ? (ownCommit?.after ?? trust.head) : trust.head;
  // With commits of agents that nobody has accepted, HEAD is nothing to compare with, even where the tree looks well.
  const isSettled = trust.findings.length === 0 && trust.commit === trust.head;
  const suspicion = {
    ...(trust.commit === undefined ? {} : { trusted: trust.commit }),
    ...(head === undefined ? {} : { head }),
    findings: [...trust.findings],
    touched: [...trust.touched],
  };
  return {
    ...(isOpen ? { breaker: breaker.why ?? "nothing moved" } : {}),
    ...(isOpen && breaker.error !== undefined ? { breakerError: breaker.error } : {}),
    ...(Object.keys(aside).length === 0 ? {} : { aside }),
    ...(greenGates.length === 0 ? {} : { greenGates }),
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(isSettled ? {} : suspicion),
  };
}

/** Work that was rejected stays in the tree: what it broke must not pass for an old fault in the next run. */
function greenIn(last: RunState, config: Config): string[] {
  const isSame = (name: string): boolean =>
    config.gates.some(
      (gate) =>
        gate.name === name &&
        last.config.gates.some((old) => old.name === name && old.command === gate.command),
    );
  let room = VERIFIED_CHARS_MAX;
  return Object.entries(last.gates)
    .filter(([name, colour]) => colour !== "red" && (isSame(name) || isOwnCheck(name)))
    .map(([name]) => name)
    .filter((name) => (room -= name.length + 3) > 0);
}

function sum(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined && other === undefined ? undefined : (one ?? 0) + (other ?? 0);
}

function resume(journal: Journal, order: OpenOrder, folded: RunState): OpenedRun {
  const resumed: Fact = {
    type: "run-resumed",
    program: order.program,
    argv: [...order.argv],
    ...(order.calls === undefined ? {} : { calls: [...order.calls] }),
    ...(order.circuit === "reset" ? { circuit: "reset" } : {}),
    ...(order.person === "away" ? { unattended: true } : {}),
  };
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
