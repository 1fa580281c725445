// The text an agent reads: rules that never change first, then what this iteration hands off, each part within its budget.

import type { Rejection } from "../schema/effect.ts";
import type { Task } from "../schema/task.ts";
import { fitTokens, type KeptEnd } from "./token-budget.ts";

/** All that a prompt is made of; the files behind it may be of any size, these texts are already bounded. */
export interface PromptInput {
  /** Our template, or the project's own prompt, which goes in as it is. */
  readonly opening: {
    readonly text: string;
    readonly tokens: number;
    readonly kind: "template" | "own";
  };
  readonly task: Task;
  readonly attempt: number;
  readonly counts: { readonly done: number; readonly total: number };
  readonly files: { readonly tasks: string; readonly memory: string; readonly specs: string };
  /** Names of the documents in the specs folder; they are named, not pasted. */
  readonly specs: readonly string[];
  readonly gates: readonly string[];
  readonly rejection: Rejection | undefined;
  /** What the agent should know about earlier tries. */
  readonly warning: string | undefined;
  /** What the memory file says at its top about the code as a whole. */
  readonly patterns: string;
  /** The newest learnings, the last one last. */
  readonly learnings: readonly string[];
  /** The end of the memory file. */
  readonly memory: string;
  /** Subjects of the newest commits. */
  readonly commits: readonly string[];
  readonly tokensMax: number;
}

/** A prompt within its budget. */
export interface RenderedPrompt {
  readonly text: string;
  readonly tokens: number;
  /** Names of the sections that were cut. */
  readonly cut: readonly string[];
}

interface Section {
  readonly name: string;
  readonly text: string;
  /** Part of the whole budget that it may use at most. */
  readonly share: number;
  readonly kept: KeptEnd;
  readonly whole: string;
}

/** More than any heading of a section takes. */
const HEADING_TOKENS = 12;
const ROOM_MIN = 20;
const TASK = "Your task";

export function renderPrompt(input: PromptInput): RenderedPrompt {
  const cut: string[] = [];
  const parts = [input.opening.text.trimEnd()];
  // The project's own prompt is passed on whole; the budget is for what we add to it.
  const opening = input.opening.kind === "own" ? 0 : input.opening.tokens;
  const budget = Math.max(200, input.tokensMax - opening);
  let tokens = input.opening.tokens;
  for (const section of sections(input)) {
    if (section.text === "") continue;
    const tokensMax = Math.floor(budget * section.share) - HEADING_TOKENS;
    // With less room than the note that says so, nothing is said; only the task itself always is.
    if (tokensMax < ROOM_MIN && section.name !== TASK) {
      cut.push(section.name);
      continue;
    }
    const fitted = fitTokens(section.text, tokensMax, section.kept, section.whole);
    tokens += fitted.tokens + HEADING_TOKENS;
    if (fitted.cut) cut.push(section.name);
    parts.push(`## ${section.name}\n\n${fitted.text.trimEnd()}`);
  }
  // An own prompt is kept to the last byte; only what we add is ours to format.
  const text =
    input.opening.kind === "own"
      ? `${input.opening.text}\n\n${parts.slice(1).join("\n\n")}\n`
      : `${parts.join("\n\n")}\n`;
  return { text, tokens, cut };
}

function sections(input: PromptInput): Section[] {
  const { files } = input;
  return [
    { name: TASK, text: taskText(input), share: 0.3, kept: "start", whole: files.tasks },
    {
      name: "Why the last claim was rejected",
      text: rejectionText(input),
      share: 0.15,
      kept: "start",
      whole: "the run's log",
    },
    { name: "Files", text: filesText(input), share: 0.1, kept: "start", whole: files.specs },
    {
      name: "Patterns of this codebase",
      text: input.patterns,
      share: 0.1,
      kept: "start",
      whole: files.memory,
    },
    {
      name: "Recent learnings",
      text: input.learnings.map((line) => `- ${line}`).join("\n"),
      share: 0.07,
      kept: "end",
      whole: files.memory,
    },
    {
      name: "Recent progress",
      text: input.memory.trim(),
      share: 0.23,
      kept: "end",
      whole: files.memory,
    },
    {
      name: "Recent commits",
      text: input.commits.map((line) => `- ${line}`).join("\n"),
      share: 0.05,
      kept: "start",
      whole: "git log",
    },
  ];
}

function taskText({ task, attempt, counts, warning }: PromptInput): string {
  const lines = [
    `${task.id}: ${task.title}`,
    "",
    `${counts.done} of ${counts.total} tasks are done. This is attempt ${attempt} at this one.`,
  ];
  if (warning !== undefined)
    lines.push("", `${warning}. Take another way, or say what stands in it: NEEDS_HUMAN: reason.`);
  if (task.description !== "") lines.push("", task.description);
  if (task.criteria.length > 0)
    lines.push("", "Acceptance criteria:", ...task.criteria.map((text) => `- ${text}`));
  if (task.checks.length > 0)
    lines.push("", "Checks of this task's own:", ...task.checks.map((text) => `- ${text}`));
  if (task.notes !== "") lines.push("", `Notes: ${task.notes}`);
  return lines.join("\n");
}

function rejectionText({ rejection }: PromptInput): string {
  if (rejection === undefined) return "";
  const about = rejection.task === undefined ? "" : ` (${rejection.task.id})`;
  const lines =
    rejection.lines.length === 0
      ? ""
      : `\n\n${rejection.lines.map((line) => `    ${line}`).join("\n")}`;
  return `${rejection.reason}${about}.${lines}`;
}

function filesText({ files, specs, gates }: PromptInput): string {
  const lines = [`- Task list: ${files.tasks}`, `- Progress log: ${files.memory}`];
  if (specs.length > 0) lines.push(`- Specifications in ${files.specs}: ${specs.join(", ")}`);
  if (gates.length > 0) lines.push(`- Checks that will be run on your work: ${gates.join(", ")}`);
  return lines.join("\n");
}
