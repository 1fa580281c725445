// `ralph accept-edits`: a person takes what an agent changed and may not change.

import { renderDiagnostics } from "../../core/view/diagnostics.ts";
import { EXIT_CODES } from "../../core/schema/outcome.ts";
import { acceptEdits as accept, findEdits } from "../../engine/project/accept-edits.ts";
import type { Project } from "../../engine/project/open-project.ts";
import { printable, printableLine } from "../../std/printable.ts";
import type { Handler, Io } from "./command.ts";
import { withProject } from "./with-project.ts";

const LINE_MAX = 300;

export const acceptEdits: Handler = async (io, call) =>
  await withProject(io, call, async (project) =>
    call.options["show"] === true ? show(io, project) : take(io, project),
  );

function show(io: Io, project: Project): number {
  const { files, findings } = findEdits(io.host, project);
  if (files.length + findings.length === 0) return nothing(io);
  for (const { name, aside } of files)
    io.out(printable(`${name}: an agent's edit was put aside\n    ${aside}\n`));
  for (const { path, what, lines } of findings) {
    io.out(`${printableLine(`${path}: ${what}`, LINE_MAX)}\n`);
    for (const line of lines) io.out(`    ${printableLine(line, LINE_MAX)}\n`);
  }
  io.out("`ralph accept-edits` takes all that can be used\n");
  return 0;
}

function take(io: Io, project: Project): number {
  const taken = accept(io.host, project);
  if (!taken.ok) {
    io.err(renderDiagnostics(taken.error));
    return EXIT_CODES["bad-input"];
  }
  if (taken.value.taken.length === 0) return nothing(io);
  io.err(renderDiagnostics(taken.value.refused));
  for (const what of taken.value.taken) io.out(`accepted: ${printableLine(what, LINE_MAX)}\n`);
  return 0;
}

function nothing(io: Io): number {
  io.out("there is nothing to accept: no edit of an agent was put aside\n");
  return 0;
}
