// Looks at everything a person has written for a run, finds what would stop it and what looks wrong, and changes nothing.

import type { Config } from "../../core/schema/config.ts";
import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import { resolveConfig } from "../../world/config/resolve-config.ts";
import type { Host } from "../../world/host/host.ts";
import { findMisspelt } from "../../world/tasks/misspelt-keys.ts";
import { programOf } from "../../world/verify/gate-program.ts";
import { findAgentProgram } from "../project/agent-program.ts";
import { checkTasks } from "../project/check-tasks.ts";
import { findPlace, openProject } from "../project/open-project.ts";
import {
  checkPermissions,
  checkTemplates,
  readPromptSource,
  templateNotices,
} from "./check-order.ts";

/** What is looked at. */
export interface ValidateOrder {
  readonly cwd: string;
  readonly feature: string | undefined;
  readonly templates: string;
  readonly self: readonly string[];
}

/** With an error `ralph run` would not start; a warning is worth a look. */
export interface Validation {
  readonly feature: string | undefined;
  readonly errors: readonly Diagnostic[];
  readonly warnings: readonly Diagnostic[];
}

export async function validateProject(host: Host, order: ValidateOrder): Promise<Validation> {
  const { root } = findPlace(host, order.cwd);
  const errors: Diagnostic[] = [];
  const warnings: Diagnostic[] = [];
  const resolved = resolveConfig(host, root, {});
  const config = resolved.ok ? resolved.value.config : undefined;
  if (!resolved.ok) errors.push(...resolved.error);
  const project = openProject(host, order.cwd, order.feature);
  if (!project.ok) errors.push(...project.error);
  if (project.ok) {
    errors.push(...checkTasks(host, project.value));
    const { path, name } = project.value.feature.tasks;
    warnings.push(...findMisspelt(host.files.readText(path) ?? "", name));
  }
  if (config !== undefined) {
    const program = findAgentProgram(host, root, config);
    if (!program.ok) errors.push(program.error);
    errors.push(...checkPermissions(config));
    warnings.push(...checkGates(host, root, config));
    if (project.ok) {
      const prompt = readPromptSource(host, { ...order, prompt: undefined });
      const source = prompt.ok ? prompt.value : { templates: order.templates, given: undefined };
      errors.push(...(await checkTemplates(host, project.value, config, source)));
      const said = templateNotices(host, project.value, config, source);
      warnings.push(...said.map((problem) => toWarning(problem)));
    }
  }
  return { feature: project.ok ? project.value.feature.feature : undefined, errors, warnings };
}

/** A shell may know a word that we do not, so this only warns. */
function checkGates(host: Host, root: string, config: Config): Diagnostic[] {
  return config.gates.flatMap(({ name, command }) => {
    const program = programOf(command);
    if (program === undefined) return [];
    if (host.processes.locate(program, host.env["PATH"] ?? "", root) !== undefined) return [];
    return [
      {
        file: ".ralph/config.yaml",
        problem: `the gate ${name} begins with "${program}", which was not found`,
        expected: "a program on your PATH, or a path that begins at the project's folder",
        remedy: "install it, or correct quality_checks",
      },
    ];
  });
}

function toWarning(problem: string): Diagnostic {
  const expected = "the template that the settings name";
  return { file: ".ralph/config.yaml", problem, expected, remedy: "remove one of the two" };
}
