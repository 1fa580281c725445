// The scenario file of the scripted agent: which steps to take for which task and attempt.

import { isMap, LineCounter, parseDocument, type Document } from "yaml";
import * as z from "zod/mini";
import type { Diagnostic } from "../../../core/schema/diagnostic.ts";
import { Note } from "../../../core/schema/note.ts";
import { DURATION_EXPECTED, parseDuration } from "../../../std/duration.ts";
import { err, ok, type Result } from "../../../std/result.ts";

const DurationMs = z.pipe(
  z.union([z.string(), z.number()]),
  z.transform((value, context) => {
    const ms = parseDuration(String(value), "s");
    if (ms === undefined) context.issues.push(badDuration(value));
    return ms ?? 0;
  }),
);
const Signals = z._default(z.enum(["heed", "ignore"]), "heed");

/** One step; each has exactly one of these keys. */
const Step = z.union([
  z.strictObject({ write: z.strictObject({ path: z.string(), text: z.string() }) }),
  z.strictObject({ append: z.strictObject({ path: z.string(), text: z.string() }) }),
  z.strictObject({
    edit: z.strictObject({ path: z.string(), find: z.string(), replace: z.string() }),
  }),
  z.strictObject({ remove: z.string() }),
  /** A shell command that is waited for; its standard input is the prompt. */
  z.strictObject({ run: z.string() }),
  z.strictObject({ commit: z.string() }),
  /** Sets a story's mark; `task` names the one the iteration is about. */
  z.strictObject({ mark: z.string() }),
  /** The final message. */
  z.strictObject({ say: z.string() }),
  /** A question to a person, through a tool. */
  z.strictObject({ ask: z.string() }),
  z.strictObject({ note: Note }),
  /** Text that goes to standard output as it is. */
  z.strictObject({ stream: z.string() }),
  /** So many mebibytes of output. */
  z.strictObject({
    flood: z.strictObject({
      mib: z.number(),
      as: z._default(z.enum(["lines", "one-line", "claude"]), "lines"),
    }),
  }),
  z.strictObject({ sleep: DurationMs }),
  /** A child that is left behind, in this session or in one of its own. */
  z.strictObject({
    spawn: z.strictObject({
      session: z._default(z.enum(["same", "own"]), "same"),
      signals: Signals,
    }),
  }),
  z.strictObject({ hang: z.strictObject({ signals: Signals }) }),
  z.strictObject({ limit: z.strictObject({ resets_in: z.optional(DurationMs) }) }),
  z.strictObject({ exit: z.int().check(z.minimum(0), z.maximum(255)) }),
]);
/** What the scripted agent does next. */
export type Step = z.infer<typeof Step>;

const Entry = z.strictObject({
  when: z.optional(z.strictObject({ task: z.optional(z.string()), attempt: z.optional(z.int()) })),
  do: z.array(Step),
});
/** The steps for one task or attempt. */
export type Entry = z.infer<typeof Entry>;

export function parseScenario(text: string, file: string): Result<Entry[], Diagnostic[]> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [broken] = document.errors;
  if (broken !== undefined) {
    const { line, col } = lines.linePos(broken.pos[0]);
    return err([problemAt(file, line, col, broken.message.split("\n")[0] ?? "broken YAML")]);
  }
  const parsed = z.array(Entry).safeParse(document.toJS());
  if (parsed.success) return ok(parsed.data);
  return err(
    parsed.error.issues.map((issue) => {
      const { line, col } = lines.linePos(offsetOf(document, issue.path));
      return problemAt(file, line, col, `${issue.path.map(String).join(".")}: ${issue.message}`);
    }),
  );
}

/** The first entry that fits, so that special cases stand above the general one. */
export function chooseEntry(
  entries: readonly Entry[],
  task: string | undefined,
  attempt: number,
): Entry | undefined {
  return entries.find(({ when }) => {
    const fitsTask = when?.task === undefined || when.task === task;
    return fitsTask && (when?.attempt === undefined || when.attempt === attempt);
  });
}

function badDuration(input: unknown): z.core.$ZodRawIssue {
  return { code: "custom", message: `expected ${DURATION_EXPECTED}`, input };
}

function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  for (let depth = path.length; depth >= 0; depth--) {
    const node = depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true);
    if (isMap(node) && node.range) return node.range[0];
    if (hasRange(node)) return node.range[0];
  }
  return 0;
}

function hasRange(node: unknown): node is { range: [number, number, number] } {
  return typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range);
}

function problemAt(file: string, line: number, column: number, problem: string): Diagnostic {
  return {
    file,
    line,
    column,
    problem,
    expected: "a list of `- when: {task, attempt}` with `do:` and a list of steps",
    remedy: "see docs/formats/scenario.md",
  };
}
