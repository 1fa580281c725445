// Changes one value inside a JSON text and leaves every other byte as it was: order, spacing, unknown keys, line ends.

import { findNodeAtLocation, parseTree, printParseErrorCode, type ParseError } from "jsonc-parser";
import { err, ok, type Result } from "../result.ts";
import { positionAt } from "../text.ts";

/** Keys and indexes from the root to a value. */
export type JsonPath = readonly (string | number)[];

/** Where a JSON text is broken, and how. */
export interface JsonProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** A new value for an existing key, or a new key at the end of an existing object. */
export function setJsonValue(text: string, path: JsonPath, value: unknown): Result<string, string> {
  const bom = text.startsWith("\uFEFF") ? 1 : 0;
  const root = parseTree(text.slice(bom), [], { disallowComments: true });
  if (root === undefined) return err("the text is not JSON");
  const existing = findNodeAtLocation(root, [...path]);
  const written = JSON.stringify(value);
  if (existing !== undefined) {
    return ok(splice(text, bom + existing.offset, existing.length, written));
  }
  const parent = findNodeAtLocation(root, path.slice(0, -1));
  const last = parent?.children?.at(-1);
  if (parent?.type !== "object" || last === undefined) {
    return err(`there is no object at ${path.slice(0, -1).join(".")}`);
  }
  const key = `${JSON.stringify(String(path.at(-1)))}: ${written}`;
  const gap = text.slice(bom + parent.offset + 1, bom + (parent.children?.[0]?.offset ?? 0));
  return ok(splice(text, bom + last.offset + last.length, 0, `,${gap}${key}`));
}

/** The first thing wrong with a JSON text, in words for a person. */
export function findJsonProblem(text: string): JsonProblem | undefined {
  const bom = text.startsWith("\uFEFF") ? 1 : 0;
  const errors: ParseError[] = [];
  parseTree(text.slice(bom), errors, { disallowComments: true, allowTrailingComma: false });
  const [first] = errors;
  if (first === undefined) return undefined;
  return { ...positionAt(text, bom + first.offset), message: problemText(first) };
}

/** Line and column of a value (or of its nearest parent) in a JSON text. */
export function locateJson(text: string, path: JsonPath): { line: number; column: number } {
  const bom = text.startsWith("\uFEFF") ? 1 : 0;
  const root = parseTree(text.slice(bom));
  if (root === undefined) return { line: 1, column: 1 };
  for (let depth = path.length; depth >= 0; depth--) {
    const node = findNodeAtLocation(root, path.slice(0, depth));
    if (node !== undefined) return positionAt(text, bom + node.offset);
  }
  return { line: 1, column: 1 };
}

function splice(text: string, offset: number, length: number, replacement: string): string {
  return text.slice(0, offset) + replacement + text.slice(offset + length);
}

function problemText(error: ParseError): string {
  switch (printParseErrorCode(error.error)) {
    case "CommaExpected":
      return "a comma is missing before this";
    case "ColonExpected":
      return "a colon is missing before this";
    case "PropertyNameExpected":
      return "a property name in double quotes is expected here (is there a comma too many?)";
    case "ValueExpected":
      return "a value is expected here (is there a comma too many?)";
    case "CloseBraceExpected":
      return "a closing } is missing";
    case "CloseBracketExpected":
      return "a closing ] is missing";
    case "EndOfFileExpected":
      return "the JSON is over here, but more text follows";
    case "InvalidCommentToken":
      return "comments are not allowed in JSON";
    case "UnexpectedEndOfString":
      return "the string is not closed";
    default:
      return "this is not valid JSON";
  }
}
