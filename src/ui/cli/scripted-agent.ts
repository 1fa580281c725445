// The scripted agent as a process: started by a run, never by a person.

import { renderDiagnostics } from "../../core/view/diagnostics.ts";
import { EXIT_CODES } from "../../core/schema/outcome.ts";
import { playScenario } from "../../world/agents/play-scenario.ts";
import type { Handler } from "./command.ts";

export const scriptedAgent: Handler = async (io, { args }) => {
  const played = await playScenario(io.host, args[0] ?? "", {
    cwd: io.cwd,
    print: io.outAndWait,
    ignoreSignals: () => void io.onSignal(() => undefined),
  });
  if (played.ok) return played.value;
  io.err(renderDiagnostics(played.error));
  return EXIT_CODES["bad-input"];
};
