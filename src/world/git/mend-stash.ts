// Puts stash entries back that the agent dropped or popped. Takes nothing out of the stash, not even what is there twice.

import { count } from "../../std/text.ts";
import { mendGit, type Mending, type MendResult } from "./mend-order.ts";
import { readStash } from "./read-stash.ts";

/** Entries beyond this many are not looked at. */
const ENTRIES_MAX = 2_000;

/** Afterwards the entries of the order stand in their old order, and above all others where one was missing. */
export async function mendStash(mending: Mending): Promise<MendResult> {
  const { host, repository, order } = mending;
  const current = readStash(host, repository, ENTRIES_MAX);
  const lost = await findLost(mending, current);
  const alive = order.stash.filter((id) => !lost.includes(id));
  const stored: string[] = [];
  let problem: string | undefined;
  for (const id of planStores(alive, current)) {
    problem = await store(mending, id);
    if (problem !== undefined) break;
    stored.push(id);
  }
  return { did: describe(order.stash, { current, stored, lost }), problem };
}

/** Entries whose objects are gone too: nobody can put those back. */
async function findLost(mending: Mending, current: readonly string[]): Promise<string[]> {
  const lost: string[] = [];
  for (const id of mending.order.stash) {
    if (current.includes(id)) continue;
    const found = await mendGit(mending, ["cat-file", "-e", `${id}^{tree}`]);
    if (!found.ok) lost.push(id);
  }
  return lost;
}

async function store(mending: Mending, id: string): Promise<string | undefined> {
  // The commit's own subject is what the entry was called.
  const subject = await mendGit(mending, [
    "show",
    "-s",
    "--no-show-signature",
    "--format=%s",
    id,
    "--",
  ]);
  const message = subject.text === "" ? "put back by ralph" : subject.text;
  const answer = await mendGit(mending, ["stash", "store", "-q", "-m", message, id]);
  if (answer.ok) return undefined;
  return `git could not put a stash entry back (${answer.error}): git stash store -m "put back" ${id}`;
}

/**
 * What to put on top, oldest first. Git can only put an entry on top, so whatever was above a missing one is stored
 * again above it; a call that was cut off is told from the order alone.
 */
function planStores(before: readonly string[], current: readonly string[]): string[] {
  let above = current.length;
  for (let i = before.length - 1; i >= 0; i--) {
    const at = current.indexOf(before[i] ?? "");
    if (at === -1 || at >= above) return before.slice(0, i + 1).toReversed();
    above = at;
  }
  return [];
}

function describe(
  before: readonly string[],
  { current, stored, lost }: Record<"current" | "stored" | "lost", readonly string[]>,
): string[] {
  const added = countAdded(before, current);
  const left = count(added, "entry", "entries");
  const did: string[] = [];
  const missing = stored.filter((id) => !current.includes(id)).length;
  const again = stored.length - missing;
  if (missing > 0) {
    const place = added === 0 ? "" : `, above the ${left} that the agent added`;
    const twice =
      again === 0 ? "" : `; ${count(again, "newer one is", "newer ones are")} there twice now`;
    did.push(
      `Put ${count(missing, "stash entry", "stash entries")} back that the agent had taken out${place}${twice}.`,
    );
  } else if (again > 0) {
    did.push("Put the stash entries back in their old order.");
  }
  if (lost.length > 0) did.push(`Gone from the repository for good: stash ${lost.join(", ")}.`);
  if (added > 0) did.push(`The agent left ${left} in the stash, which nobody has touched.`);
  return did;
}

/** An order may hold only the newest entries; older ones that it does not name are not the agent's. */
function countAdded(before: readonly string[], current: readonly string[]): number {
  const oldest = Math.max(...before.map((id) => current.lastIndexOf(id)));
  const newer = oldest === -1 || before.length === 0 ? current : current.slice(0, oldest);
  return newer.filter((id) => !before.includes(id)).length;
}
