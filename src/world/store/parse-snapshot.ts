// The snapshot of a run's state: a cache of the fold, believed only when its checksum and its place in the log fit.

import * as z from "zod/mini";
import type { RunState } from "../../core/loop/state.ts";
import { checksum } from "../../std/checksum.ts";

const Stored = z.object({
  /** Goes up when the state gets another shape: an older snapshot is then no cache of it. */
  v: z.literal(3),
  seq: z.int(),
  /** Length of the log that was folded. */
  bytes: z.int(),
  /** Where the last folded line starts, and its hash. */
  tipAt: z.int(),
  tip: z.string(),
  sum: z.string(),
  state: z.string(),
});

/** A state and the part of the log it stands for. */
export interface Snapshot {
  readonly seq: number;
  readonly bytes: number;
  readonly tipAt: number;
  readonly tip: string;
  readonly state: RunState;
}

// The checksum vouches for the shape: these bytes were written by renderSnapshot.
const VouchedState = z.custom<RunState>((value) => typeof value === "object" && value !== null);

export function parseSnapshot(text: string): Snapshot | undefined {
  try {
    const stored = Stored.parse(JSON.parse(text));
    if (checksum(stored.state) !== stored.sum) return undefined;
    const state = VouchedState.parse(JSON.parse(stored.state));
    return { seq: stored.seq, bytes: stored.bytes, tipAt: stored.tipAt, tip: stored.tip, state };
  } catch {
    return undefined;
  }
}

export function renderSnapshot(snapshot: Snapshot): string {
  const { seq, bytes, tipAt, tip } = snapshot;
  const state = JSON.stringify(snapshot.state);
  return `${JSON.stringify({ v: 3, seq, bytes, tipAt, tip, sum: checksum(state), state })}\n`;
}
