// What an agent did in an iteration that it may not do: to the list, to the person's files, to tests and gates, and to
// the repository. Says it in words; what follows is decided in judge.ts.

import { GUARDED_FILES, type GuardedFile } from "../schema/effect.ts";
import type { GitReading, ProjectChange } from "../schema/event.ts";
import type { Finding } from "../schema/finding.ts";
import type { TaskChanges, TaskRef } from "../schema/task.ts";
import type { IterationState } from "./state.ts";

const FILE_WORDS: Readonly<Record<GuardedFile, string>> = {
  settings: "the settings in config.yaml",
  prompt: "the project's own prompt.md",
  template: "the prompt template",
};

/** Why the list has to be put back: broken, or changed beyond state, notes and new tasks. */
export function listDamage(after: ProjectChange): string | undefined {
  if (after.problem !== undefined) return `the task list was left unreadable (${after.problem})`;
  const { removed, finished, finishedCount } = after.changes;
  const edits = editWords(after.changes);
  if (removed.length > 0) return `tasks were removed from the list (${names(removed)})`;
  if (edits !== undefined) return `the task list was edited (${edits})`;
  if (finishedCount <= finished.length) return undefined;
  return `${finishedCount} tasks were marked done in one iteration`;
}

/** The person's files that are not what they were. */
export function changedFiles(it: IterationState): readonly GuardedFile[] {
  const [before, after] = [it.before?.guarded, it.after?.guarded];
  if (before === undefined || after === undefined) return [];
  return GUARDED_FILES.filter((file) => before[file] !== after[file]);
}

/** Whether the repository is not where the iteration began; a merge or the like in progress is a person's to end. */
export function gitDamage(it: IterationState): string | undefined {
  const [before, after] = [it.before?.git, it.after?.git];
  if (before?.branch === undefined || after === undefined) return undefined;
  // A branch that only grew counts too and stays as it is, so after the mending the number tells nothing.
  const isLost = it.mended === undefined && (it.after?.lostRefs ?? 0) > 0;
  const refs = isLost ? "the agent removed or moved branches or tags" : undefined;
  const dropped =
    (it.after?.dropped ?? 0) > 0 ? "the agent took commits out of the history" : undefined;
  // Whoever ends the operation must still find what was lost beside it.
  if (after.operation !== undefined) return dropped ?? refs;
  if (after.branch !== before.branch) {
    const where = after.branch === undefined ? "no branch" : `the branch ${after.branch}`;
    return `the agent left the repository on ${where} instead of ${before.branch}`;
  }
  if (dropped !== undefined) return dropped;
  if (after.locked === true && before.locked !== true) return "a git that died has left its lock";
  // What an agent has added to the stash stays there, so after the mending the stash tells nothing.
  const isStashOld = it.mended !== undefined || isSameStash(before, after);
  return isStashOld ? refs : "the agent changed the stash";
}

/** What only a person can put right before any agent may start again. */
export function personNeeded(it: IterationState): string | undefined {
  if (it.mended?.problem !== undefined) return it.mended.problem;
  if (it.before?.git !== undefined && it.after !== undefined && it.after.git === undefined)
    return "git cannot read the repository any more: see what git status says";
  const left = it.mended === undefined ? undefined : gitDamage(it);
  if (left !== undefined) return `${left}, and it could not be mended`;
  const operation = it.after?.git?.operation;
  if (operation !== undefined && it.before?.git?.operation === undefined) {
    const ways = operation === "bisect" ? "git bisect reset" : continueOrAbort(operation);
    return `the agent left a ${operation} in progress; finish it or give it up: ${ways}`;
  }
  const { signal } = it.after ?? {};
  return signal?.kind === "waiting" ? `the agent waits for a person: ${signal.text}` : undefined;
}

/** Why no claim of this iteration can stand, whatever the gates say. */
export function tampering(it: IterationState): string | undefined {
  if (it.after === undefined) return undefined;
  const damage = listDamage(it.after);
  if (damage !== undefined) return `${damage}; it was put back`;
  const [file] = [...it.restoredFiles, ...changedFiles(it)];
  if (file !== undefined)
    return `${FILE_WORDS[file]} changed; that is a person's file, it was put back`;
  if (it.mended?.lostHistory === true) {
    return (
      it.mended.did.join("; ") || "the agent took commits out of the history; they were put back"
    );
  }
  const [finding] = it.after.findings ?? [];
  return finding === undefined ? undefined : findingWords(it.after.findings ?? []);
}

/** True when what is wrong is there without any claim, too: the list or the history, not what tests look like. */
export function isTrespass(it: IterationState): boolean {
  return (
    (it.after !== undefined && listDamage(it.after) !== undefined) ||
    it.restoredFiles.length > 0 ||
    it.mended?.lostHistory === true
  );
}

export function findingWords(findings: readonly Finding[]): string {
  const said = findings.slice(0, 3).map(({ path, what }) => `${what} (${path})`);
  const more = findings.length > 3 ? ` and ${findings.length - 3} more` : "";
  return `${said.join(", ")}${more}; undo it, or a person accepts it with \`ralph accept-edits\``;
}

/** The diff of what was found, for the next prompt. */
export function tamperLines(it: IterationState): string[] {
  const edits = (it.after?.changes.edited ?? []).map(({ id, what }) => `${id}: ${what}`);
  const found = (it.after?.findings ?? []).flatMap(({ path, lines }) => [path, ...lines]);
  return [...edits, ...found].slice(0, 20);
}

function editWords({ edited = [], listEdits = [] }: TaskChanges): string | undefined {
  const said = [...edited.map(({ id, what }) => `${id} ${what}`), ...listEdits];
  return said.length === 0 ? undefined : said.slice(0, 3).join("; ");
}

function isSameStash(before: GitReading, after: GitReading): boolean {
  return (before.stash ?? []).join() === (after.stash ?? []).join();
}

function continueOrAbort(operation: string): string {
  return `git ${operation} --continue or git ${operation} --abort`;
}

export function names(tasks: readonly TaskRef[]): string {
  const listed = tasks
    .slice(0, 5)
    .map((task) => task.id)
    .join(", ");
  return tasks.length > 5 ? `${listed} and ${tasks.length - 5} more` : listed;
}
