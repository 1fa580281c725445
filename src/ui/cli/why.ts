// `ralph why`: the last end of a run, explained from its log.

import { renderDiagnostics } from "../../core/view/diagnostics.ts";
import { EXIT_CODES } from "../../core/schema/outcome.ts";
import { renderWhy } from "../../core/view/why-report.ts";
import { findRun } from "../../engine/project/find-run.ts";
import { openProject } from "../../engine/project/open-project.ts";
import type { Handler } from "./command.ts";

export const why: Handler = async (io, { options }) => {
  const feature = typeof options["feature"] === "string" ? options["feature"] : undefined;
  const project = openProject(io.host, io.cwd, feature);
  if (!project.ok) {
    io.err(renderDiagnostics(project.error));
    return EXIT_CODES["bad-input"];
  }
  const found = findRun(io.host, project.value);
  if (found?.state === undefined) {
    io.out(`${found?.problem ?? `${project.value.feature.feature} has no run yet`}\n`);
    return 0;
  }
  io.out(renderWhy(found.state, found.holder === undefined ? "dead" : "alive"));
  return 0;
};
