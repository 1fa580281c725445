// `ralph status`: where a feature stands, from its task list and the newest state of its run.

import { renderStatus, reportStatus, type StatusReport } from "../../core/view/status-report.ts";
import { findRun, readTasks } from "../../engine/project/find-run.ts";
import type { Project } from "../../engine/project/open-project.ts";
import type { Handler, Io } from "./command.ts";
import { fitted } from "./fitted.ts";
import { withProject } from "./with-project.ts";

const WATCH_MS = 500;

export const status: Handler = async (io, call) =>
  await withProject(io, call, async (project) => {
    const { options } = call;
    const show = (report: StatusReport): string =>
      options["json"] === true
        ? `${JSON.stringify(report, nullForNothing)}\n`
        : fitted(io, renderStatus(report, io.host.clock.now()));
    const first = read(io, project);
    io.out(show(first));
    if (first.tasks.length === 0) {
      const { name } = project.feature.tasks;
      io.err(`${name} has no task that can be read; \`ralph run\` says what is wrong with it\n`);
    }
    if (options["watch"] === true) await watch(io, project, first, show);
    return 0;
  });

async function watch(
  io: Io,
  project: Project,
  first: StatusReport,
  show: (report: StatusReport) => string,
): Promise<void> {
  let last = JSON.stringify(first);
  let report = first;
  while (report.state !== "ended" && report.state !== "crashed" && report.state !== "not-started") {
    await io.host.clock.sleep(WATCH_MS);
    report = read(io, project);
    const now = JSON.stringify(report);
    if (now === last) continue;
    last = now;
    // On a terminal the screen is drawn anew; elsewhere each change is a block of its own.
    io.out((io.terminal() === "interactive" ? "\u001B[H\u001B[2J" : "\n") + show(report));
  }
}

/** A key that has no value now is there all the same, so that a reader can rely on it. */
function nullForNothing(_key: string, value: unknown): unknown {
  return value === undefined ? null : value;
}

function read(io: Io, project: Project): StatusReport {
  const run = findRun(io.host, project);
  if (run?.problem !== undefined) io.err(`${run.problem}\n`);
  return reportStatus({
    feature: project.feature.feature,
    state: run?.state,
    tasks: readTasks(io.host, project),
    pid: run?.holder?.pid,
  });
}
