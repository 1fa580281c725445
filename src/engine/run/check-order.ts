// What a person ordered beside the task list: the prompt file, the template and what the agent may do. Looked at before
// anything starts.

import { resolve } from "node:path";
import type { Config } from "../../core/schema/config.ts";
import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import { TaskId } from "../../core/schema/ids.ts";
import { err, ok, type Result } from "../../std/result.ts";
import { adapters } from "../../world/agents/registry.ts";
import type { Host } from "../../world/host/host.ts";
import type { Project } from "../project/open-project.ts";
import { fillOpening, readOpening, templateVariables } from "./opening.ts";
import type { PromptSource } from "./prompt-writer.ts";

/** What was ordered about the prompt. */
export interface PromptOrders {
  readonly cwd: string;
  readonly templates: string;
  /** The file of `--prompt`, as it was typed. */
  readonly prompt: string | undefined;
}

/** Reads `--prompt FILE` once: what becomes of the file later changes nothing. */
export function readPromptSource(
  host: Host,
  { cwd, templates, prompt }: PromptOrders,
): Result<PromptSource, Diagnostic[]> {
  if (prompt === undefined) return ok({ templates, given: undefined });
  const path = resolve(cwd, prompt);
  const text = host.files.kind(path) === "folder" ? undefined : host.files.readText(path);
  if (text !== undefined && text.trim() !== "")
    return ok({ templates, given: { name: prompt, text } });
  const problem = text === undefined ? "there is no such file" : "the file is empty";
  const expected = "a prompt for the agent, in a file";
  return err([{ file: prompt, problem, expected, remedy: "name another file after --prompt" }]);
}

/** What is wrong with the template in force; the shipped ones are never. */
export async function checkTemplates(
  host: Host,
  project: Project,
  config: Config,
  source: PromptSource,
): Promise<Diagnostic[]> {
  const template = config.promptTemplate;
  const opening = readOpening(host, { project, ...source, template });
  const sample = { task: { id: TaskId.parse("ID"), title: "title" }, attempt: 1 };
  const filled = await fillOpening(opening, templateVariables(project, config, sample));
  return filled.ok ? [] : filled.error;
}

/** An agent that cannot change a file would only burn money. */
export function checkPermissions({ agent, permissions, allowedTools }: Config): Diagnostic[] {
  const why = adapters[agent.name].cannotWrite({ agent, permissions, allowedTools });
  return why === undefined ? [] : [{ file: ".ralph/config.yaml", ...why }];
}

/** A choice of template that something else stands in front of: better said than believed. */
export function templateNotices(
  host: Host,
  project: Project,
  config: Config,
  source: PromptSource,
): string[] {
  const { kind, name } = readOpening(host, { project, ...source, template: config.promptTemplate });
  const isHidden = kind === "own" || name === project.feature.guarded.template.name;
  if (config.promptTemplate === "default" || !isHidden) return [];
  return [
    `prompt.template is ${config.promptTemplate}, but ${name} is used; without that file the template is`,
  ];
}
