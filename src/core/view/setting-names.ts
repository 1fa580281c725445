// What the fields of our settings are called in config.yaml; a group where one field holds all of it.

import { lookUp } from "../../std/look-up.ts";
import type { Config } from "../schema/config.ts";

export const SETTING_NAMES: Readonly<Record<keyof Config, string>> = {
  agent: "agent",
  iterationMax: "defaults.max_iterations",
  runMsMax: "defaults.max_time",
  clocks: "clocks and defaults.timeout_minutes",
  gates: "quality_checks",
  promise: "completion.promise",
  permissions: "claude.dangerously_skip_permissions",
  allowedTools: "claude.allowed_tools",
  limitWaitMs: "limits.wait",
  limitMarginMs: "limits.margin",
  pauseMs: "defaults.pause_between",
  keepIterations: "record.keep_iterations",
  promptTokensMax: "prompt.tokens",
  gateTimeoutMs: "gates.timeout",
  callsPerHourMax: "defaults.rate_limit_per_hour",
  breaker: "circuit_breaker",
  parking: "completion and stuck",
  budget: "budget",
  branch: "branch",
  archive: "archive",
  onLimit: "limits.on_limit",
  promptTemplate: "prompt.template",
};

/** A field that only an older version had keeps its own name. */
export function settingName(field: string): string {
  return lookUp<string>(SETTING_NAMES, field) ?? field;
}
