// `ralph why`: the last end of a run, explained from its log.

import { renderWhy } from "../../core/view/why-report.ts";
import { findRun } from "../../engine/project/find-run.ts";
import type { Handler } from "./command.ts";
import { fitted } from "./fitted.ts";
import { withProject } from "./with-project.ts";

export const why: Handler = async (io, call) =>
  await withProject(io, call, async (project) => {
    const found = findRun(io.host, project);
    if (found?.state === undefined) {
      io.out(`${found?.problem ?? `${project.feature.feature} has no run yet`}\n`);
      return 0;
    }
    io.out(fitted(io, renderWhy(found.state, found.holder === undefined ? "dead" : "alive")));
    return 0;
  });
