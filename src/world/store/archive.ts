// The archive: list, memory and specs of a feature as they were when a run had finished it or was followed by another.
// Each is made beside its place and moved there whole, so that half of one is never seen.

import { join } from "node:path";
import * as z from "zod/mini";
import type { Host } from "../host/host.ts";

/** What stands beside the files of an archive: which run they are of, and how far it came. */
export const ArchivedRun = z.object({
  v: z.literal(1),
  /** Absent where no run of the feature is known. */
  run: z.optional(z.string()),
  feature: z.string(),
  /** ISO time. */
  archivedAt: z.string(),
  /** Why the run ended; absent where it has not. */
  end: z.optional(z.string()),
  /** The iteration that made the archive, by which it is found again after a crash. */
  iteration: z.optional(z.string()),
  iterations: z.optional(z.int()),
  tasks: z.object({ total: z.int(), done: z.int() }),
  costUsd: z.optional(z.number()),
  tokens: z.optional(z.int()),
  branch: z.optional(z.string()),
});
export type ArchivedRun = z.infer<typeof ArchivedRun>;

/** Something that goes into an archive: a text of ours, or a file or folder that is copied where it is there. */
export type ArchivePart =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly from: string };

const FILE_MODE = 0o644;
const FOLDER_MODE = 0o755;
const NAMES_MAX = 1_000;

/** Copies the parts; returns the name of the new folder in the archive. */
export function writeArchive(
  host: Host,
  archive: string,
  about: ArchivedRun,
  parts: readonly ArchivePart[],
): string {
  const temporary = join(archive, `.${about.feature}.ralph-tmp`);
  host.files.makeFolder(archive, FOLDER_MODE);
  host.files.remove(temporary);
  try {
    host.files.makeFolder(temporary, FOLDER_MODE);
    for (const part of parts) writePart(host, temporary, part);
    writePart(host, temporary, { name: "run.json", text: render(about) });
    return moveIn(host, archive, about, temporary);
  } catch (error) {
    host.files.remove(temporary);
    throw error;
  }
}

/** Moves a whole folder into the archive, in place of the copy that its run has left there; returns its name there. */
export function moveToArchive(
  host: Host,
  archive: string,
  about: ArchivedRun,
  folder: string,
): string {
  host.files.makeFolder(archive, FOLDER_MODE);
  const copy = findArchive(host, archive, about.feature, () => true);
  const isCopied = copy !== undefined && holdsAllOf(host, folder, join(archive, copy));
  writePart(host, folder, { name: "run.json", text: render(about) });
  if (!isCopied) return moveIn(host, archive, about, folder);
  host.files.remove(join(archive, copy));
  host.files.rename(folder, join(archive, copy));
  return copy;
}

/** The newest archive of a feature for which this holds. */
export function findArchive(
  host: Host,
  archive: string,
  feature: string,
  isIt: (about: ArchivedRun) => boolean,
): string | undefined {
  const names = host.files.list(archive).filter((name) => !name.startsWith("."));
  return names
    .toSorted()
    .slice(-NAMES_MAX)
    .findLast((name) => {
      const about = name.includes(feature) ? readAbout(host, join(archive, name)) : undefined;
      return about?.feature === feature && isIt(about);
    });
}

/** Whether every file of an archive is in the folder, byte for byte; what an archive tells of itself aside. */
function holdsAllOf(host: Host, folder: string, archived: string): boolean {
  const names = host.files.list(archived).filter((name) => name !== "run.json");
  return names.every((name) => {
    const [ours, theirs] = [join(folder, name), join(archived, name)];
    const kind = host.files.kind(theirs);
    if (kind !== host.files.kind(ours)) return false;
    return kind === "folder" ? holdsAllOf(host, ours, theirs) : isSameFile(host, ours, theirs);
  });
}

function isSameFile(host: Host, one: string, other: string): boolean {
  const [size, otherSize] = [one, other].map((path) => host.files.stamp(path)?.size);
  if (size === undefined || size !== otherSize) return false;
  const bytes = host.files.readRange(one, 0, size);
  const others = host.files.readRange(other, 0, size);
  return bytes !== undefined && others !== undefined && bytes.equals(others);
}

function readAbout(host: Host, folder: string): ArchivedRun | undefined {
  try {
    const text = host.files.readText(join(folder, "run.json")) ?? "";
    return ArchivedRun.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function render(about: ArchivedRun): string {
  return `${JSON.stringify(about, null, 2)}\n`;
}

function writePart(host: Host, folder: string, part: ArchivePart): void {
  const to = join(folder, part.name);
  if ("text" in part) host.files.replace(to, part.text, { mode: FILE_MODE, durability: "synced" });
  else if (host.files.kind(part.from) !== undefined)
    host.files.copy(host.files.real(part.from) ?? part.from, to);
}

/** A second one on the same day gets a number. */
function moveIn(host: Host, archive: string, about: ArchivedRun, folder: string): string {
  const base = `${about.archivedAt.slice(0, 10)}-${about.feature}`;
  const taken = new Set(host.files.list(archive));
  let name = base;
  for (let n = 2; taken.has(name) && n <= NAMES_MAX; n++) name = `${base}-${n}`;
  host.files.rename(folder, join(archive, name));
  return name;
}
