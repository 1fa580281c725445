// Pretend persons: they change the list, their files, tests and history between iterations, and mend what keeps a run
// from going on. What they say is true.

import { Journal } from "../../src/world/store/journal.ts";
import { readTip } from "../../src/world/store/read-log.ts";
import { runPaths } from "../../src/world/store/run-paths.ts";
import type { Stage } from "./stage.ts";

const EDITS = {
  added: 3,
  titled: 3,
  criteria: 2,
  marked: 2,
  reopened: 1,
  settings: 1,
  prompt: 1,
  committed: 2,
  tests: 1,
  "stop-file": 0.3,
} as const;

/** A person changes something, if it is a moment at which they would. */
export function editProject(stage: Stage): void {
  const { persons, project, machine } = stage;
  // While an agent's work has not been looked at, a change is taken for the agent's.
  const isBusy = stage.live !== undefined || stage.isIterationOpen;
  const edit = persons.weighted(EDITS);
  const story = persons.pick(project.lastReadable);
  if (isBusy || project.list.kind !== "list") return;
  // Whoever edits takes longer than a machine keeps what it has not written to its disk.
  stage.disk.settle();
  const { id } = story;
  const mark = `*${machine.timeline.length}`;
  let title = `${story.title.split(" *")[0]} ${mark}`;
  switch (edit) {
    case "added": {
      const added = project.add(1, false, "person");
      if (added === undefined) return;
      machine.tell({ type: "person-edited", edit, id: added, title: `added ${added}` });
      return;
    }
    case "titled":
      project.change(id, (s) => ({ ...s, title }), "person");
      break;
    case "criteria":
      title = `works ${mark}`;
      project.change(id, (s) => ({ ...s, criteria: [title, "is told"] }), "person");
      break;
    case "marked":
      if (story.done) return;
      project.setCode(id, "good");
      project.mark(id, true, "person");
      break;
    case "reopened":
      if (!story.done) return;
      project.mark(id, false, "person");
      break;
    case "settings":
    case "prompt":
      title = `the person's ${edit} ${mark}`;
      project.files[edit] = title;
      break;
    case "committed":
      project.write("docs/readme", "words");
      commit(stage);
      break;
    case "tests":
      // A test that is not needed any more: the person takes it out and commits that.
      if (project.strength(id) < 2) return;
      project.repository.work.set(`test/${id}`, String(project.strength(id) - 1));
      commit(stage);
      break;
    case "stop-file":
      project.stopFiles.set("waiting", { text: "wait for me", by: "person" });
      break;
  }
  machine.tell({ type: "person-edited", edit, id, title });
}

/** A person mends what keeps the run from going on. */
export function mendProject(stage: Stage): void {
  const { project, persons } = stage;
  stage.isAgentInstalled = true;
  if (project.list.kind !== "list") {
    const frame = "frame";
    project.setList({ kind: "list", stories: project.lastReadable, frame }, "person");
  }
  project.repository.giveUpMerge();
  project.repository.isLocked = false;
  project.stopFiles.clear();
  project.redBefore.clear();
  for (const { id, done } of project.stories)
    if (done && !project.isGood(id)) project.setCode(id, "good");
  const isFound = (stage.reopen()?.trust.findings ?? []).length > 0;
  if ((!isFound && project.truth().weak.length === 0) || stage.isIterationOpen) return;
  const how = persons.pick(["undo", "commit", "accept"] as const);
  if (how === "undo") project.mendTests();
  if (how === "commit") {
    project.write("docs/why", "because");
    commit(stage);
  }
  if (how === "accept") acceptEdits(stage);
}

/** A person's commit takes in all that is there, and what agents have committed before it. */
function commit({ project }: Stage): void {
  project.commit(undefined, "person");
  project.takeTests();
}

/** What `ralph accept-edits` does with a run that nobody works on. */
function acceptEdits(stage: Stage): void {
  const { disk, machine, project, run } = stage;
  if (run === undefined) return;
  const host = disk.host();
  const paths = runPaths("/record", run);
  const tip = readTip(host, paths);
  if (!tip.ok) return;
  const journal = new Journal(host, paths, { run, seq: tip.value.seq, bytes: tip.value.bytes });
  journal.append({ type: "edits-accepted", what: ["weaker tests"] }, {});
  journal.sync();
  project.takeTests();
  machine.tell({ type: "person-edited", edit: "accepted", id: "", title: "" });
}
