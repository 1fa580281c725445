// Opens the project a command is about, or says what is wrong with it.

import { renderDiagnostics } from "../../core/view/diagnostics.ts";
import { EXIT_CODES } from "../../core/schema/outcome.ts";
import { openProject, type Project } from "../../engine/project/open-project.ts";
import type { Call, Io } from "./command.ts";

/** Returns what `use` returns, or the exit code for bad input. */
export async function withProject(
  io: Io,
  { options }: Call,
  use: (project: Project) => Promise<number>,
): Promise<number> {
  const feature = typeof options["feature"] === "string" ? options["feature"] : undefined;
  const project = openProject(io.host, io.cwd, feature);
  if (project.ok) return await use(project.value);
  io.err(renderDiagnostics(project.error));
  return EXIT_CODES["bad-input"];
}
