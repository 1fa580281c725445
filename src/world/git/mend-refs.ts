// Puts branches and tags back that the agent removed or took off their commits. What it made itself stays, and where it
// had moved something to is kept; what a working tree has checked out is not moved under it.

import { count } from "../../std/text.ts";
import { mendGit, type Mending, type MendResult, NOTHING_DONE } from "./mend-order.ts";
import { branchRef, isAncestor } from "./read-heads.ts";
import type { Refs } from "./read-refs.ts";

/** Each of these takes processes of its own; what all others held is kept in one go. */
const SINGLE_MAX = 200;
const NAMES_MAX = 5;
const PLACES_MAX = 20;
const LOG_MESSAGE = "ralph: put back where it was before the agent";

/** After the run's own branch was mended, which is left out here. Can be called again after a crash at any point. */
export async function mendRefs(mending: Mending, refs: Refs): Promise<MendResult> {
  if (refs.size === 0) return NOTHING_DONE;
  const now = await readNow(mending);
  if (now === undefined) return failed("git cannot list its refs: see what git for-each-ref says");
  const own = branchRef(mending);
  const lost = [...refs].flatMap(([name, id]) => {
    const is = now.get(name);
    return name === own || is?.id === id ? [] : [{ name, id, is }];
  });
  if (lost.length === 0) return NOTHING_DONE;
  const alive = await findAlive(mending, lost);
  if (alive === undefined) return failed("git cannot read its objects: see what git fsck says");
  const living = lost.filter(({ id }) => alive.has(id));
  const gone = living.filter(({ is }) => is === undefined);
  const moved = living.filter(({ is }) => is !== undefined);
  const back = await putBackGone(mending, gone);
  const turned = await putBackMoved(mending, moved.slice(0, SINGLE_MAX));
  const rest = moved.slice(SINGLE_MAX);
  const kept = await keep(mending, "kept", [...back.refused, ...turned.refused, ...rest]);
  const dead = lost.filter(({ id }) => !alive.has(id));
  const told = { created: back.created, returned: turned.returned, aside: turned.aside };
  return {
    did: describe({ ...told, kept: kept.names, dead }),
    problem: turned.problem ?? kept.problem,
  };
}

/** A ref that is not as it was. */
interface LostRef {
  readonly name: string;
  /** What it pointed at. */
  readonly id: string;
  /** Undefined where there is no such ref any more. */
  readonly is: RefNow | undefined;
}

interface RefNow {
  readonly id: string;
  /** True when it only names another ref, or a working tree has it checked out. */
  readonly isBound: boolean;
}

async function readNow(mending: Mending): Promise<ReadonlyMap<string, RefNow> | undefined> {
  const format = "--format=%(refname)%00%(objectname)%00%(symref)%00%(worktreepath)";
  const answer = await mendGit(mending, ["for-each-ref", format, "refs/heads", "refs/tags"]);
  if (!answer.ok) return undefined;
  const now = new Map<string, RefNow>();
  for (const line of answer.text.split("\n")) {
    const [name = "", id = "", ...bonds] = line.split("\0");
    now.set(name, { id, isBound: bonds.some((bond) => bond !== "") });
  }
  return now;
}

async function findAlive(
  mending: Mending,
  lost: readonly LostRef[],
): Promise<ReadonlySet<string> | undefined> {
  const input = lost.map(({ id }) => `${id}\n`).join("");
  const answer = await mendGit(mending, ["cat-file", "--batch-check"], input);
  if (!answer.ok) return undefined;
  const found = answer.text.split("\n").map((line) => line.split(" "));
  return new Set(found.filter(([, type]) => type !== "missing").map(([id = ""]) => id));
}

/** All at once, since a careless agent removes many; one by one only where one of them stands in the way. */
async function putBackGone(
  mending: Mending,
  gone: readonly LostRef[],
): Promise<{ created: readonly LostRef[]; refused: readonly LostRef[] }> {
  if (gone.length === 0) return { created: [], refused: [] };
  const input = gone.map(({ name, id }) => `create ${name} ${id}\n`).join("");
  const all = await mendGit(mending, ["update-ref", "-m", LOG_MESSAGE, "--stdin"], input);
  if (all.ok) return { created: gone, refused: [] };
  const created: LostRef[] = [];
  for (const ref of gone.slice(0, SINGLE_MAX)) {
    // An empty old value makes git refuse to overwrite.
    const args = ["update-ref", "-m", LOG_MESSAGE, ref.name, ref.id, ""];
    if ((await mendGit(mending, args)).ok) created.push(ref);
  }
  return { created, refused: gone.filter((ref) => !created.includes(ref)) };
}

