// Checks of git: its version, who commits, and the state the repository is in.

import { readIdentity } from "../../../world/git/check-identity.ts";
import { checkGitState } from "../../../world/git/check-state.ts";
import { readStatus } from "../../../world/git/read-status.ts";
import { runGit } from "../../../world/git/run-git.ts";
import { type Check, fine, isAtLeast, type Look, note, type Patient, problem } from "./check.ts";

const GIT_LEAST = "2.31";

export const gitChecks: readonly Check[] = [
  { name: "git", look: async (patient) => [await lookAtVersion(patient)] },
  { name: "identity", look: async (patient) => await lookAtIdentity(patient) },
  { name: "repository", look: lookAtRepository },
];

async function lookAtVersion({ host, place }: Patient): Promise<Look> {
  const answer = await runGit(host, { tree: place.root, args: ["--version"] });
  const version = /\d+(?:\.\d+)+/u.exec(answer.stdout.toString("utf8"))?.[0];
  const remedy = `install git ${GIT_LEAST} or newer`;
  if (version === undefined) return problem("git was not found on the PATH", remedy);
  return isAtLeast(version, GIT_LEAST)
    ? fine(version)
    : problem(`git ${version} is too old`, remedy);
}

async function lookAtIdentity({ host, place }: Patient): Promise<Look[]> {
  const identity = await readIdentity(host, place.root);
  if (identity.ok) return [fine(identity.value)];
  if (place.repository === undefined) return [];
  return [problem(identity.error.problem, identity.error.remedy)];
}

async function lookAtRepository({ host, place }: Patient): Promise<readonly Look[]> {
  const { repository } = place;
  if (repository === undefined) {
    const text = `${place.root} is in no git repository: nothing is committed, and changes are not noticed`;
    return [note(text, "git init")];
  }
  const status = await readStatus(host, repository.tree);
  if (!status.ok) return [problem(status.error, "make `git status` work here first")];
  const found = checkGitState(host, repository, status.value).map((finding) =>
    finding.severity === "stops"
      ? problem(finding.problem, finding.remedy)
      : note(finding.problem, finding.remedy),
  );
  return found.length > 0 ? found : [fine(`on branch ${status.value.branch ?? ""}, at rest`)];
}
