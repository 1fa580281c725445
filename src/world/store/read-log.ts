// Reads a run's log: the newest state in constant time from the snapshot and the few events after it, or all of it.

import { reduce } from "../../core/loop/reduce.ts";
import type { RunState } from "../../core/loop/state.ts";
import { EVENT_BYTES_MAX, type Event } from "../../core/schema/event.ts";
import { parseEvent } from "../../core/schema/parse-event.ts";
import { Defect } from "../../std/assert.ts";
import { checksum } from "../../std/checksum.ts";
import { err, ok, type Result } from "../../std/result.ts";
import type { Host } from "../host/host.ts";
import { parseSnapshot, type Snapshot } from "./parse-snapshot.ts";
import type { RunPaths } from "./run-paths.ts";

/** The state after the last whole event of a log. */
export interface LogTip {
  readonly state: RunState;
  /** Number of the last event, which may be one of a later version that was not folded. */
  readonly seq: number;
  /** Length of the log up to and with that event; what follows is torn. */
  readonly bytes: number;
  readonly tipAt: number;
  readonly tip: string;
}

const NEWLINE = 10;
const CHUNK_BYTES = 1024 * 1024;

export function readTip(host: Host, paths: RunPaths): Result<LogTip, string> {
  const snapshot = usableSnapshot(host, paths);
  let tip: { [K in keyof LogTip]?: LogTip[K] | undefined } = snapshot ?? {};
  let isForeign = false;
  const read = readEvents(host, paths, snapshot?.bytes ?? 0, (event, line) => {
    // What does not begin with the start of a run, or does not go on as one, is not ours, whatever its lines look like.
    isForeign ||= tip.state === undefined && event?.type !== "run-started";
    const state = isForeign || event === undefined ? tip.state : fold(tip.state, event);
    isForeign ||= state === undefined;
    if (isForeign) return;
    tip = {
      state,
      seq: line.seq,
      bytes: line.end,
      tipAt: line.start,
      tip: checksum(line.bytes.toString("utf8")),
    };
  });
  if (!read.ok) return read;
  if (isForeign) return err(`${paths.events} tells no story of a run: somebody else wrote in it`);
  const { state, seq = 0, bytes = 0, tipAt = 0, tip: tipHash = "" } = tip;
  if (state === undefined) return err("the log holds no whole event");
  return ok({ state, seq, bytes, tipAt, tip: tipHash });
}

/** Undefined where an event cannot follow: whoever wrote it was not us. */
function fold(state: RunState | undefined, event: Event): RunState | undefined {
  try {
    return reduce(state, event);
  } catch (error) {
    if (error instanceof Defect) return undefined;
    throw error;
  }
}

/** A line of the log by its place in the file. */
export interface LogLine {
  readonly seq: number;
  readonly start: number;
  readonly end: number;
  readonly bytes: Buffer;
}

/**
 * Hands on every event from a byte offset, one of an unknown type as undefined; returns the offset after the last whole line. A last line without its
 * end is torn and left alone; a broken line anywhere else is an error, since nothing after it can be trusted.
 */
export function readEvents(
  host: Host,
  paths: RunPaths,
  from: number,
  onEvent: (event: Event | undefined, line: LogLine) => void,
): Result<number, string> {
  let offset = from;
  let rest: Buffer = Buffer.alloc(0);
  for (;;) {
    const chunk = host.files.readRange(paths.events, offset + rest.length, CHUNK_BYTES);
    if (chunk === undefined || chunk.length === 0) return ok(offset);
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      const line = bytes.subarray(start, end);
      const parsed = parseEvent(line.toString("utf8"));
      const place = { start: offset + start, end: offset + end + 1, bytes: line };
      if (!parsed.ok) return damaged(host, paths, place, parsed.error);
      const event = parsed.value.kind === "known" ? parsed.value.event : undefined;
      onEvent(event, { ...place, seq: parsed.value.seq });
      start = end + 1;
    }
    offset += start;
    rest = bytes.subarray(start);
    if (rest.length > 2 * EVENT_BYTES_MAX)
      return err(`a line at byte ${offset} is too long for an event`);
  }
}

/** A broken last line is a write that a crash cut; anywhere else the file was damaged. */
function damaged(
  host: Host,
  paths: RunPaths,
  line: { start: number; end: number },
  why: string,
): Result<number, string> {
  const size = host.files.stamp(paths.events)?.size ?? 0;
  if (line.end >= size) return ok(line.start);
  return err(`${paths.events} is damaged at byte ${line.start}: ${why}`);
}

function usableSnapshot(host: Host, paths: RunPaths): Snapshot | undefined {
  const text = host.files.readText(paths.snapshot);
  const snapshot = text === undefined ? undefined : parseSnapshot(text);
  if (snapshot === undefined) return undefined;
  const line = host.files.readRange(paths.events, snapshot.tipAt, snapshot.bytes - snapshot.tipAt);
  const fits =
    line !== undefined &&
    line.at(-1) === NEWLINE &&
    checksum(line.toString("utf8", 0, line.length - 1)) === snapshot.tip;
  return fits ? snapshot : undefined;
}
