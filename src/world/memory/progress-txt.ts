// progress.txt: the log an agent reads to know what went before. It only grows; a marker in each entry of ours tells
// whether it was written before a crash.

import type { MemoryEntry } from "../../core/schema/effect.ts";
import type { Host } from "../host/host.ts";

const FILE_MODE = 0o644;
const ENTRY = /^---\s*\nIteration:/mu;
const CLOSING = /^Status:[ \t]*ALL STORIES COMPLETE\b/mu;
const MARKER = "Run:";
const ADDED_BYTES_MAX = 256 * 1024;

/** Size of the file, for finding what an agent appended. */
export function progressSize(host: Host, path: string): number {
  return host.files.stamp(path)?.size ?? 0;
}

/** The end of the file, from the first whole entry in it. */
export function readProgressTail(host: Host, path: string, bytesMax: number): string {
  const size = progressSize(host, path);
  const bytes = host.files.readRange(path, Math.max(0, size - bytesMax), bytesMax);
  const text = bytes?.toString("utf8") ?? "";
  if (size <= bytesMax) return text;
  const first = ENTRY.exec(text)?.index ?? 0;
  return text.slice(first);
}

/** What somebody appended since the file had `sizeBefore` bytes: an entry, and one that says that all is complete. */
export function readNewEntries(
  host: Host,
  path: string,
  sizeBefore: number,
): { readonly entry: boolean; readonly closing: boolean } {
  const size = progressSize(host, path);
  const length = Math.min(Math.max(0, size - sizeBefore), ADDED_BYTES_MAX);
  const added = host.files.readRange(path, sizeBefore, length)?.toString("utf8") ?? "";
  const entry = ENTRY.test(added);
  return { entry, closing: entry && CLOSING.test(added) };
}

/** True when our own entry for the iteration is there already; looks at the end of the file only. */
export function hasOwnEntry(host: Host, path: string, iterationId: string): boolean {
  return readProgressTail(host, path, ADDED_BYTES_MAX)
    .split("\n")
    .includes(`${MARKER} ${iterationId}`);
}

/** Which iteration an entry is about. */
export interface EntryPlace {
  readonly feature: string;
  readonly iteration: number;
  readonly iterationId: string;
  readonly at: number;
}

export function appendEntry(host: Host, path: string, entry: MemoryEntry, place: EntryPlace): void {
  const isNew = progressSize(host, path) === 0;
  const heading = `# Progress Log: ${place.feature}\n# Started: ${isoTime(place.at)}\n`;
  const last = isNew
    ? "\n"
    : host.files.readRange(path, progressSize(host, path) - 1, 1)?.toString("latin1");
  const gap = last === "\n" ? "\n" : "\n\n";
  host.files.append(path, (isNew ? heading : "") + gap + renderEntry(entry, place), FILE_MODE);
}

function renderEntry(entry: MemoryEntry, place: EntryPlace): string {
  const nothing = entry.output === undefined ? "N/A" : "N/A - All complete";
  const story = entry.task === undefined ? nothing : `${entry.task.id} - ${entry.task.title}`;
  const lines = [
    "---",
    `Iteration: ${place.iteration}`,
    `Date: ${isoTime(place.at)}`,
    `Story: ${story}`,
    `Status: ${entry.status}`,
    ...block("Files Changed:", entry.files),
    ...block("Learnings:", entry.learnings),
    ...(entry.commit === undefined ? [] : [`Commit: ${entry.commit}`]),
    ...(entry.output === undefined ? [] : [`Output: ${entry.output}`]),
    `${MARKER} ${place.iterationId}`,
  ];
  return `${lines.join("\n")}\n`;
}

function block(heading: string, items: readonly string[]): string[] {
  return items.length === 0
    ? []
    : [heading, ...items.map((item) => `  - ${item.replaceAll(/\s+/gu, " ")}`)];
}

function isoTime(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/u, "Z");
}
