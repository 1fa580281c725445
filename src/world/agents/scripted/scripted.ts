// The built-in agent: a process of its own that does what a scenario file tells it. For demos, tests and rehearsals.

import { join } from "node:path";
import type { AgentAdapter } from "../adapter.ts";

export const scripted: AgentAdapter = {
  program: undefined,
  output: "notes",
  argv: ({ agent, self, featureFolder }) => [
    ...self,
    "scripted-agent",
    agent.arguments[0] ?? join(featureFolder, "scenario.yaml"),
  ],
  env: {},
  install: "the scripted agent is part of ralph",
  permissions: "does what its scenario says, as you, in the project's folder",
  cannotWrite: () => undefined,
};
