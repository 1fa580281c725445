// One `ralph run` from order to end: checks everything before anything is written, takes the lock, starts a run or goes
// on with one, drives it, and leaves the record closed.

import type { RunEnd, RunState } from "../../core/loop/state.ts";
import type { Config } from "../../core/schema/config.ts";
import type { Control } from "../../core/schema/control.ts";
import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import type { Event } from "../../core/schema/event.ts";
import { renderRunId, type RunId } from "../../core/schema/ids.ts";
import type { Note } from "../../core/schema/note.ts";
import { EXIT_CODES } from "../../core/schema/outcome.ts";
import { err, ok, type Result } from "../../std/result.ts";
import { runVariable } from "../../world/agents/environment.ts";
import {
  resolveConfig,
  type ConfigFlags,
  type ResolvedConfig,
} from "../../world/config/resolve-config.ts";
import { isDiskError } from "../../world/host/files.ts";
import type { Host } from "../../world/host/host.ts";
import { ProcessTree } from "../../world/host/process-tree.ts";
import { readCalls } from "../../world/store/calls.ts";
import { takeControls, watchInbox } from "../../world/store/inbox.ts";
import { JournalTouched, type Journal } from "../../world/store/journal.ts";
import { lockPath } from "../../world/store/latest-run.ts";
import { renderRefusal, takeLock } from "../../world/store/lock.ts";
import { runPaths, type RunPaths } from "../../world/store/run-paths.ts";
import { checkTasks } from "../project/check-tasks.ts";
import { openProject, treeOf, type Project } from "../project/open-project.ts";
import { drive } from "./drive.ts";
import { findOpenRun, letGo, openCutOff, openRun, readLastState } from "./open-run.ts";
import { takeWantedBranch, type OnBranch } from "./take-branch.ts";
import {
  checkPermissions,
  checkTemplates,
  readPromptSource,
  templateNotices,
} from "./check-order.ts";
import { checkRepository } from "./check-repository.ts";
import type { PromptSource } from "./prompt-writer.ts";
import { RealWorld } from "./world.ts";

/** What the person ordered on the command line. */
export interface RunOrder {
  readonly cwd: string;
  readonly feature: string | undefined;
  readonly flags: ConfigFlags;
  readonly argv: readonly string[];
  readonly otherHost: "refuse" | "take-over";
  readonly resume: "if-possible" | "required";
  readonly circuit: "kept" | "reset";
  readonly templates: string;
  /** A file whose text goes to the agent in place of every other prompt. */
  readonly prompt: string | undefined;
  /** Whether somebody sits in front of it who can answer a question. */
  readonly person: "present" | "away";
  readonly self: readonly string[];
  readonly program: string;
}

/** Who watches and steers a run. */
export interface RunObserver {
  readonly onNotice: (text: string) => void;
  readonly onEvent: (event: Event, state: RunState) => void;
  readonly onNote: (note: Note) => void;
  /** Signals and keys; the inbox is listened to by the run itself. */
  readonly listen: (onControl: (control: Control) => void) => () => void;
  /** Handed over once the lock is held: kills everything of the run at once. */
  readonly onKillable: (kill: () => void) => void;
}

/** How a call of `ralph run` came out. */
export interface RunReport {
  readonly end: RunEnd;
  readonly run: RunId | undefined;
  readonly state: RunState | undefined;
  /** Mistakes of a person, where that is why nothing was started. */
  readonly diagnostics: readonly Diagnostic[];
}

export async function runLoop(
  host: Host,
  order: RunOrder,
  observer: RunObserver,
): Promise<RunReport> {
  const prepared = await prepare(host, order, observer.onNotice);
  if (!prepared.ok) return badInput(prepared.error);
  try {
    return await runLocked(host, order, observer, prepared.value);
  } catch (error) {
    if (!isDiskError(error) || !(error instanceof Error)) throw error;
    return refused("disk", `the record of the run cannot be written: ${error.message}`);
  }
}

/** What a run is made from, checked. */
export interface Prepared {
  readonly project: Project;
  readonly config: Config;
  readonly resolved: ResolvedConfig;
  readonly prompt: PromptSource;
  /** What a killed process left running may hold git's lock, so the repository is looked at once that has ended. */
  readonly repository: "checked" | "to-check" | "to-mend";
}

