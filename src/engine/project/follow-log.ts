// Hands on the events of a run's log as they are written, until the run has ended or its process is gone.

import type { Event } from "../../core/schema/event.ts";
import { err, ok, type Result } from "../../std/result.ts";
import type { Host } from "../../world/host/host.ts";
import { readEvents } from "../../world/store/read-log.ts";
import type { RunPaths } from "../../world/store/run-paths.ts";

/** Which part of a log to hand on, and for how long. */
export interface FollowOrder {
  readonly paths: RunPaths;
  /** How many events before the end of the file to begin with. */
  readonly last: number;
  readonly until: "end-of-file" | "end-of-run";
  /** Whether a process still works on the run. */
  readonly isAlive: () => boolean;
  readonly onEvent: (event: Event | undefined, line: string) => void;
}

const POLL_MS = 250;
const NEWLINE = 10;
const SEARCH_BYTES = 64 * 1024;

export async function followLog(
  host: Host,
  order: FollowOrder,
): Promise<Result<undefined, string>> {
  let ended = false;
  const read = (from: number): Result<number, string> =>
    readEvents(host, order.paths, from, (event, line) => {
      ended = event === undefined ? ended : event.type === "run-ended";
      order.onEvent(event, line.bytes.toString("utf8"));
    });
  let offset = startOffset(host, order.paths, order.last);
  for (;;) {
    const next = read(offset);
    if (!next.ok) return err(next.error);
    const isQuiet = next.value === offset;
    offset = next.value;
    if (order.until === "end-of-file" || (ended && isQuiet)) return ok(undefined);
    if (isQuiet && !order.isAlive()) return ok(undefined);
    if (isQuiet) await host.clock.sleep(POLL_MS);
  }
}

/** Where the last `count` lines begin; looks back from the end, so that a long log costs no more than a short one. */
function startOffset(host: Host, paths: RunPaths, count: number): number {
  const size = host.files.stamp(paths.events)?.size ?? 0;
  let from = size;
  let newlines = 0;
  while (from > 0) {
    const start = Math.max(0, from - SEARCH_BYTES);
    const bytes = host.files.readRange(paths.events, start, from - start) ?? Buffer.alloc(0);
    for (let i = bytes.length - 1; i >= 0; i--) {
      if (bytes[i] !== NEWLINE) continue;
      newlines += 1;
      if (newlines > count) return start + i + 1;
    }
    from = start;
  }
  return 0;
}
