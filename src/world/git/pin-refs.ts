// Holds what the user would miss while an agent works: a commit with a ref of its own outlives `git gc --prune=now`,
// whatever became of the branch, tag or stash entry that led to it. Brings nothing back.

import { join } from "node:path";
import { isDiskError } from "../host/files.ts";
import type { Host } from "../host/host.ts";
import type { Repository } from "./find-repository.ts";
import { readPacked } from "./read-refs.ts";
import { runGit } from "./run-git.ts";

const PINS_MAX = 200;
const FILE_MODE = 0o644;
const FOLDER_MODE = 0o777;
const ID = /^(?:[\da-f]{40}|[\da-f]{64})$/u;

/**
 * Afterwards the pins of `key` hold these objects and no others; a second call with the same ids costs a look into one
 * folder. Each pin is one file, so only the first 200 ids are held: those that matter most come first. `key` is fit to
 * be part of a ref and belongs to one working tree, so that the next run there finds what a killed one left.
 */
export async function pinRefs(
  host: Host,
  repository: Repository,
  key: string,
  ids: readonly string[],
): Promise<void> {
  // Where refs are not files, git would not see them.
  if (host.files.kind(join(repository.commonFolder, "refs", "heads")) !== "folder") return;
  const wanted = new Set([...new Set(ids)].filter((id) => ID.test(id)).slice(0, PINS_MAX));
  const pins = readPins(host, repository, key);
  const missing = [...wanted].filter((id) => !pins.loose.has(id) && !pins.packed.has(id));
  try {
    const alive = await findAlive(host, repository, missing);
    if (alive.length > 0) host.files.makeFolder(pins.folder, FOLDER_MODE);
    for (const id of alive) {
      // Synced: after a power loss git would stumble over an empty file wherever it lists all refs.
      const how = { mode: FILE_MODE, durability: "synced" } as const;
      host.files.replace(join(pins.folder, id), `${id}\n`, how);
    }
    await dropPins(host, repository, pins, wanted);
  } catch (error) {
    // A precaution: no run ends for want of it.
    if (!isDiskError(error)) throw error;
  }
}

/** For the end of a run, when everything the agent did has been looked at. */
export async function unpinRefs(host: Host, repository: Repository, key: string): Promise<void> {
  await pinRefs(host, repository, key, []);
  const { folder, loose } = readPins(host, repository, key);
  if (loose.size === 0) host.files.remove(folder);
}

/** The pins of one key: each is named after what it holds, so that nobody has to read it. */
interface Pins {
  readonly prefix: string;
  readonly folder: string;
  readonly loose: ReadonlySet<string>;
  /** Any gc moves them there. */
  readonly packed: ReadonlySet<string>;
}

function readPins(host: Host, repository: Repository, key: string): Pins {
  const prefix = `refs/ralph/pin/${key}/`;
  const folder = join(repository.commonFolder, prefix);
  // A lock among them is one of a git that tidies up.
  const loose = new Set(host.files.list(folder).filter((name) => !name.endsWith(".lock")));
  const names = [...readPacked(host, repository).keys()].filter((name) => name.startsWith(prefix));
  return { prefix, folder, loose, packed: new Set(names.map((name) => name.slice(prefix.length))) };
}

/**
 * Those whose objects are there: a ref to nothing would do the harm that it is meant to prevent. What is new is mostly
 * an object file of its own, so git is seldom asked.
 */
async function findAlive(
  host: Host,
  repository: Repository,
  ids: readonly string[],
): Promise<string[]> {
  const objects = join(repository.commonFolder, "objects");
  const isLoose = (id: string): boolean =>
    host.files.kind(join(objects, id.slice(0, 2), id.slice(2))) === "file";
  const unknown = ids.filter((id) => !isLoose(id));
  if (unknown.length === 0) return [...ids];
  const answer = await runGit(host, {
    tree: repository.tree,
    args: ["cat-file", "--batch-check"],
    input: `${unknown.join("\n")}\n`,
  });
  const missing = new Set(unknown);
  for (const line of answer.stdout.toString("utf8").split("\n")) {
    const [id = "", type] = line.split(" ");
    if (type !== "missing") missing.delete(id);
  }
  return ids.filter((id) => !missing.has(id));
}

async function dropPins(
  host: Host,
  repository: Repository,
  pins: Pins,
  wanted: ReadonlySet<string>,
): Promise<void> {
  const packed = [...pins.packed].filter((id) => !wanted.has(id));
  // Git takes the file of the same name away as well.
  if (packed.length > 0) {
    await runGit(host, {
      tree: repository.tree,
      args: ["-c", "core.hooksPath=/dev/null", "update-ref", "--stdin"],
      input: packed.map((id) => `delete ${pins.prefix}${id}\n`).join(""),
    });
  }
  for (const name of pins.loose) if (!wanted.has(name)) host.files.remove(join(pins.folder, name));
}
