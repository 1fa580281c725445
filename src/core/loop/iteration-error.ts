// The one error an iteration is remembered by, so that the same one can be told again: what a gate said, what the agent
// called an error, or what a program without events printed as one.

import type { AgentExit } from "../schema/event.ts";
import { errorKey } from "./error-key.ts";
import { findErrors } from "./error-lines.ts";
import { verdictOf } from "./gates.ts";
import type { IterationState, RunState } from "./state.ts";

/** Without numbers, paths and times; undefined where nothing went wrong. */
export function iterationError(state: RunState, it: IterationState): string | undefined {
  const [red] = verdictOf(state, it).worse;
  if (red !== undefined) {
    const line = red.timedOut ? "timed out" : (findErrors(red.lines.join("\n"))[0] ?? red.lines[0]);
    return errorKey(`gate ${red.name}: ${line ?? "fails"}`);
  }
  const said = it.exit === undefined ? undefined : agentError(it.exit);
  return said === undefined ? undefined : errorKey(said);
}

function agentError(exit: AgentExit): string | undefined {
  if (exit.terminated?.cause === "clock" && exit.terminated.clock !== "grace") {
    return `the ${exit.terminated.clock} clock ran out`;
  }
  const { result } = exit;
  // An agent with events says itself whether it failed; the words of a good result are no errors.
  if (result?.good === true) return undefined;
  if (result?.good === false) return result.text === "" ? "the agent failed" : result.text;
  const printed = findErrors(`${result?.text ?? ""}\n${exit.stderr}`);
  if (printed.length > 0) return printed.at(-1);
  return exit.code === 0 ? undefined : `exit code ${exit.code ?? exit.signal ?? "unknown"}`;
}
