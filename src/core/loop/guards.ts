// The rules that end a run between two iterations, in the order in which they are asked.

import type { EndReason } from "../schema/outcome.ts";
import { iterationCap } from "./guards/iteration-cap.ts";
import { timeCap } from "./guards/time-cap.ts";
import type { RunState } from "./state.ts";

/** Says why a run has to end now, or nothing. */
export type Guard = (state: RunState) => { reason: EndReason; detail: string } | undefined;

export const guards: readonly Guard[] = [iterationCap, timeCap];
