// What `ralph run` would do now, found out without writing a byte and without the lock: the run, the story, the prompt.

import { writePrompt } from "../../core/loop/decide-iteration.ts";
import { summarizeTasks } from "../../core/loop/next-task.ts";
import { outOfTurn } from "../../core/loop/parking.ts";
import { reduce } from "../../core/loop/reduce.ts";
import type { RunState } from "../../core/loop/state.ts";
import type { RenderedPrompt } from "../../core/prompt/render-prompt.ts";
import type { Config } from "../../core/schema/config.ts";
import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import type { Fact } from "../../core/schema/event.ts";
import { renderRunId, type RunId } from "../../core/schema/ids.ts";
import type { Task, TaskRef, TaskSummary } from "../../core/schema/task.ts";
import { err, ok, type Result } from "../../std/result.ts";
import { adapters } from "../../world/agents/registry.ts";
import { listSettings, type Setting } from "../../world/config/settings.ts";
import { readStatus } from "../../world/git/read-status.ts";
import type { Host } from "../../world/host/host.ts";
import { lockPath } from "../../world/store/latest-run.ts";
import { readHolder, type LockOwner } from "../../world/store/lock.ts";
import { readTip } from "../../world/store/read-log.ts";
import { runPaths } from "../../world/store/run-paths.ts";
import { PrdFile } from "../../world/tasks/prd-file.ts";
import type { WantedBranch } from "../project/branch-name.ts";
import { treeOf, type Project } from "../project/open-project.ts";
import { findOpenRun } from "./open-run.ts";
import { readOpening } from "./opening.ts";
import { PromptWriter } from "./prompt-writer.ts";
import { prepare, type Prepared, type RunOrder } from "./run-loop.ts";
import { wantedIn } from "./take-branch.ts";

/** A run before it happens. */
export interface RunPlan {
  readonly feature: string;
  /** The run that would go on; undefined where a new one would start. */
  readonly goesOn: RunId | undefined;
  /** The branch a new run would be brought onto; undefined where it stays on the one that is checked out. */
  readonly branch: WantedBranch | undefined;
  /** True when an agent's work has yet to be looked at, before any other agent starts. */
  readonly hasUnseenWork: boolean;
  /** Who works in the tree right now. */
  readonly holder: LockOwner | undefined;
  readonly settings: readonly Setting[];
  readonly config: Config;
  readonly tasks: TaskSummary;
  /** Undefined where no story can be worked on now. */
  readonly next:
    | {
        readonly story: TaskRef;
        readonly attempt: number;
        readonly prompt: RenderedPrompt;
        /** The file that the prompt begins with. */
        readonly opening: string;
      }
    | undefined;
  readonly argv: readonly string[];
}

export async function planRun(
  host: Host,
  order: RunOrder,
  onNotice: (text: string) => void,
): Promise<Result<RunPlan, Diagnostic[]>> {
  const prepared = await prepare(host, order, onNotice);
  if (!prepared.ok) return prepared;
  const { project, config } = prepared.value;
  const settings = listSettings(prepared.value.resolved);
  const { run: goesOn, hasUnseenWork } = findOpenRun(host, project);
  const holder = readHolder(host, lockPath(project.record, treeOf(project)));
  const list = new PrdFile(host, project.feature.tasks.path, project.feature.tasks.name).read();
  const all = list.ok ? list.value.tasks : [];
  const before = stateBefore(host, project, config, { order, goesOn });
  const tasks = summarizeTasks(all, outOfTurn(before));
  const next = await planNext(host, prepared.value, { ...before, tasks }, all);
  if (!next.ok) return err(next.error);
  const argv = adapters[config.agent.name].argv({
    agent: config.agent,
    permissions: config.permissions,
    allowedTools: config.allowedTools,
    self: order.self,
    featureFolder: project.feature.folder,
  });
  const { feature } = project.feature;
  return ok({
    feature,
    goesOn,
    branch:
      goesOn === undefined && project.repository !== undefined
        ? wantedIn(host, prepared.value)
        : undefined,
    hasUnseenWork,
    holder,
    settings,
    config,
    tasks,
    next: next.value,
    argv,
  });
}

async function planNext(
  host: Host,
  { project, prompt: source }: Prepared,
  state: RunState,
  all: readonly Task[],
): Promise<Result<RunPlan["next"], Diagnostic[]>> {
  const [story] = state.tasks?.next ?? [];
  const task = all.find(({ id }) => id === story?.id);
  if (story === undefined || task === undefined) return ok(undefined);
  const { attempt, rejection, warning } = writePrompt(state, story);
  const { repository } = project;
  const status =
    repository === undefined ? undefined : await readStatus(host, repository.tree, "files");
  const head = status?.ok === true ? status.value.head : undefined;
  const writer = new PromptWriter(host, project, source);
  const prompt = await writer.render({ task, attempt, rejection, warning, state, head });
  if (!prompt.ok) return prompt;
  const template = state.config.promptTemplate;
  const opening = readOpening(host, { project, ...source, template }).name;
  return ok({ story, attempt, prompt: prompt.value, opening });
}

/** The state in which the next iteration would find the run. */
function stateBefore(
  host: Host,
  project: Project,
  config: Config,
  { order, goesOn }: { order: RunOrder; goesOn: RunId | undefined },
): RunState {
  const tip = goesOn === undefined ? undefined : readTip(host, runPaths(project.record, goesOn));
  const { program } = order;
  const argv = [...order.argv];
  if (tip?.ok === true) {
    const folded = tip.value.state;
    const resumed = fold(host, folded, { type: "run-resumed", program, argv });
    return { ...resumed, config };
  }
  return fold(host, undefined, {
    type: "run-started",
    program,
    config,
    argv,
    layout: "hybrid",
    feature: project.feature.feature,
    tree: treeOf(project),
  });
}

function fold(host: Host, state: RunState | undefined, fact: Fact): RunState {
  const at = host.clock.now();
  const run = state?.run ?? renderRunId(at, "plan");
  return reduce(state, { ...fact, v: 1, seq: (state?.seq ?? 0) + 1, at, run });
}
