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
  permissions:
    "edits files and uses the tools of claude.allowed_tools (Read, Write, Edit, Glob, Grep, Bash) without asking",
  cannotWrite: ({ agent, permissions, allowedTools }) => {
    const words = agent.arguments.flatMap((word) => word.split("="));
    const mode = words[words.indexOf("--permission-mode") + 1];
    if (words.includes("--permission-mode") && mode === "plan") {
      const problem = "agent.arguments put claude into plan mode, in which it changes nothing";
      return { problem, expected: "another permission mode", remedy: "take it out" };
    }
    const isFree = permissions === "skip" || words.includes("--dangerously-skip-permissions");
    if (isFree || mode === "bypassPermissions" || WRITING_TOOL.test(allowedTools)) return undefined;
    return {
      problem: `claude may not change files: claude.allowed_tools is "${allowedTools}"`,
      expected: "Write or Edit among the tools, whole or with a pattern such as Edit(src/**)",
      remedy:
        "set claude.allowed_tools to `Read,Write,Edit,Glob,Grep,Bash`, or allow everything: --dangerously-skip-permissions",
    };
  },
};

/** A tool that changes files, as a word of the list, alone or with a pattern. */
const WRITING_TOOL = /(?:^|[,\s])(?:Write|Edit|MultiEdit)(?:\(|[,\s]|$)/u;
