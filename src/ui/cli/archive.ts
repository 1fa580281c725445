// `ralph archive`: lays a feature by.

import { EXIT_CODES } from "../../core/schema/outcome.ts";
import { archiveFeature } from "../../engine/project/archive-feature.ts";
import type { Project } from "../../engine/project/open-project.ts";
import { printable } from "../../std/printable.ts";
import { isDiskError } from "../../world/host/files.ts";
import type { Call, Handler, Io } from "./command.ts";
import { withProject } from "./with-project.ts";

export const archive: Handler = async (io, call) =>
  await withProject(io, call, async (project) => {
    try {
      return await layBy(io, call, project);
    } catch (error) {
      if (!isDiskError(error) || !(error instanceof Error)) throw error;
      io.err(printable(`the archive cannot be written: ${error.message}\n`));
      return EXIT_CODES.disk;
    }
  });

async function layBy(io: Io, { options }: Call, project: Project): Promise<number> {
  const how = options["keep"] === true ? "copy" : "move";
  const done = await archiveFeature(io.host, project, how);
  if (!done.ok) {
    io.err(`${done.error}; stop it first: ralph stop\n`);
    return EXIT_CODES.locked;
  }
  const { path, tasks, commit, problem } = done.value;
  const verb = how === "move" ? "moved to" : "copied to";
  const left = tasks.total - tasks.done;
  const open = left === 0 ? "all done" : `${left} of ${tasks.total} stories open`;
  io.out(printable(`${project.feature.feature} was ${verb} ${path} (${open})\n`));
  if (commit !== undefined) io.out(`committed as ${commit.slice(0, 12)}\n`);
  if (problem !== undefined) io.err(printable(`it is not committed: ${problem}\n`));
  return 0;
}
