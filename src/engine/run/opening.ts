// The first part of a prompt: a file named on the command line or the feature's own prompt, to the last byte, or else a
// template of ours, ejected, from the home folder or as shipped, with its names filled in.

import { join } from "node:path";
import { fillSimple, type TemplateVariables } from "../../core/prompt/template-variables.ts";
import type { Config, PromptTemplate } from "../../core/schema/config.ts";
import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import type { TaskRef } from "../../core/schema/task.ts";
import { assert } from "../../std/assert.ts";
import { err, ok, type Result } from "../../std/result.ts";
import type { Host } from "../../world/host/host.ts";
import { TEMPLATE_FILES } from "../project/eject-template.ts";
import type { Project } from "../project/open-project.ts";

/** A text before its names are filled in. */
export interface Opening {
  readonly kind: "own" | "template";
  readonly text: string;
  /** The file as a person would write it. */
  readonly name: string;
}

/** Where an opening is looked for. */
export interface OpeningOrder {
  readonly project: Project;
  /** Folder with the shipped templates. */
  readonly templates: string;
  readonly template: PromptTemplate;
  /** The text of `--prompt FILE`, where that was given. */
  readonly given: { readonly name: string; readonly text: string } | undefined;
}

export function readOpening(host: Host, order: OpeningOrder): Opening {
  const { project, templates, template, given } = order;
  if (given !== undefined) return { kind: "own", ...given };
  const { prompt, template: ejected } = project.feature.guarded;
  const own = readFilled(host, prompt.path);
  if (own !== undefined) return { kind: "own", text: own, name: prompt.name };
  const changed = readFilled(host, ejected.path);
  if (changed !== undefined) return { kind: "template", text: changed, name: ejected.name };
  const name = TEMPLATE_FILES[template];
  const home = host.env["HOME"];
  const global =
    home === undefined ? undefined : readFilled(host, join(home, ".ralph", "templates", name));
  if (global !== undefined)
    return { kind: "template", text: global, name: `~/.ralph/templates/${name}` };
  const text = host.files.readText(join(templates, name));
  assert(text !== undefined, "the shipped template is there");
  return { kind: "template", text, name: `templates/${name}` };
}

/** A file with nothing in it counts as none. */
function readFilled(host: Host, path: string): string | undefined {
  const text = host.files.readText(path);
  return text === undefined || text.trim() === "" ? undefined : text;
}

/** The values that the names in a template stand for. */
export function templateVariables(
  { feature }: Project,
  config: Config,
  now: { readonly task: TaskRef; readonly attempt: number },
): TemplateVariables {
  return {
    feature: feature.feature,
    promise: config.promise,
    attempt: now.attempt,
    task: { id: now.task.id, title: now.task.title },
    files: {
      tasks: feature.tasks.name,
      progress: feature.memory.name,
      specs: feature.specs.name,
    },
    gates: config.gates.map(({ name, command }) => ({ name, command })),
  };
}

/** The library is loaded only for a template that needs it. */
export async function fillOpening(
  opening: Opening,
  variables: TemplateVariables,
): Promise<Result<string, Diagnostic[]>> {
  if (opening.kind === "own") return ok(opening.text);
  const simple = fillSimple(opening.text, variables);
  if (simple !== undefined) return ok(simple);
  const { checkTemplate, fillTemplate } = await import("../../core/prompt/handlebars-template.ts");
  const problems = checkTemplate(opening.text);
  if (problems.length === 0) return ok(fillTemplate(opening.text, variables));
  const remedy = "docs/formats/templates.md lists what there is; without the file ours is used";
  return err(problems.map((problem) => ({ file: opening.name, ...problem, remedy })));
}
