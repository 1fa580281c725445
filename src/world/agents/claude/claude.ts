// Claude Code, driven in print mode with its event stream. Flags and traps were measured with 2.1.197 and 2.1.325.

import type { AgentAdapter } from "../adapter.ts";

export const claude: AgentAdapter = {
  program: "claude",
  output: "claude",
  argv: ({ agent, permissions, allowedTools }) => [
    agent.command ?? "claude",
    "-p",
    "--output-format",
    "stream-json",
    // The event stream in print mode is refused without it.
    "--verbose",
    ...(agent.model === undefined ? [] : ["--model", agent.model]),
    ...(permissions === "skip"
      ? ["--dangerously-skip-permissions"]
      : ["--permission-mode", "acceptEdits", "--allowedTools", allowedTools]),
    ...agent.arguments,
  ],
  env: {
    // A background task keeps the process alive for ten minutes after its result, and then prompts the model again.
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
    // Backing off is the runner's: its own eleven tries take three minutes and show nothing.
    CLAUDE_CODE_MAX_RETRIES: "2",
  },
  install:
    "install it with `npm install -g @anthropic-ai/claude-code`, or name its path in agent.command",
};