/** Everything a person can get wrong, found before the first byte is written. */
export async function prepare(
  host: Host,
  order: RunOrder,
  onNotice: (text: string) => void,
): Promise<Result<Prepared, Diagnostic[]>> {
  const found = openProject(host, order.cwd, order.feature);
  const cutOff = found.ok ? undefined : openCutOff(host, order.cwd, order.feature);
  const project = cutOff === undefined ? found : ok(cutOff);
  if (!project.ok) return project;
  const open = findOpenRun(host, project.value);
  const config = resolveConfig(host, project.value.root, order.flags, open.settings);
  const isCutOff = open.run !== undefined;
  const prompt = readPromptSource(host, order);
  const problems = [
    ...(config.ok ? [] : config.error),
    ...(prompt.ok ? [] : prompt.error),
    ...(config.ok ? checkPermissions(config.value.config) : []),
    ...(config.ok && prompt.ok
      ? await checkTemplates(host, project.value, config.value.config, prompt.value)
      : []),
    // A list that an agent broke before the runner died is put back by the run itself.
    ...(open.hasUnseenWork ? [] : checkTasks(host, project.value)),
    ...(isCutOff ? [] : await checkRepository(host, project.value, onNotice, "all")),
  ];
  if (problems.length > 0 || !config.ok || !prompt.ok) return err(problems);
  const settings = config.value.config;
  for (const notice of templateNotices(host, project.value, settings, prompt.value))
    onNotice(notice);
  return ok({
    project: project.value,
    config: settings,
    resolved: config.value,
    prompt: prompt.value,
    repository: !isCutOff ? "checked" : open.hasUnseenWork ? "to-mend" : "to-check",
  });
}

async function runLocked(
  host: Host,
  order: RunOrder,
  observer: RunObserver,
  prepared: Prepared,
): Promise<RunReport> {
  const { project } = prepared;
  const { run: open, problem } = findOpenRun(host, project);
  if (problem !== undefined)
    observer.onNotice(`the last run cannot be read, a new one is started: ${problem}`);
  if (order.resume === "required" && open === undefined)
    return badInput([nothingToResume(project)]);
  const run = open ?? renderRunId(host.clock.now(), host.random(4));
  const path = lockPath(project.record, treeOf(project));
  const lock = takeLock(host, { path, run, otherHost: order.otherHost });
  if (!lock.ok) {
    const otherHost = lock.error.why === "other-host" ? "; if it is dead, use --take-over" : "";
    return refused("locked", renderRefusal(lock.error, host.clock.now()) + otherHost);
  }
  // A second look under the lock: another process may have ended the run, or begun one, in between.
  if (findOpenRun(host, project).run !== open) {
    lock.value.release();
    return await runLocked(host, order, observer, prepared);
  }
  try {
    if (prepared.repository !== "checked") {
      const variable = runVariable(run);
      await new ProcessTree(host, { pid: undefined, since: undefined, variable }).end();
      // What is not clean now is the run's own work, so there is nothing to say about it.
      const extent = prepared.repository === "to-mend" ? "operations" : "all";
      const problems = await checkRepository(host, project, () => undefined, extent);
      if (problems.length > 0) return badInput(problems);
    }
    const begun = open === undefined ? await begin(host, order, observer, prepared) : undefined;
    if (begun?.ok === false) return badInput(begun.error);
    const on = begun?.value ?? { prepared, branch: undefined, ownCommit: undefined };
    return await runRecorded(host, order, observer, { ...on.prepared, run, begun: on });
  } finally {
    lock.value.release();
  }
}

/** A new run begins on its branch. */
async function begin(
  host: Host,
  order: RunOrder,
  observer: RunObserver,
  prepared: Prepared,
): Promise<Result<OnBranch<Prepared>, Diagnostic[]>> {
  const { feature } = prepared.project.feature;
  return await takeWantedBranch(host, {
    prepared,
    // The same feature, whatever the branch is named after; and what there is to know was said before.
    prepareAgain: async () => await prepare(host, { ...order, feature }, () => undefined),
    last: readLastState(host, prepared.project),
    onNotice: observer.onNotice,
  });
}

