// Gathers what a prompt is made of, each part bounded before it is read, and renders it.

import {
  renderPrompt,
  type PromptInput,
  type RenderedPrompt,
} from "../../core/prompt/render-prompt.ts";
import { countTokens } from "../../core/prompt/token-budget.ts";
import type { RunState } from "../../core/loop/state.ts";
import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import type { Rejection } from "../../core/schema/effect.ts";
import type { Task } from "../../core/schema/task.ts";
import { ok, type Result } from "../../std/result.ts";
import { readSubjects } from "../../world/git/read-commits.ts";
import type { Host } from "../../world/host/host.ts";
import { learningsOf, readPatterns } from "../../world/memory/read-back.ts";
import { readProgressTail } from "../../world/memory/progress-txt.ts";
import type { Project } from "../project/open-project.ts";
import { fillOpening, type OpeningOrder, readOpening, templateVariables } from "./opening.ts";

/** What this prompt is about. */
export interface PromptOrder {
  readonly task: Task;
  readonly attempt: number;
  readonly rejection: Rejection | undefined;
  readonly warning: string | undefined;
  readonly state: RunState;
  readonly head: string | undefined;
}

/** Where its first part may come from: see opening.ts. */
export type PromptSource = Pick<OpeningOrder, "templates" | "given">;

const MEMORY_BYTES = 16 * 1024;
const COMMITS_MAX = 10;
const SPECS_MAX = 50;

/** Makes the prompts of one run. */
export class PromptWriter {
  readonly #host: Host;
  readonly #project: Project;
  readonly #source: PromptSource;
  /** Subjects are asked of git again only when the commit changed. */
  #commits: { head: string | undefined; subjects: readonly string[] } | undefined;
  /** The opening is the same most of the time, and counting it is not cheap. */
  #counted: { text: string; tokens: number } | undefined;

  constructor(host: Host, project: Project, source: PromptSource) {
    this.#host = host;
    this.#project = project;
    this.#source = source;
  }

  /** Fails where a template that a person has changed cannot be filled. */
  async render(order: PromptOrder): Promise<Result<RenderedPrompt, Diagnostic[]>> {
    const opening = await this.#opening(order);
    if (!opening.ok) return opening;
    const { feature } = this.#project;
    const { tasks, config } = order.state;
    const memory = readProgressTail(this.#host, feature.memory.path, MEMORY_BYTES);
    const rendered = renderPrompt({
      opening: opening.value,
      task: order.task,
      attempt: order.attempt,
      counts: { done: tasks?.done ?? 0, total: tasks?.total ?? 0 },
      files: { tasks: feature.tasks.name, memory: feature.memory.name, specs: feature.specs.name },
      specs: this.#host.files
        .list(feature.specs.path)
        .filter((name) => !name.startsWith("."))
        .slice(0, SPECS_MAX),
      gates: config.gates.map((gate) => gate.name),
      rejection: order.rejection,
      warning: order.warning,
      patterns: readPatterns(this.#host, feature.memory.path),
      learnings: learningsOf(memory),
      memory,
      commits: await this.#subjects(order.head),
      tokensMax: config.promptTokensMax,
    });
    return ok(rendered);
  }

  async #opening(order: PromptOrder): Promise<Result<PromptInput["opening"], Diagnostic[]>> {
    const { config } = order.state;
    const template = config.promptTemplate;
    const opening = readOpening(this.#host, {
      project: this.#project,
      ...this.#source,
      template,
    });
    const filled = await fillOpening(opening, templateVariables(this.#project, config, order));
    if (!filled.ok) return filled;
    const text = filled.value;
    if (this.#counted?.text !== text) this.#counted = { text, tokens: countTokens(text) };
    return ok({ ...this.#counted, kind: opening.kind });
  }

  async #subjects(head: string | undefined): Promise<readonly string[]> {
    const tree = this.#project.repository?.tree;
    if (tree === undefined || head === undefined) return [];
    if (this.#commits?.head !== head) {
      this.#commits = { head, subjects: await readSubjects(this.#host, tree, COMMITS_MAX) };
    }
    return this.#commits.subjects;
  }
}