async function putBackMoved(mending: Mending, moved: readonly LostRef[]): Promise<Turned> {
  const torn: LostRef[] = [];
  for (const ref of moved) if (!(await hasGrown(mending, ref))) torn.push(ref);
  const free = torn.filter(({ is }) => is?.isBound !== true);
  const agents = free.map(({ name, id, is }) => ({ name, id: is?.id ?? id }));
  const { names, problem } = await keep(mending, "aside", agents);
  if (problem !== undefined) return { returned: [], aside: [], refused: torn, problem };
  const returned: LostRef[] = [];
  for (const ref of free) {
    // Only from where it was seen: what somebody else moves meanwhile is left alone.
    const args = ["update-ref", "-m", LOG_MESSAGE, ref.name, ref.id, ref.is?.id ?? ""];
    if ((await mendGit(mending, args)).ok) returned.push(ref);
  }
  const refused = torn.filter((ref) => !returned.includes(ref));
  return { returned, aside: names, refused, problem: undefined };
}

/** What became of refs that the agent had moved. */
interface Turned {
  readonly returned: readonly LostRef[];
  /** The names under which the agent's own places are kept. */
  readonly aside: readonly string[];
  readonly refused: readonly LostRef[];
  readonly problem: string | undefined;
}

/** A branch that has only grown holds all it held before; a tag is never meant to move. */
async function hasGrown(mending: Mending, { name, id, is }: LostRef): Promise<boolean> {
  return name.startsWith("refs/heads/") && (await isAncestor(mending, id, is?.id ?? id));
}

/** A ref and the id to keep for it. */
type Keeping = Pick<LostRef, "name" | "id">;

/**
 * Gives each id a ref of its own, at the first place that is free for all of them. What has one there already is not
 * named again.
 */
async function keep(
  mending: Mending,
  what: "kept" | "aside",
  refs: readonly Keeping[],
): Promise<{ names: readonly string[]; problem?: string }> {
  if (refs.length === 0) return { names: [] };
  const format = "--format=%(refname) %(objectname)";
  const answer = await mendGit(mending, ["for-each-ref", format, `refs/ralph/${what}`]);
  const taken = new Map<string, string>();
  for (const line of answer.text.split("\n")) {
    const [name = "", id = ""] = line.split(" ");
    taken.set(name, id);
  }
  const isFree = (place: string): boolean =>
    refs.every(({ name, id }) => (taken.get(nameAt(place, name)) ?? id) === id);
  const place = placesOf(mending, what).find(isFree);
  if (place === undefined) return { names: [], problem: keepProblem(refs, "no name is free") };
  const missing = refs.filter(({ name }) => !taken.has(nameAt(place, name)));
  if (missing.length === 0) return { names: [] };
  const input = missing.map(({ name, id }) => `create ${nameAt(place, name)} ${id}\n`).join("");
  const created = await mendGit(mending, ["update-ref", "--stdin"], input);
  if (!created.ok) return { names: [], problem: keepProblem(missing, created.error) };
  return { names: missing.map(({ name }) => nameAt(place, name)) };
}

/** Not below the name of the mending itself: that may be a ref, and git has none inside of another. */
function placesOf({ order }: Mending, what: "kept" | "aside"): string[] {
  const base = `refs/ralph/${what}/${order.keep}-refs`;
  return Array.from({ length: PLACES_MAX }, (_, n) => (n === 0 ? base : `${base}-${n + 1}`));
}

function nameAt(place: string, name: string): string {
  return `${place}/${name.slice("refs/".length)}`;
}

function describe({
  created,
  returned,
  aside,
  kept,
  dead,
}: Record<"created" | "returned" | "dead", readonly LostRef[]> &
  Record<"aside" | "kept", readonly string[]>): string[] {
  const did: string[] = [];
  if (created.length > 0)
    did.push(`The agent had removed ${wordsOf(created)}; ${backWords(created)}.`);
  if (returned.length > 0)
    did.push(`The agent had moved ${wordsOf(returned)} elsewhere; ${backWords(returned)}.`);
  if (aside.length > 0) did.push(`What it was moved to is kept as ${listOf(aside)}.`);
  if (kept.length > 0) {
    const what = count(kept.length, "branch or tag", "branches or tags");
    did.push(
      `The agent had moved or removed ${what} that could not be put back; what was there is kept as ${listOf(kept)}.`,
    );
  }
  if (dead.length > 0) {
    const named = dead.map(({ name, id }) => `${shortOf(name)} (${id})`);
    did.push(`Gone from the repository for good, with all that only they held: ${listOf(named)}.`);
  }
  return did;
}

function wordsOf(refs: readonly LostRef[]): string {
  const names = listOf(refs.map(({ name }) => shortOf(name)));
  return refs.length === 1 ? names : `${refs.length} branches and tags (${names})`;
}

function backWords({ length }: readonly LostRef[]): string {
  return length === 1 ? "it is back where it was" : "they are back where they were";
}

/** What a person calls it. */
function shortOf(name: string): string {
  return name.replace("refs/heads/", "branch ").replace("refs/tags/", "tag ");
}

function listOf(names: readonly string[]): string {
  const more = names.length - NAMES_MAX;
  return `${names.slice(0, NAMES_MAX).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function keepProblem(refs: readonly Keeping[], error: string): string {
  const ways = refs.slice(0, NAMES_MAX).map(({ id }, n) => `git branch ralph-kept-${n + 1} ${id}`);
  return `git could not keep what the agent took from branches or tags (${error}); give it branches yourself: ${ways.join("; ")}`;
}

function failed(problem: string): MendResult {
  return { did: [], problem };
}
