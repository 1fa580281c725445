// Whether git knows who commits: without that no commit can be made, neither by us nor by an agent.

import type { Host } from "../host/host.ts";
import { err, ok, type Result } from "../../std/result.ts";
import type { GitFinding } from "./check-state.ts";
import { runGit } from "./run-git.ts";

/** The name and address that commits in this folder get. */
export async function readIdentity(host: Host, tree: string): Promise<Result<string, GitFinding>> {
  // Git is asked, not its settings alone: it may make a name and an address out of the machine's.
  const answer = await runGit(host, { tree, args: ["var", "GIT_COMMITTER_IDENT"] });
  const identity = /^(.*>) \d+ [+-]\d+\n$/u.exec(answer.stdout.toString("utf8"))?.[1];
  if (answer.code === 0 && identity !== undefined) return ok(identity);
  const keys = ["user.name", "user.email"];
  const values = await Promise.all(keys.map(async (key) => await readSetting(host, tree, key)));
  const missing = keys.filter((_, i) => values[i] === "");
  const which = missing.length === 0 ? "" : `: ${missing.join(" and ")} not set`;
  return err({
    severity: "stops",
    about: "identity",
    problem: `git does not know who commits${which}`,
    remedy:
      'git config --global user.name "Your Name"; git config --global user.email you@example.org',
  });
}

async function readSetting(host: Host, tree: string, key: string): Promise<string> {
  const answer = await runGit(host, { tree, args: ["config", "--get", key] });
  return answer.stdout.toString("utf8").trim();
}
