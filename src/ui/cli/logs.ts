// `ralph logs`: the events of the newest run, as lines for people or as they are stored.

import { renderDiagnostics } from "../../core/view/diagnostics.ts";
import { EXIT_CODES } from "../../core/schema/outcome.ts";
import { renderEventLine } from "../../core/view/event-line.ts";
import { findRun } from "../../engine/project/find-run.ts";
import { followLog } from "../../engine/project/follow-log.ts";
import { openProject } from "../../engine/project/open-project.ts";
import type { Handler } from "./command.ts";

const LAST_DEFAULT = 200;

export const logs: Handler = async (io, { options }) => {
  const feature = typeof options["feature"] === "string" ? options["feature"] : undefined;
  const project = openProject(io.host, io.cwd, feature);
  if (!project.ok) {
    io.err(renderDiagnostics(project.error));
    return EXIT_CODES["bad-input"];
  }
  const found = findRun(io.host, project.value);
  if (found === undefined) {
    io.err(`${project.value.feature.feature} has no run yet; \`ralph run\` starts one\n`);
    return 0;
  }
  const followed = await followLog(io.host, {
    paths: found.paths,
    last: typeof options["last"] === "number" ? options["last"] : LAST_DEFAULT,
    until: options["follow"] === true ? "end-of-run" : "end-of-file",
    isAlive: () => findRun(io.host, project.value)?.holder !== undefined,
    onEvent: (event, line) => {
      if (options["json"] === true) return io.out(`${line}\n`);
      const words = event === undefined ? undefined : renderEventLine(event, undefined);
      if (event !== undefined && words !== undefined)
        io.out(`${new Date(event.at).toISOString()} ${words}\n`);
    },
  });
  if (followed.ok) return 0;
  io.err(`${followed.error}\n`);
  return EXIT_CODES.disk;
};
