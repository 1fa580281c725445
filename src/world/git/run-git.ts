// Starts git with an environment from nothing: no prompt, no pager, no locks it does not need, no variable of the user's.

import type { Host } from "../host/host.ts";
import { runCommand, type CommandAnswer } from "../host/short-command.ts";

/** One git command in a working tree. */
export interface GitOrder {
  readonly tree: string;
  readonly args: readonly string[];
  readonly input?: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Variables beside the few that git always gets. */
  readonly env?: Readonly<Record<string, string>>;
}

const TIMEOUT_MS = 60_000;
/** What git and the hooks it starts need of the user's environment. */
const PASSED_ON = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "TMPDIR",
  "XDG_CONFIG_HOME",
  "SSH_AUTH_SOCK",
  "GPG_TTY",
] as const;

export async function runGit(host: Host, order: GitOrder): Promise<CommandAnswer> {
  return await runCommand(host, {
    argv: ["git", ...order.args],
    cwd: order.tree,
    env: { ...gitEnvironment(host), ...order.env },
    input: order.input,
    timeoutMs: order.timeoutMs ?? TIMEOUT_MS,
    signal: order.signal,
  });
}

function gitEnvironment(host: Host): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of PASSED_ON) {
    const value = host.env[name];
    if (value !== undefined) env[name] = value;
  }
  return {
    ...env,
    LC_ALL: "C",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_LITERAL_PATHSPECS: "1",
    GIT_EDITOR: "true",
  };
}
