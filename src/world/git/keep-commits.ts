// Gives a ref to every commit that the agent's doings would leave without one. Moves nothing.

import { count } from "../../std/text.ts";
import { mendGit, type Mending, type MendResult, NOTHING_DONE } from "./mend-order.ts";
import { readHeadLog } from "./read-head-log.ts";
import type { Heads } from "./read-heads.ts";

const CANDIDATES_MAX = 200;
const NAMES_MAX = 50;

/** To be called before anything is moved; what it keeps it finds again, so it can be called any number of times. */
export async function keepCommits(mending: Mending, heads: Heads): Promise<MendResult> {
  const { host, repository, order } = mending;
  const { head } = order;
  if (head !== undefined && heads.isHeadAlive && !heads.hasHead) {
    const kept = await mendGit(mending, ["update-ref", `refs/ralph/kept/${order.keep}`, head]);
    if (!kept.ok) return refusal(head, kept.error);
  }
  const startedAt = Math.floor(order.since / 1000);
  const steps = readHeadLog(host, repository).filter(({ at }) => at >= startedAt);
  const isAtRest = heads.isOnBranch && heads.hasHead;
  const standing = [heads.commit, heads.tip, ...steps.flatMap(({ from, to }) => [from, to])];
  const ids = [...new Set(standing.filter((id) => id !== undefined))];
  const candidates = ids.filter((id) => !/^0+$/u.test(id)).slice(0, CANDIDATES_MAX);
  // Both are in the branch, so an agent that only committed costs nothing here.
  if (isAtRest && candidates.every((id) => id === heads.tip || id === head)) return NOTHING_DONE;
  const loose = await findLoose(mending, heads, candidates);
  if (!loose.ok) return refusal(heads.commit ?? head ?? "HEAD", loose.error);
  if (!isAtRest) return await keepAside(mending, loose.commits);
  // An agent may take back its own commits on its own branch; but not the user's, nor those that it only forgot.
  const left = new Set(
    steps.filter(({ message }) => message.startsWith("checkout:")).map(({ from }) => from),
  );
  const wanted = loose.commits.filter(({ id, at }) => at <= startedAt || left.has(id));
  return await keepAside(mending, wanted);
}

/** A commit that no ref would hold. */
interface LooseCommit {
  readonly id: string;
  /** Committer date in epoch seconds. */
  readonly at: number;
  readonly parents: readonly string[];
}

async function findLoose(
  mending: Mending,
  heads: Heads,
  candidates: readonly string[],
): Promise<{ ok: true; commits: LooseCommit[] } | { ok: false; error: string }> {
  if (candidates.length === 0) return { ok: true, commits: [] };
  const { branch } = mending.order;
  // A branch that is going to be moved back holds nothing afterwards.
  const stays = heads.hasHead || !heads.isHeadAlive;
  const held = stays ? ["--branches"] : [`--exclude=${branch}`, "--branches"];
  const answer = await mendGit(mending, [
    "rev-list",
    "--topo-order",
    "--parents",
    "--timestamp",
    "--ignore-missing",
    ...candidates,
    "--not",
    ...held,
    "--tags",
    "--remotes",
    "--glob=refs/ralph",
    "--",
  ]);
  if (!answer.ok) return { ok: false, error: answer.error };
  const lines = answer.text.split("\n").filter((line) => line !== "");
  return {
    ok: true,
    commits: lines.map((line) => {
      const [at, id = "", ...parents] = line.split(" ");
      return { id, at: Number(at), parents };
    }),
  };
}

/** A ref for each commit that no other of them leads to. */
async function keepAside(mending: Mending, commits: readonly LooseCommit[]): Promise<MendResult> {
  const parents = new Set(commits.flatMap((commit) => commit.parents));
  const names: string[] = [];
  for (const { id } of commits.filter((commit) => !parents.has(commit.id))) {
    const { name, error } = await nameAside(mending, id);
    if (name === undefined) return refusal(id, error);
    names.push(name);
  }
  if (names.length === 0) return NOTHING_DONE;
  const what = count(commits.length, "commit");
  return {
    did: [`Kept ${what} of which no branch would know any more as ${names.join(", ")}.`],
    problem: undefined,
  };
}

/** Under the first name that is free: a name once given is never given to another commit. */
async function nameAside(
  mending: Mending,
  id: string,
): Promise<{ name: string | undefined; error: string }> {
  const taken = await mendGit(mending, ["for-each-ref", "--format=%(refname)", "refs/ralph/aside"]);
  if (!taken.ok) return { name: undefined, error: taken.error };
  const used = new Set(taken.text.split("\n"));
  const base = `refs/ralph/aside/${mending.order.keep}`;
  const names = Array.from({ length: NAMES_MAX }, (_, n) => (n === 0 ? base : `${base}-${n + 1}`));
  const name = names.find((one) => !used.has(one));
  if (name === undefined) return { name, error: `more than ${NAMES_MAX} of them` };
  // An empty old value makes git refuse to overwrite.
  const answer = await mendGit(mending, ["update-ref", name, id, ""]);
  return answer.ok ? { name, error: "" } : { name: undefined, error: answer.error };
}

function refusal(id: string, error: string): MendResult {
  const remedy = `give it a branch yourself: git branch ralph-kept ${id}`;
  return { did: [], problem: `git could not keep commit ${id} (${error}); ${remedy}` };
}
