// What to do with an effect that was announced and whose fact is missing, because a process died or was stopped.

import type { EffectType } from "../schema/effect.ts";

/**
 * `redo`: doing it again does no harm. `probe`: look whether it was done, and do it only where it was not.
 * `skip`: never twice; what it left is read and judged instead.
 */
export type CrashRule = "redo" | "probe" | "skip";

export const CRASH_RULES: Readonly<Record<EffectType, CrashRule>> = {
  "read-project": "redo",
  "write-prompt": "redo",
  "run-agent": "skip",
  "inspect-project": "redo",
  "mend-git": "redo",
  "restore-tasks": "redo",
  "restore-file": "redo",
  "set-aside": "redo",
  "run-gate": "redo",
  "mark-task": "redo",
  "write-memory": "probe",
  archive: "probe",
  commit: "probe",
};
