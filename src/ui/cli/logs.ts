// `ralph logs`: the events of the newest run, as lines for people or as they are stored.

import type { Event } from "../../core/schema/event.ts";
import { EXIT_CODES } from "../../core/schema/outcome.ts";
import { renderEventLine } from "../../core/view/event-line.ts";
import { findRun } from "../../engine/project/find-run.ts";
import { followLog } from "../../engine/project/follow-log.ts";
import type { Project } from "../../engine/project/open-project.ts";
import type { Call, Handler, Io } from "./command.ts";
import { fitted } from "./fitted.ts";
import { withProject } from "./with-project.ts";

const LAST_DEFAULT = 200;

export const logs: Handler = async (io, call) =>
  await withProject(io, call, async (project) => await show(io, call, project));

async function show(io: Io, { options }: Call, project: Project): Promise<number> {
  const found = findRun(io.host, project);
  if (found === undefined) {
    io.err(`${project.feature.feature} has no run yet; \`ralph run\` starts one\n`);
    return 0;
  }
  const followed = await followLog(io.host, {
    paths: found.paths,
    last: typeof options["last"] === "number" ? options["last"] : LAST_DEFAULT,
    until: options["follow"] === true ? "end-of-run" : "end-of-file",
    isAlive: () => findRun(io.host, project)?.holder !== undefined,
    onEvent: (event, line) =>
      io.out(options["json"] === true ? `${line}\n` : fitted(io, wordsFor(event))),
  });
  if (followed.ok) return 0;
  io.err(`${followed.error}\n`);
  return EXIT_CODES.disk;
}

function wordsFor(event: Event | undefined): string {
  const words = event === undefined ? undefined : renderEventLine(event, undefined);
  if (event === undefined || words === undefined) return "";
  return `${new Date(event.at).toISOString()} ${words}\n`;
}
