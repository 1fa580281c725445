// After an agent has ended: brings its repository back to where the run stands. Nothing is ever thrown away, and what
// cannot be mended without a loss is left to a person.

import type { Host } from "../host/host.ts";
import { operationOf } from "./check-state.ts";
import type { Repository } from "./find-repository.ts";
import { mendBranch } from "./mend-branch.ts";
import { mendLocks } from "./mend-lock.ts";
import type { Mending, MendOrder, MendResult } from "./mend-order.ts";
import { mendRefs } from "./mend-refs.ts";
import { mendStash } from "./mend-stash.ts";

/** Every process of the agent must be dead. Can be called again after a crash at any point. */
export async function mendRepository(
  host: Host,
  repository: Repository,
  order: MendOrder,
): Promise<MendResult> {
  const mending: Mending = { host, repository, order };
  const locks = await mendLocks(mending);
  const operation = operationOf(host, repository);
  const blocked = locks.problem ?? operationProblem(mending, operation);
  const stash = await mendStash(mending);
  const history = await mendBranch(mending, blocked === undefined ? "mend" : "keep");
  // Last, so that a branch which only this tree had checked out is free again.
  const refs = await mendRefs(mending, order.refs ?? new Map());
  const problems = [blocked, stash.problem, history.problem, refs.problem];
  const said = problems.filter((one) => one !== undefined);
  return {
    did: [...locks.did, ...stash.did, ...history.did, ...refs.did],
    problem: said.length === 0 ? undefined : said.join("\n"),
  };
}

/** How it ends is a decision about its content, so it is never taken here. */
function operationProblem({ order }: Mending, operation: string | undefined): string | undefined {
  if (operation === undefined) return undefined;
  const commands =
    operation === "bisect"
      ? "see it with git bisect log, end it with git bisect reset"
      : `finish it with git ${operation} --continue or give it up with git ${operation} --abort`;
  const what = operation === "am" ? "an am" : `a ${operation}`;
  return `the agent left ${what} in progress: ${commands}; then git switch ${order.branch}`;
}
