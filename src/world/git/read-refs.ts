// Branches and tags and what they point at, told by files alone: it is asked before every agent and after it. Other refs
// are none of its business, and neither is what the commits hold.

import { join } from "node:path";
import type { Host } from "../host/host.ts";
import type { Repository } from "./find-repository.ts";

/** The id of what each ref points at, by the ref's full name. */
export type Refs = ReadonlyMap<string, string>;

const REFS_MAX = 2_000;
const DEPTH_MAX = 20;
const PACKED_BYTES_MAX = 32 * 1024 * 1024;
/** Branches come first: where there are too many of both, they are worth more. */
const PLACES = ["refs/heads", "refs/tags"] as const;
const ID = "[\\da-f]{64}|[\\da-f]{40}";
const LOOSE_ID = new RegExp(`^(?:${ID})$`, "u");
const LINE = new RegExp(`^(${ID}) (refs/(?:heads|tags|ralph/pin)/\\S+)$`, "gmu");

/** Many refs are in one file that seldom changes; it is parsed again only when it has. */
const packedOf = new WeakMap<Host["files"], { path: string; stamp: string; refs: Refs }>();

/**
 * At most 2,000 of them, without those that only name another ref. A repository that keeps its refs in another form
 * than files has none here.
 */
export function readRefs(host: Host, repository: Repository): Refs {
  // Git writes a ref into the packed file before it takes the single one away, so in this order none is missed.
  const loose = readLoose(host, repository);
  const refs = new Map<string, string>();
  for (const [name, id] of loose) if (id !== undefined) refs.set(name, id);
  for (const [name, id] of readPacked(host, repository)) {
    if (refs.size >= REFS_MAX) break;
    if (!loose.has(name) && !name.startsWith("refs/ralph/")) refs.set(name, id);
  }
  return refs;
}

/** How many of these refs are gone or point elsewhere. */
export function countLost(host: Host, repository: Repository, before: Refs): number {
  const loose = readLoose(host, repository);
  const packed = readPacked(host, repository);
  const lost = [...before].filter(
    ([name, id]) => (loose.has(name) ? loose.get(name) : packed.get(name)) !== id,
  );
  if (loose.size < REFS_MAX) return lost.length;
  // New ones may have taken the place of old ones among so many.
  const isThere = ([name, id]: [string, string]): boolean =>
    host.files.kind(join(repository.commonFolder, name)) === "file" &&
    readId(host, repository, name) === id;
  return lost.filter((ref) => !isThere(ref)).length;
}

/** Branches, tags and the pins of runs that are in the packed file; a single file of the same name is newer. */
export function readPacked(host: Host, repository: Repository): Refs {
  const path = join(repository.commonFolder, "packed-refs");
  const found = host.files.stamp(path);
  if (found === undefined) return new Map();
  const stamp = `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
  const known = packedOf.get(host.files);
  if (known?.path === path && known.stamp === stamp) return known.refs;
  const text = host.files.readRange(path, 0, PACKED_BYTES_MAX)?.toString("utf8") ?? "";
  const refs = parseRefs(text);
  packedOf.set(host.files, { path, stamp, refs });
  return refs;
}

/** One line for each ref, in the order of their names: equal refs have equal texts. */
export function renderRefs(refs: Refs): string {
  const names = [...refs.keys()].toSorted();
  return names.map((name) => `${refs.get(name)} ${name}\n`).join("");
}

/** Lines that are something else are passed over. */
export function parseRefs(text: string): Map<string, string> {
  return new Map(Array.from(text.matchAll(LINE), ([, id = "", name = ""]) => [name, id]));
}

/** Undefined stands for a ref that has no id of its own. */
function readLoose(host: Host, repository: Repository): Map<string, string | undefined> {
  const loose = new Map<string, string | undefined>();
  for (const place of PLACES) listLoose(host, repository, { place, loose, depth: 0 });
  return loose;
}

/** One folder of refs and what was found so far. */
interface Listing {
  readonly place: string;
  readonly loose: Map<string, string | undefined>;
  readonly depth: number;
}

function listLoose(host: Host, repository: Repository, { place, loose, depth }: Listing): void {
  if (depth > DEPTH_MAX) return;
  const folder = join(repository.commonFolder, place);
  for (const entry of host.files.list(folder).toSorted()) {
    if (loose.size >= REFS_MAX) return;
    if (entry.startsWith(".") || entry.endsWith(".lock")) continue;
    const name = `${place}/${entry}`;
    const kind = host.files.kind(join(folder, entry));
    if (kind === "file") loose.set(name, readId(host, repository, name));
    if (kind === "folder") listLoose(host, repository, { place: name, loose, depth: depth + 1 });
  }
}

function readId(host: Host, repository: Repository, name: string): string | undefined {
  const text = host.files.readText(join(repository.commonFolder, name))?.trim();
  return text !== undefined && LOOSE_ID.test(text) ? text : undefined;
}
