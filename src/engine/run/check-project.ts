// Looks at the task list and the repository before a run: mistakes stop it, everything else worth knowing is said.

import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import { checkGitState, settleGit } from "../../world/git/check-state.ts";
import { readStatus } from "../../world/git/read-status.ts";
import type { Host } from "../../world/host/host.ts";
import { checkList } from "../../world/tasks/check-list.ts";
import { checkFeature } from "../../world/tasks/parse-prd.ts";
import { PrdFile } from "../../world/tasks/prd-file.ts";
import type { Project } from "../project/open-project.ts";

export function checkTasks(host: Host, project: Project): Diagnostic[] {
  const { tasks } = project.feature;
  const reading = new PrdFile(host, tasks.path, tasks.name).read();
  if (!reading.ok) return [...reading.error];
  const { text } = reading.value;
  return [
    ...checkFeature(text, tasks.name, project.feature.feature),
    ...checkList(reading.value.tasks, text, tasks.name),
  ];
}

/** With `operations` only what the run itself cannot mend stops it: it has yet to look at what its agent left. */
export async function checkRepository(
  host: Host,
  project: Project,
  onNotice: (text: string) => void,
  extent: "all" | "operations",
): Promise<Diagnostic[]> {
  const { repository } = project;
  if (repository === undefined) {
    onNotice(
      "this is no git repository: nothing will be committed, and changes are not noticed (git init helps)",
    );
    return [];
  }
  await settleGit(host, repository);
  const status = await readStatus(host, repository.tree);
  if (!status.ok) {
    const remedy = "make `git status` work here first";
    return [
      {
        file: "repository",
        problem: status.error,
        expected: "a repository that git can read",
        remedy,
      },
    ];
  }
  const all = checkGitState(host, repository, status.value);
  const findings = all.filter(({ about }) => extent === "all" || about === "operation");
  for (const { severity, problem, remedy } of findings) {
    if (severity === "notice") onNotice(`${problem}: ${remedy}`);
  }
  return findings
    .filter(({ severity }) => severity === "stops")
    .map(({ problem, remedy }) => ({
      file: "repository",
      problem,
      expected: "a repository at rest, on a branch",
      remedy,
    }));
}