async function runRecorded(
  host: Host,
  order: RunOrder,
  observer: RunObserver,
  what: Prepared & { run: RunId; begun: OnBranch<Prepared> },
): Promise<RunReport> {
  const { project, config, run, begun } = what;
  const paths = runPaths(project.record, run);
  const { journal, state } = await openRun(host, {
    project,
    config,
    run,
    paths,
    argv: order.argv,
    program: order.program,
    calls: readCalls(host, project.record, treeOf(project)),
    circuit: order.circuit,
    person: order.person,
    branch: begun.branch,
    ownCommit: begun.ownCommit,
    onEvent: observer.onEvent,
  });
  const world = new RealWorld({
    host,
    project,
    paths,
    prompt: what.prompt,
    self: order.self,
    onNote: observer.onNote,
  });
  let latest = state;
  observer.onKillable(() => {
    const pid = latest.current?.agent?.pid;
    new ProcessTree(host, { pid, since: undefined, variable: runVariable(run) }).kill();
  });
  const onEvent = (event: Event, next: RunState): void => {
    latest = next;
    observer.onEvent(event, next);
  };
  try {
    const ended = await drive(
      { log: journal, world, listen: listenFor(host, paths, observer), onEvent },
      state,
    );
    // A signal now finds a run that has ended: it changes nothing any more.
    const stopIgnoring = observer.listen(() => undefined);
    await letGo(host, project, paths);
    stopIgnoring();
    return { end: endOf(ended), run, state: ended, diagnostics: [] };
  } catch (error) {
    const end = endByFault(journal, latest, error);
    if (end === undefined) throw error;
    // The next run has to know which files are the agent's; where even this cannot be written, it does without.
    if (error instanceof JournalTouched) await letGo(host, project, paths).catch(() => undefined);
    return { end, run, state: latest, diagnostics: [] };
  } finally {
    journal.close();
  }
}

/** Controls from signals and from the inbox of the run, until told to stop listening. */
function listenFor(host: Host, paths: RunPaths, observer: RunObserver) {
  return (onControl: (id: string, control: Control) => void): (() => void) => {
    const take = (): void => {
      try {
        takeControls(host, paths, onControl);
      } catch (error) {
        // The next poll tries again; a run must not die of an inbox it cannot read.
        if (!isDiskError(error)) throw error;
      }
    };
    const inbox = watchInbox(host, paths, take);
    const unlisten = observer.listen((control) => onControl(`signal-${host.random(6)}`, control));
    take();
    return () => {
      inbox.close();
      unlisten();
    };
  };
}

/** A full disk, or a log that somebody else touched, ends the run; the reserve is what its last words are written on. */
function endByFault(journal: Journal, state: RunState, error: unknown): RunEnd | undefined {
  const isTouched = error instanceof JournalTouched;
  if (!(error instanceof Error) || (!isTouched && !isDiskError(error))) return undefined;
  const end = {
    reason: "disk",
    exitCode: EXIT_CODES.disk,
    detail: error.message.slice(0, 500),
  } as const;
  if (isTouched) return end;
  try {
    journal.makeRoom();
    journal.append({ type: "run-ended", ...end }, {});
    journal.sync();
  } catch {
    // The log then ends without an end, as after a crash, and the next process goes on from there.
  }
  return { ...end, detail: `${end.detail} (after iteration ${state.iteration})` };
}

function endOf(state: RunState): RunEnd {
  return (
    state.end ?? {
      reason: "disk",
      exitCode: EXIT_CODES.disk,
      detail: "the run has no recorded end",
    }
  );
}

function badInput(diagnostics: readonly Diagnostic[]): RunReport {
  const detail = diagnostics[0]?.problem ?? "bad input";
  return { ...refused("bad-input", detail), diagnostics };
}

function refused(reason: "bad-input" | "locked" | "disk", detail: string): RunReport {
  return {
    end: { reason, exitCode: EXIT_CODES[reason], detail },
    run: undefined,
    state: undefined,
    diagnostics: [],
  };
}

function nothingToResume(project: Project): Diagnostic {
  return {
    file: "command line",
    problem: `there is no unfinished run of ${project.feature.feature} to go on with`,
    expected: "a run that was stopped, cut off or waits for a person",
    remedy: "start a new one: ralph run",
  };
}
