// Changes single values, keys and items of a JSON text and leaves every other byte as it was: order, spacing, unknown
// keys, line ends.

import {
  findNodeAtLocation,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
} from "jsonc-parser";
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

/** A new value for one key of the object at `path`; without a value the key is taken out. */
export interface KeyChange {
  readonly path: JsonPath;
  readonly key: string;
  readonly value: unknown;
}

/** An item of a list in its own words. */
export interface JsonItem {
  readonly source: string;
  /** The blanks that open the line on which it starts. */
  readonly indent: string;
}

interface Splice {
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

/** Parsers call themselves for each level and run out of stack at some thousands. */
const DEPTH_MAX = 500;

/** A new value for an existing key, or a new key at the end of an existing object. */
export function setJsonValue(text: string, path: JsonPath, value: unknown): Result<string, string> {
  const key = path.at(-1);
  if (typeof key === "string") return setJsonKeys(text, [{ path: path.slice(0, -1), key, value }]);
  const { bom, body } = splitBom(text);
  const node = nodeAt(treeOf(body), path);
  if (node === undefined) return err(`there is nothing at ${path.join(".")}`);
  const { offset, length } = node;
  return ok(bom + applySplices(body, [{ offset, length, text: JSON.stringify(value) }]));
}

/** All the changes at once: existing keys where they stand, new ones at the end of their object. */
export function setJsonKeys(text: string, changes: readonly KeyChange[]): Result<string, string> {
  if (changes.length === 0) return ok(text);
  const { bom, body } = splitBom(text);
  const root = treeOf(body);
  if (root === undefined) return err("the text is not JSON");
  const splices: Splice[] = [];
  for (const [path, values] of groupByObject(changes)) {
    const object = nodeAt(root, path);
    if (object?.type !== "object") return err(`there is no object at ${path.join(".")}`);
    splices.push(...changeMembers(body, object, values));
  }
  return ok(bom + applySplices(body, splices));
}

/** The items of the list at `path`, each in its own words; undefined where there is no list. */
export function readJsonItems(text: string, path: JsonPath): JsonItem[] | undefined {
  const { body } = splitBom(text);
  const list = nodeAt(treeOf(body), path);
  if (list?.type !== "array") return undefined;
  return (list.children ?? []).map(({ offset, length }) => ({
    source: body.slice(offset, offset + length),
    indent: indentAt(body, offset),
  }));
}

/** Puts items at the end of the list at `path`, spaced, indented and with line ends as the list has them. */
export function appendJsonItems(
  text: string,
  path: JsonPath,
  items: readonly JsonItem[],
): Result<string, string> {
  if (items.length === 0) return ok(text);
  const { bom, body } = splitBom(text);
  const list = nodeAt(treeOf(body), path);
  if (list?.type !== "array") return err(`there is no list at ${path.join(".")}`);
  const last = list.children?.at(-1);
  const end = last === undefined ? list.offset + 1 : endOf(last);
  const separator = separatorOf(body, list);
  const lineEnd = body.includes("\r\n") ? "\r\n" : body.includes("\n") ? "\n" : undefined;
  let written = body.slice(0, end);
  for (const [index, item] of items.entries()) {
    if (last !== undefined || index > 0) written += separator;
    written += reindent(item, indentAt(written, written.length), lineEnd);
  }
  return ok(bom + written + body.slice(end));
}

/** The first thing wrong with a JSON text, in words for a person. */
export function findJsonProblem(text: string): JsonProblem | undefined {
  const { bom, body } = splitBom(text);
  const errors: ParseError[] = [];
  if (parseRoot(body, errors) === "too deep") {
    return { line: 1, column: 1, message: "this is nested too deeply" };
  }
  const [first] = errors;
  if (first === undefined) return undefined;
  return { ...positionAt(text, bom.length + first.offset), message: problemText(first) };
}

/** Whether a value has more levels than anyone means and than its text could be edited with. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (depth > DEPTH_MAX) return true;
  const within: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return within.some((item) => isTooDeep(item, depth + 1));
}

/** Line and column of a value (or of its nearest parent) in a JSON text. */
export function locateJson(text: string, path: JsonPath): { line: number; column: number } {
  const { bom, body } = splitBom(text);
  const root = treeOf(body);
  if (root === undefined) return { line: 1, column: 1 };
  for (let depth = path.length; depth >= 0; depth--) {
    const node = nodeAt(root, path.slice(0, depth));
    if (node !== undefined) return positionAt(text, bom.length + node.offset);
  }
  return { line: 1, column: 1 };
}

function splitBom(text: string): { bom: string; body: string } {
  const length = text.startsWith("\uFEFF") ? 1 : 0;
  return { bom: text.slice(0, length), body: text.slice(length) };
}

function treeOf(body: string): Node | undefined {
  const root = parseRoot(body);
  return root === "too deep" ? undefined : root;
}

/** The text may be broken anywhere, so that no count of its brackets tells beforehand what the parser bears. */
function parseRoot(body: string, errors: ParseError[] = []): Node | "too deep" | undefined {
  try {
    return parseTree(body, errors, { disallowComments: true, allowTrailingComma: false });
  } catch (error) {
    if (error instanceof RangeError) return "too deep";
    throw error;
  }
}

/** Of a key that stands there twice the last one counts, as it does for JSON.parse. */
function nodeAt(root: Node | undefined, path: JsonPath): Node | undefined {
  return path.reduce<Node | undefined>((node, part) => {
    if (node === undefined) return undefined;
    if (typeof part === "number") return findNodeAtLocation(node, [part]);
    return node.type === "object" ? membersOf(node, part).at(-1)?.children?.[1] : undefined;
  }, root);
}

function membersOf(object: Node, key: string): Node[] {
  return (object.children ?? []).filter((member) => member.children?.[0]?.value === key);
}

function groupByObject(changes: readonly KeyChange[]): Map<JsonPath, Map<string, unknown>> {
  const groups = new Map<string, [JsonPath, Map<string, unknown>]>();
  for (const { path, key, value } of changes) {
    const name = JSON.stringify(path);
    const group = groups.get(name) ?? [path, new Map<string, unknown>()];
    groups.set(name, group);
    group[1].set(key, value);
  }
  return new Map(groups.values());
}

function changeMembers(body: string, object: Node, values: ReadonlyMap<string, unknown>): Splice[] {
  const members = object.children ?? [];
  const removed = new Set(
    [...values].flatMap(([key, value]) => (value === undefined ? membersOf(object, key) : [])),
  );
  const lastKept = members.findLast((member) => !removed.has(member));
  const gap = body.slice(object.offset + 1, members[0]?.offset ?? object.offset + 1);
  const splices = removeMembers(members, removed);
  let isFirst = lastKept === undefined;
  for (const [key, value] of values) {
    if (value === undefined) continue;
    const text = JSON.stringify(value);
    const existing = membersOf(object, key).at(-1)?.children?.[1];
    if (existing !== undefined) {
      splices.push({ offset: existing.offset, length: existing.length, text });
      continue;
    }
    const offset = lastKept === undefined ? object.offset + 1 + gap.length : endOf(lastKept);
    const comma = isFirst ? "" : `,${gap}`;
    splices.push({ offset, length: 0, text: `${comma}${JSON.stringify(key)}: ${text}` });
    isFirst = false;
  }
  return splices;
}

/** A member goes with the comma before it; those that open the object go with the comma behind them. */
function removeMembers(members: readonly Node[], removed: ReadonlySet<Node>): Splice[] {
  const firstKept = members.findIndex((member) => !removed.has(member));
  return members.flatMap((member, index) => {
    if (!removed.has(member)) return [];
    const isLeading = firstKept === -1 || index < firstKept;
    const [before, behind] = [members[index - 1], members[index + 1]];
    const from = isLeading || before === undefined ? member.offset : endOf(before);
    const to = isLeading && behind !== undefined ? behind.offset : endOf(member);
    return [{ offset: from, length: to - from, text: "" }];
  });
}

/** What is put in comes before what is taken out at the same place, so that neither eats the other. */
function applySplices(body: string, splices: readonly Splice[]): string {
  let written = "";
  let cursor = 0;
  for (const { offset, length, text } of splices.toSorted(
    (a, b) => a.offset - b.offset || a.length - b.length,
  )) {
    written += body.slice(cursor, offset) + text;
    cursor = offset + length;
  }
  return written + body.slice(cursor);
}

function endOf(node: Node): number {
  return node.offset + node.length;
}

/** What stands between the last two items; a list of one tells by what stands before it. */
function separatorOf(body: string, list: Node): string {
  const items = list.children ?? [];
  const [first, last, beforeLast] = [items[0], items.at(-1), items.at(-2)];
  if (last !== undefined && beforeLast !== undefined) {
    return body.slice(endOf(beforeLast), last.offset);
  }
  return `,${first === undefined ? "" : body.slice(list.offset + 1, first.offset)}`;
}

function indentAt(body: string, offset: number): string {
  const start =
    Math.max(body.lastIndexOf("\n", offset - 1), body.lastIndexOf("\r", offset - 1)) + 1;
  return /^[ \t]*/u.exec(body.slice(start, offset))?.[0] ?? "";
}

/** Strings in JSON hold no line ends, so each one here is between two values. */
function reindent(item: JsonItem, indent: string, lineEnd: string | undefined): string {
  return item.source.replaceAll(
    /(?<own>\r\n|\n|\r)(?<blanks>[ \t]*)/gu,
    (_, own: string, blanks: string) =>
      (lineEnd ?? own) +
      (blanks.startsWith(item.indent) ? indent + blanks.slice(item.indent.length) : blanks),
  );
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
