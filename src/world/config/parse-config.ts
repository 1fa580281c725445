// Reads one config.yaml and says for each mistake where it stands, what was expected and what to do.

import { isMap, isScalar, LineCounter, parseDocument, type Document } from "yaml";
import type * as z from "zod/mini";
import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import { nearest } from "../../std/nearest.ts";
import { err, ok, type Result } from "../../std/result.ts";
import { ConfigFile, expectedAt } from "./config-file.ts";

type Path = readonly PropertyKey[];

const REMEDY = "mend the file and start again; nothing was changed";

export function parseConfig(text: string, file: string): Result<ConfigFile, Diagnostic[]> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  if (document.errors.length > 0) {
    return err(
      document.errors.map((error) => {
        const { line, col } = lines.linePos(error.pos[0]);
        const problem = error.message.split(/ at line \d+/u)[0] ?? "broken YAML";
        return { file, line, column: col, problem, expected: "valid YAML", remedy: REMEDY };
      }),
    );
  }
  const value = valueOf(document);
  if (!value.ok) {
    const problem = value.error;
    return err([{ file, line: 1, column: 1, problem, expected: "valid YAML", remedy: REMEDY }]);
  }
  const parsed = ConfigFile.safeParse(value.value ?? {});
  if (parsed.success) return ok(parsed.data);
  return err(parsed.error.issues.flatMap((issue) => explain(issue, document, lines, file)));
}

/** The line on which a key stands; undefined where the text does not have it. */
export function locateKey(text: string, path: readonly string[]): number | undefined {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  return document.hasIn(path) ? place(path, document, lines).line : undefined;
}

/** An alias of nothing, or of too much, is found only when the value is made. */
function valueOf(document: Document): Result<unknown, string> {
  try {
    return ok(document.toJS());
  } catch (error) {
    return err(error instanceof Error ? error.message : "broken YAML");
  }
}

function explain(
  issue: z.core.$ZodIssue,
  document: Document,
  lines: LineCounter,
  file: string,
): Diagnostic[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => unknownKey([...issue.path, key], document, lines, file));
  }
  // A union reports once for all its variants; the variant that got furthest says the most.
  const inner =
    issue.code === "invalid_union"
      ? issue.errors.flat().toSorted((a, b) => b.path.length - a.path.length)[0]
      : undefined;
  if (inner !== undefined && inner.path.length > 0) {
    return explain({ ...inner, path: [...issue.path, ...inner.path] }, document, lines, file);
  }
  const name = issue.path.map(String).join(".") || "the file";
  const value = JSON.stringify(document.getIn(issue.path)) ?? "nothing";
  return [
    {
      file,
      ...place(issue.path, document, lines),
      problem: `${name} is ${value}`,
      expected: expectedAt(issue.path),
      remedy: REMEDY,
    },
  ];
}

function unknownKey(path: Path, document: Document, lines: LineCounter, file: string): Diagnostic {
  const known = keysAt(path.slice(0, -1));
  const close = nearest(String(path.at(-1)), known);
  return {
    file,
    ...place(path, document, lines),
    problem: `${path.map(String).join(".")} is no setting`,
    expected: `one of ${known.join(", ")}`,
    remedy: close === undefined ? REMEDY : `did you mean "${close}"?`,
  };
}

/** The keys the schema has at a path. */
function keysAt(path: Path): string[] {
  let schema: unknown = ConfigFile;
  for (const part of path) schema = unwrap(shapeOf(schema)[String(part)]);
  return Object.keys(shapeOf(schema));
}

function shapeOf(schema: unknown): Record<string, unknown> {
  const found =
    typeof schema === "object" && schema !== null && "shape" in schema ? schema.shape : {};
  return typeof found === "object" && found !== null ? { ...found } : {};
}

/** The object behind an optional key and inside a union. */
function unwrap(schema: unknown): unknown {
  const def =
    typeof schema === "object" && schema !== null && "def" in schema ? schema.def : undefined;
  if (typeof def !== "object" || def === null) return schema;
  if ("innerType" in def) return unwrap(def.innerType);
  if (!("options" in def) || !Array.isArray(def.options)) return schema;
  return def.options.find((option) => Object.keys(shapeOf(option)).length > 0);
}

/** Where a key stands; where it is missing, where its parent does. */
function place(
  path: Path,
  document: Document,
  lines: LineCounter,
): { line: number; column: number } {
  for (let depth = path.length; depth > 0; depth--) {
    const parent = depth === 1 ? document.contents : document.getIn(path.slice(0, depth - 1), true);
    if (!isMap(parent)) continue;
    const key = parent.items.find(
      (pair) => isScalar(pair.key) && String(pair.key.value) === String(path[depth - 1]),
    )?.key;
    if (isScalar(key) && key.range) {
      const { line, col } = lines.linePos(key.range[0]);
      return { line, column: col };
    }
  }
  return { line: 1, column: 1 };
}
