// Gathers what a prompt is made of, each part bounded before it is read, and renders it.

import { join } from "node:path";
import {
  renderPrompt,
  type PromptInput,
  type RenderedPrompt,
} from "../../core/prompt/render-prompt.ts";
import { countTokens } from "../../core/prompt/token-budget.ts";
import type { RunState } from "../../core/loop/state.ts";
import type { Rejection } from "../../core/schema/effect.ts";
import type { Task } from "../../core/schema/task.ts";
import { assert } from "../../std/assert.ts";
import { readSubjects } from "../../world/git/read-commits.ts";
import type { Host } from "../../world/host/host.ts";
import { readProgressTail } from "../../world/memory/progress-txt.ts";
import type { Project } from "../project/open-project.ts";

/** What this prompt is about. */
export interface PromptOrder {
  readonly task: Task;
  readonly attempt: number;
  readonly rejection: Rejection | undefined;
  readonly warning: string | undefined;
  readonly state: RunState;
  readonly head: string | undefined;
}

const MEMORY_BYTES = 16 * 1024;
const COMMITS_MAX = 10;
const SPECS_MAX = 50;

/** Makes the prompts of one run. */
export class PromptWriter {
  readonly #host: Host;
  readonly #project: Project;
  readonly #templates: string;
  /** Subjects are asked of git again only when the commit changed. */
  #commits: { head: string | undefined; subjects: readonly string[] } | undefined;
  /** The opening is the same most of the time, and counting it is not cheap. */
  #counted: { text: string; tokens: number } | undefined;

  constructor(host: Host, project: Project, templates: string) {
    this.#host = host;
    this.#project = project;
    this.#templates = templates;
  }

  async render(order: PromptOrder): Promise<RenderedPrompt> {
    const { feature } = this.#project;
    const { tasks, config } = order.state;
    return renderPrompt({
      opening: this.#opening(),
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
      memory: readProgressTail(this.#host, feature.memory.path, MEMORY_BYTES),
      commits: await this.#subjects(order.head),
      tokensMax: config.promptTokensMax,
    });
  }

  #opening(): PromptInput["opening"] {
    const own = this.#host.files.readText(this.#project.feature.guarded.prompt.path);
    const isOwn = own !== undefined && own.trim() !== "";
    const text = isOwn ? own : this.#host.files.readText(join(this.#templates, "prompt.md"));
    assert(text !== undefined, "the shipped template is there");
    if (this.#counted?.text !== text) this.#counted = { text, tokens: countTokens(text) };
    return { ...this.#counted, kind: isOwn ? "own" : "template" };
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
