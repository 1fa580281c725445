// The shape of a judgement, and what most of them have in common.

import type { Claim, Parked, Verification } from "../schema/event.ts";
import type { Outcome } from "../schema/outcome.ts";
import type { TaskRef } from "../schema/task.ts";

/** What is true after an iteration, once its gates have run. */
export interface Judgement {
  readonly outcome: Outcome;
  readonly reason: string;
  readonly accepted: readonly { readonly task: TaskRef; readonly verification: Verification }[];
  /** Marks that do not stand and are taken back. */
  readonly takenBack: readonly TaskRef[];
  readonly claims: readonly Claim[];
  readonly complete: boolean;
  readonly charged: boolean;
  /** Set when the task waits for an answer. */
  readonly parked?: Parked;
  /** True when no agent may start before a person has done something. */
  readonly blocked: boolean;
}

/** What most judgements have in common. */
export const NOTHING_CLAIMED = {
  accepted: [],
  takenBack: [],
  claims: [],
  complete: false,
  charged: true,
  blocked: false,
} as const;

export function gateWords(count: number): string {
  return count === 1 ? "the gate passes" : `all ${count} gates pass`;
}
