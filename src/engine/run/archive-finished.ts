// The archive of a feature that its run has brought to the end: a copy, made once, whatever a crash takes away.

import type { RunState } from "../../core/loop/state.ts";
import type { IterationFact } from "../../core/schema/event.ts";
import { renderIterationId } from "../../core/schema/ids.ts";
import { clip } from "../../std/text.ts";
import { errorCode } from "../../world/host/files.ts";
import type { Host } from "../../world/host/host.ts";
import { findArchive, writeArchive } from "../../world/store/archive.ts";
import { describeRun, featureParts } from "../project/archive-feature.ts";
import type { Project } from "../project/open-project.ts";

const PROBLEM_MAX = 500;
/** What a person's own files may be like; everything else that goes wrong is the disk's fault. */
const CLOSED_CODES = new Set(["EACCES", "EPERM", "EEXIST", "ENOTDIR"]);

export function archiveFinished(host: Host, project: Project, state: RunState): IterationFact {
  const { archive } = project.feature;
  const about = {
    ...describeRun(host, project, state),
    end: "complete",
    iteration: renderIterationId(state.run, state.iteration),
  };
  try {
    const name = writeArchive(host, archive.path, about, featureParts(project.feature));
    return { type: "archived", path: `${archive.name}/${name}` };
  } catch (error) {
    // Finished work is not held up because something of it cannot be copied.
    if (!(error instanceof Error) || !CLOSED_CODES.has(errorCode(error) ?? "")) throw error;
    return { type: "archived", problem: clip(error.message, PROBLEM_MAX) };
  }
}

/** The fact of an archive that was made before a crash. */
export function findFinished(
  host: Host,
  project: Project,
  state: RunState,
): IterationFact | undefined {
  const { feature, archive } = project.feature;
  const id = renderIterationId(state.run, state.iteration);
  const name = findArchive(host, archive.path, feature, ({ iteration }) => iteration === id);
  return name === undefined ? undefined : { type: "archived", path: `${archive.name}/${name}` };
}
