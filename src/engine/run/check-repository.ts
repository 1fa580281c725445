// Looks at the repository before a run: what only a person can settle stops it, everything else worth knowing is said.

import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import { readIdentity } from "../../world/git/check-identity.ts";
import { checkGitState, settleGit } from "../../world/git/check-state.ts";
import { readStatus } from "../../world/git/read-status.ts";
import type { Host } from "../../world/host/host.ts";
import type { Project } from "../project/open-project.ts";

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
  const identity = await readIdentity(host, repository.tree);
  const all = checkGitState(host, repository, status.value);
  const findings = [
    ...all.filter(({ about }) => extent === "all" || about === "operation"),
    ...(identity.ok ? [] : [identity.error]),
  ];
  for (const { severity, problem, remedy } of findings) {
    if (severity === "notice") onNotice(`${problem}: ${remedy}`);
  }
  return findings
    .filter(({ severity }) => severity === "stops")
    .map(({ about, problem, remedy }) => ({
      file: "repository",
      problem,
      expected:
        about === "identity"
          ? "a name and an address for the commits of accepted tasks"
          : "a repository at rest, on a branch",
      remedy,
    }));
}
