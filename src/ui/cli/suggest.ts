// What may stand for the last word of a command line, from the command table alone; names of features come from outside.

import { AGENT_NAMES } from "../../core/schema/config.ts";
import type { CommandRow, OptionRow } from "./command.ts";

/** One word that fits, and what it is. */
interface Suggestion {
  readonly word: string;
  readonly text: string;
}

/** Words that fit, or that a file is wanted, which the shell knows best. */
export type Suggestions = readonly Suggestion[] | "files";

/** What the words are looked up in. */
export interface SuggestOrder {
  /** Everything typed after the program's name; the last one is to be completed and may be empty. */
  readonly words: readonly string[];
  readonly commands: readonly CommandRow[];
  readonly features: () => readonly string[];
}

export const SHELLS = ["bash", "zsh", "fish"] as const;

export function suggest(order: SuggestOrder): Suggestions {
  // bash cuts `--feature=shop` into three words.
  const words = order.words.filter((word) => word !== "=");
  const isCut = order.words.at(-1) === "=";
  const last = isCut ? "" : (words.at(-1) ?? "");
  const before = isCut ? words : words.slice(0, -1);
  const found = candidates(order, before, last);
  return found === "files" ? found : found.filter(({ word }) => word.startsWith(last));
}

function candidates(order: SuggestOrder, before: readonly string[], last: string): Suggestions {
  const shown = order.commands.filter(({ visibility }) => visibility === "shown");
  const names = shown.map(({ name, summary }) => ({ word: name, text: summary }));
  const [first, ...rest] = before;
  if (first === undefined) return last.startsWith("-") ? GLOBAL : [...names, HELP];
  if (first === "help") return rest.length === 0 ? names : [];
  const row = order.commands.find(({ name }) => name === first);
  if (row === undefined) return [];
  const joined = /^(--[a-z-]+=)(.*)$/u.exec(last);
  const asked = joined === null ? rest.at(-1) : joined[1]?.slice(0, -1);
  const option = row.options.find((one) => takesValue(one) && namesOf(one).includes(asked ?? ""));
  if (option !== undefined) return prefixed(valuesOf(option, order), joined?.[1] ?? "");
  if (last.startsWith("-")) return optionsLeft(row, rest);
  const place = rest.filter((word, i) => isPositional(row, word, rest[i - 1])).length;
  const argument = row.args.split(" ")[place] ?? "";
  return argument === "" ? optionsLeft(row, rest) : argumentsFor(argument, order);
}

const HELP: Suggestion = { word: "help", text: "show help for a command" };
const GLOBAL: readonly Suggestion[] = [
  { word: "--help", text: "show help" },
  { word: "--version", text: "show the version" },
];

function optionsLeft(row: CommandRow, used: readonly string[]): Suggestion[] {
  const left = row.options.filter((option) => !namesOf(option).some((name) => used.includes(name)));
  const own = left.flatMap((option) =>
    namesOf(option).map((word) => ({ word, text: option.text })),
  );
  return [...own, { word: "--help", text: "show the options of this command" }];
}

function valuesOf(option: OptionRow, order: SuggestOrder): Suggestions {
  const placeholder = /<([^>]+)>/u.exec(option.flags)?.[1] ?? "";
  if (namesOf(option).includes("--feature")) return featureWords(order);
  if (namesOf(option).includes("--agent"))
    return AGENT_NAMES.map((word) => ({ word, text: "agent" }));
  if (option.choices !== undefined) return option.choices.map((word) => ({ word, text: "" }));
  return /file|dir|path/u.test(placeholder) ? "files" : [];
}

function argumentsFor(argument: string, order: SuggestOrder): Suggestions {
  if (argument.includes("shell")) return SHELLS.map((word) => ({ word, text: "shell" }));
  if (argument.includes("feature")) return featureWords(order);
  return /file|scenario|dir|path/u.test(argument) ? "files" : [];
}

function featureWords({ features }: SuggestOrder): Suggestion[] {
  return features().map((word) => ({ word, text: "feature" }));
}

function prefixed(found: Suggestions, prefix: string): Suggestions {
  if (found === "files") return found;
  return found.map(({ word, text }) => ({ word: `${prefix}${word}`, text }));
}

function isPositional(row: CommandRow, word: string, previous: string | undefined): boolean {
  if (word.startsWith("-")) return false;
  return !row.options.some(
    (option) => takesValue(option) && namesOf(option).includes(previous ?? ""),
  );
}

/** `-f, --feature <name>` has the names `-f` and `--feature`. */
function namesOf({ flags }: OptionRow): string[] {
  return flags.split(/[\s,]+/u).filter((part) => part.startsWith("-"));
}

function takesValue({ flags }: OptionRow): boolean {
  return flags.includes("<");
}
