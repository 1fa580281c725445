// Any program that reads a prompt from standard input and ends.

import type { AgentAdapter } from "../adapter.ts";

export const command: AgentAdapter = {
  program: undefined,
  output: "text",
  argv: ({ agent }) => [
    agent.command ?? "",
    ...(agent.model === undefined ? [] : [agent.model]),
    ...agent.arguments,
  ],
  env: {},
  install: "name an existing program in agent.command of .ralph/config.yaml",
  permissions: "whatever the program allows itself: it runs as you, in the project's folder",
  cannotWrite: () => undefined,
};
