// The program of the configured agent: where it lies, or what to do when it is not there.

import type { Config } from "../../core/schema/config.ts";
import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import { err, ok, type Result } from "../../std/result.ts";
import { adapters } from "../../world/agents/registry.ts";
import type { Host } from "../../world/host/host.ts";

/** Its path; undefined where the agent is part of this program. */
export function findAgentProgram(
  host: Host,
  root: string,
  { agent }: Config,
): Result<string | undefined, Diagnostic> {
  const adapter = adapters[agent.name];
  const program = agent.command ?? adapter.program;
  if (program === undefined) return ok(undefined);
  const path = host.processes.locate(program, host.env["PATH"] ?? "", root);
  if (path !== undefined) return ok(path);
  const hint = program.includes(" ") ? "; arguments belong into agent.arguments" : "";
  return err({
    file: ".ralph/config.yaml",
    problem: `the agent's program "${program}" was not found, or cannot be executed${hint}`,
    expected: "a program on your PATH, or a path that begins at the project's folder",
    remedy: adapter.install,
  });
}
