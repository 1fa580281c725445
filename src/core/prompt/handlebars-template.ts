// Prompt templates that do more than name values: Handlebars, strict, without helpers of ours and without a way to
// anything but the variables. All names are checked before the first use. Loaded only when a template needs it.

import Handlebars from "handlebars";
import { nearest } from "../../std/nearest.ts";
import { type Shape, TEMPLATE_SHAPE, type TemplateVariables } from "./template-variables.ts";

/** What is wrong with a template, and where. */
export interface TemplateProblem {
  readonly line: number;
  readonly column: number;
  readonly problem: string;
  readonly expected: string;
}

type Place = { readonly line: number; readonly column: number };

/** Blocks that open a scope of their own see what is in it; `../` leads out again. */
interface Scope {
  readonly shape: Shape;
  readonly locals: Readonly<Record<string, Shape>>;
  readonly outer: Scope | undefined;
  readonly isLoop: boolean;
}

const LOOP_DATA = new Set(["index", "key", "first", "last"]);
const NOT_FOUND = Symbol("no such name");

/** Every mistake in the template; none where it can be filled. */
export function checkTemplate(text: string): TemplateProblem[] {
  const parsed = parse(text);
  if ("problem" in parsed) return [parsed];
  const problems: TemplateProblem[] = [];
  const scope = { shape: TEMPLATE_SHAPE, locals: {}, outer: undefined, isLoop: false };
  checkProgram(parsed, scope, problems);
  return problems;
}

/** Only for a template without mistakes. */
export function fillTemplate(text: string, variables: TemplateVariables): string {
  const options = { strict: true, noEscape: true, knownHelpersOnly: true };
  return Handlebars.compile(text, options)(variables);
}

function parse(text: string): hbs.AST.Program | TemplateProblem {
  try {
    return Handlebars.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const found = / - (\d+):(\d+)$/u.exec(message);
    const line = Number(found?.[1] ?? /on line (\d+)/u.exec(message)?.[1] ?? 1);
    const start = (text.split("\n")[line - 1] ?? "").lastIndexOf("{{");
    const column = found === null ? Math.max(0, start) + 1 : Number(found[2]) + 1;
    const said = found === null ? "the braces do not fit together" : message.slice(0, found.index);
    return { line, column, problem: said, expected: "{{name}}, {{#if name}} … {{/if}}" };
  }
}

function checkProgram(program: hbs.AST.Program, scope: Scope, problems: TemplateProblem[]): void {
  for (const statement of program.body) {
    if (isBlock(statement)) checkBlock(statement, scope, problems);
    else if (isMustache(statement)) checkMustache(statement, scope, problems);
    else if (!["ContentStatement", "CommentStatement"].includes(statement.type))
      problems.push(refuse(statement, "partials and decorators are not known here"));
  }
}

function checkMustache(
  { path, params, hash }: hbs.AST.MustacheStatement,
  scope: Scope,
  problems: TemplateProblem[],
): void {
  if (!isPath(path)) return void problems.push(refuse(path, "only a name can stand here"));
  if (params.length > 0 || hash?.pairs !== undefined)
    return void problems.push(refuse(path, `there is no helper "${path.original}"`));
  const shape = checkPath(path, scope, problems);
  if (shape !== undefined && shape !== "value")
    problems.push(refuse(path, `"${path.original}" is no single value`));
}

function checkBlock(
  block: hbs.AST.BlockStatement,
  scope: Scope,
  problems: TemplateProblem[],
): void {
  const { path, params } = block;
  const helper = path.original;
  const [subject] = params;
  const isKnown = ["if", "unless", "each", "with"].includes(helper);
  if (!isKnown || params.length !== 1 || subject === undefined || !isPath(subject)) {
    problems.push(refuse(path, `"#${helper}" is not known here, or not with these words`));
    return;
  }
  const shape = checkPath(subject, scope, problems);
  if (shape === undefined) return;
  const inner = innerScope(helper, shape, scope, block.program?.blockParams ?? []);
  if (inner === undefined) {
    problems.push(refuse(subject, `"${subject.original}" is not what #${helper} takes`));
    return;
  }
  if (block.program !== undefined) checkProgram(block.program, inner, problems);
  if (block.inverse !== undefined && block.inverse !== null)
    checkProgram(block.inverse, scope, problems);
}

function innerScope(
  helper: string,
  shape: Shape,
  scope: Scope,
  names: readonly string[],
): Scope | undefined {
  if (helper === "if" || helper === "unless") return scope;
  const isList = typeof shape === "object" && "list" in shape;
  if (isList !== (helper === "each")) return undefined;
  const inner = isList ? shape.list : shape;
  const [item, index] = names;
  const locals = {
    ...scope.locals,
    ...(item === undefined ? {} : { [item]: inner }),
    ...(index === undefined ? {} : { [index]: "value" as const }),
  };
  return { shape: inner, locals, outer: scope, isLoop: isList };
}

/** What the path leads to; where it leads nowhere, that is said and nothing is returned. */
function checkPath(
  path: hbs.AST.PathExpression,
  scope: Scope,
  problems: TemplateProblem[],
): Shape | undefined {
  if (path.data) {
    if (scope.isLoop && LOOP_DATA.has(path.parts.join("."))) return "value";
    problems.push(refuse(path, `there is no "${path.original}" here`));
    return undefined;
  }
  let from: Scope | undefined = scope;
  for (let depth = 0; depth < path.depth; depth++) from = from?.outer;
  const found = from === undefined ? NOT_FOUND : follow(path.parts, from);
  if (found !== NOT_FOUND) return found;
  problems.push(unknown(path, from));
  return undefined;
}

function follow(parts: readonly string[], scope: Scope): Shape | typeof NOT_FOUND {
  const [first = "", ...rest] = parts;
  const isLocal = Object.hasOwn(scope.locals, first);
  let shape: Shape | undefined = isLocal ? scope.locals[first] : scope.shape;
  for (const part of isLocal ? rest : parts) {
    if (typeof shape !== "object" || !("keys" in shape) || !Object.hasOwn(shape.keys, part))
      return NOT_FOUND;
    shape = shape.keys[part];
  }
  return shape ?? NOT_FOUND;
}

function unknown(path: hbs.AST.PathExpression, scope: Scope | undefined): TemplateProblem {
  const known = scope === undefined ? [] : namesIn(scope.shape);
  const close = nearest(path.original, known);
  const expected = close === undefined ? `one of ${known.join(", ")}` : `perhaps "${close}"`;
  return { ...placeOf(path), problem: `there is no variable "${path.original}"`, expected };
}

function namesIn(shape: Shape, before = ""): string[] {
  if (shape === "value") return before === "" ? ["this"] : [before];
  if ("list" in shape) return [before];
  return Object.entries(shape.keys).flatMap(([key, inner]) =>
    namesIn(inner, before === "" ? key : `${before}.${key}`),
  );
}

function refuse(node: hbs.AST.Node, problem: string): TemplateProblem {
  const expected = "{{name}}, {{#if}}, {{#unless}}, {{#each}} or {{#with}} and a variable";
  return { ...placeOf(node), problem, expected };
}

function placeOf({ loc }: hbs.AST.Node): Place {
  return { line: loc.start.line, column: loc.start.column + 1 };
}

function isBlock(node: hbs.AST.Statement): node is hbs.AST.BlockStatement {
  return node.type === "BlockStatement";
}

function isMustache(node: hbs.AST.Statement): node is hbs.AST.MustacheStatement {
  return node.type === "MustacheStatement";
}

function isPath(node: hbs.AST.Expression): node is hbs.AST.PathExpression {
  return node.type === "PathExpression";
}
