// The variables an agent or a gate starts with: the user's own, less those of an outer session, plus the run's ids.

import type { Host } from "../host/host.ts";

/** Names an outer agent session, git or npm sets for its children; settings of the user's are not among them. */
const DROPPED = new Set([
  "CLAUDECODE",
  "CLAUDE_CODE_ENTRYPOINT",
  "CLAUDE_CODE_EXECPATH",
  "CLAUDE_CODE_SESSION_ID",
  "CLAUDE_CODE_SSE_PORT",
  "CLAUDE_CODE_TASK_LIST_ID",
  "CLAUDE_PID",
  "CLAUDE_PROJECT_DIR",
  "CODEX_SANDBOX",
  "CODEX_SANDBOX_NETWORK_DISABLED",
  "CODEX_THREAD_ID",
  "CURSOR_AGENT",
  "CURSOR_TRACE_ID",
  "GEMINI_CLI",
  "OPENCODE",
  "COPILOT_AGENT_SESSION_ID",
  "INIT_CWD",
  "NODE_OPTIONS",
  "NODE_CHANNEL_FD",
  "NODE_CHANNEL_SERIALIZATION_MODE",
]);
const DROPPED_PREFIXES = ["GIT_", "npm_", "RALPH_"];

/** Ids every child carries; `RALPH_RUN_ID` is also how its tree is found again. */
export interface ChildIds {
  readonly run: string;
  readonly iteration: number;
  readonly feature: string;
  readonly task: string | undefined;
  readonly attempt: number;
  /** Absolute path of the task list. */
  readonly tasksFile: string;
}

export function childEnvironment(
  host: Host,
  ids: ChildIds,
  further: Readonly<Record<string, string>>,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(host.env)) {
    if (value === undefined || DROPPED.has(name)) continue;
    if (DROPPED_PREFIXES.some((prefix) => name.startsWith(prefix))) continue;
    env[name] = value;
  }
  return {
    ...env,
    ...further,
    RALPH_RUN_ID: ids.run,
    RALPH_ITERATION: String(ids.iteration),
    RALPH_FEATURE: ids.feature,
    RALPH_ATTEMPT: String(ids.attempt),
    RALPH_TASKS_FILE: ids.tasksFile,
    ...(ids.task === undefined ? {} : { RALPH_TASK_ID: ids.task }),
  };
}

/** The assignment that only processes of this run have. */
export function runVariable(run: string): string {
  return `RALPH_RUN_ID=${run}`;
}
