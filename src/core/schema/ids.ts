// Names of runs, iterations, effects and tasks. Branded, so that one is never passed for another.

import * as z from "zod/mini";

/** `20261115T073200Z-k3f9`: sorts by time, safe in paths and refs. */
export const RunId = z
  .string()
  .check(z.regex(/^\d{8}T\d{6}Z-[a-z0-9]{4}$/u))
  .brand<"RunId">();
export type RunId = z.infer<typeof RunId>;

/** `run/n.k`: the k-th effect of the n-th iteration of a run. */
export const EffectId = z.string().brand<"EffectId">();
export type EffectId = z.infer<typeof EffectId>;

/** A task's name in its own list, as written there. */
export const TaskId = z.string().check(z.minLength(1)).brand<"TaskId">();
export type TaskId = z.infer<typeof TaskId>;

/** `random` is four or more characters of `a-z0-9` from outside; the id uses the first four. */
export function renderRunId(atMs: number, random: string): RunId {
  const stamp = new Date(atMs).toISOString().replaceAll(/[-:]|\.\d+/gu, "");
  return RunId.parse(`${stamp}-${random.slice(0, 4)}`);
}

export function isRunId(text: string): text is RunId {
  return RunId.safeParse(text).success;
}

export function isTaskId(text: string): text is TaskId {
  return text !== "";
}

export function renderEffectId(run: RunId, iteration: number, k: number): EffectId {
  return EffectId.parse(`${run}/${iteration}.${k}`);
}

/** The name an iteration has in commit trailers and progress entries. */
export function renderIterationId(run: RunId, iteration: number): string {
  return `${run}/${iteration}`;
}
