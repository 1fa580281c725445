// The rules of the style guide that a program can check, as one pure function over file texts. It reads
// nothing itself: tidy.test.ts hands it the real tree and planted mistakes alike.
import { posix } from "node:path";
import { parseSync } from "vite";

/**
 * Who may import whom: a folder may import itself and any row below its own; folders of one row never import
 * each other. `world/*` stands for every folder of world that has no row of its own.
 */
export const ROWS: readonly (readonly string[])[] = [
  ["main"],
  ["ui/cli"],
  ["ui/tui", "ui/web"],
  ["engine/fleet"],
  ["engine/run"],
  ["engine/project"],
  ["world/*"],
  ["world/host"],
  ["core/prompt", "core/view"],
  ["core/loop"],
  ["core/schema"],
  ["std"],
];

const FORBIDDEN_FOLDERS = new Set(["utils", "common", "shared", "helpers", "lib"]);
const FILE_LINES_MAX = 500;
const FUNCTION_LINES_MAX = 70;
const FOLDER_DEPTH_MAX = 3;

/** Node's modules that reach files, processes, the network or the clock. */
const WORLD_MODULES = new Set(
  "fs fs/promises child_process os net tls dgram dns http https http2 process timers timers/promises readline readline/promises tty worker_threads cluster".split(
    " ",
  ),
);
const CLOCK_MEMBERS = new Set(["Date.now", "Math.random", "performance.now"]);
const RANDOM_MEMBERS = /^crypto\.(random\w*|getRandomValues)$/;
const TIMERS = new Set(["setTimeout", "setInterval", "setImmediate"]);

/** One broken rule at one place. */
export interface Finding {
  readonly rule: RuleName;
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** What the checker has to be told about the tree. */
export interface TidyOptions {
  /** Files outside the parsers that may use `as`; each must exist and still need it. */
  readonly castsAllowedIn?: readonly string[];
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

interface Comment {
  readonly type: "Line" | "Block";
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

interface Source {
  readonly path: string;
  readonly text: string;
  readonly body: readonly Node[];
  /** Every node with its parent, in the order of the text. */
  readonly nodes: readonly { readonly node: Node; readonly parent: Node | undefined }[];
  readonly comments: readonly Comment[];
  readonly syntaxError: { readonly at: number; readonly message: string } | undefined;
}

interface Place {
  readonly at: number;
  readonly message: string;
}

type Rule = (source: Source, options: TidyOptions) => readonly Place[];

/** The name a finding carries. */
export type RuleName = keyof typeof RULES;

const RULES = {
  parses: ({ syntaxError }) => (syntaxError === undefined ? [] : [syntaxError]),
  tree: checkTree,
  names: checkNames,
  imports: checkImports,
  barrel: checkBarrel,
  "default-export": checkDefaultExport,
  "file-size": checkFileSize,
  "function-size": checkFunctionSize,
  "file-header": checkHeader,
  "documented-types": checkDocumentedTypes,
  "outside-world": checkOutsideWorld,
  "core-is-sync": checkCoreIsSync,
  "no-any": checkAny,
  "no-cast": checkCasts,
  "process-exit": checkProcessExit,
  "no-todo": checkTodo,
} satisfies Record<string, Rule>;

/** All rules, for tests that go through them. */
export const RULE_NAMES: readonly RuleName[] = Object.keys(RULES) as RuleName[];

/** `file:line: rule: message` for every broken rule, in the order of the files. */
export function violations(
  files: ReadonlyMap<string, string>,
  options: TidyOptions = {},
): readonly string[] {
  return findings(files, options).map((f) => `${f.file}:${f.line}: ${f.rule}: ${f.message}`);
}

/** The same as data. Paths are relative to the repository: `src/core/loop/decide.ts`. */
export function findings(
  files: ReadonlyMap<string, string>,
  options: TidyOptions = {},
): readonly Finding[] {
  const found: Finding[] = [];
  for (const [path, text] of files) {
    const source = parse(path, text);
    for (const rule of RULE_NAMES) {
      for (const { at, message } of RULES[rule](source, options)) {
        found.push({ rule, file: path, line: lineOf(text, at), message });
      }
    }
  }
  for (const file of options.castsAllowedIn ?? []) {
    if (files.has(file)) continue;
    found.push({
      rule: "no-cast",
      file,
      line: 1,
      message: "is on the allow list but is not there",
    });
  }
  return found;
}

function parse(path: string, text: string): Source {
  const { program, comments, errors } = parseSync(path, text);
  const [error] = errors;
  const nodes: Source["nodes"][number][] = [];
  collect(program as unknown as Node, undefined, nodes);
  return {
    path,
    text,
    body: program.body as unknown as Node[],
    nodes,
    comments,
    syntaxError:
      error === undefined ? undefined : { at: error.labels[0]?.start ?? 0, message: error.message },
  };
}

function collect(node: Node, parent: Node | undefined, into: Source["nodes"][number][]): void {
  into.push({ node, parent });
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) collect(child, node, into);
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}

const isTest = (path: string): boolean => path.endsWith(".test.ts");
const isSrc = (path: string): boolean => path.startsWith("src/");
const isProduct = (path: string): boolean => isSrc(path) && !isTest(path);

// Section 1: the tree.

function checkTree({ path }: Source): readonly Place[] {
  const places: Place[] = [];
  const folders = path.split("/").slice(0, -1);
  for (const folder of folders) {
    if (FORBIDDEN_FOLDERS.has(folder)) {
      places.push({ at: 0, message: `no folder is called ${folder}` });
    }
  }
  if (!isSrc(path)) return places;
  if (rowOf(unitOf(path)) === undefined) {
    places.push({
      at: 0,
      message: "is not src/main.ts, src/std/… or src/layer/unit/file.ts of the table",
    });
  }
  if (folders.length - 1 > FOLDER_DEPTH_MAX) {
    places.push({ at: 0, message: `lies more than ${FOLDER_DEPTH_MAX} folders deep` });
  }
  return places;
}

function checkNames({ path }: Source): readonly Place[] {
  const kebab = /^[a-z0-9]+(-[a-z0-9]+)*$/;
  const parts = path.replace(/(\.test|\.d)?\.ts$/, "").split("/");
  return parts
    .filter((part) => !kebab.test(part))
    .map((part) => ({ at: 0, message: `${part} is not kebab-case` }));
}

/** The unit of a path below src: `core/loop`, `std`, `main`; undefined for a path that has none. */
function unitOf(path: string): string | undefined {
  const [, layer, unit, file] = path.split("/");
  if (layer === "main.ts" || layer === "main.test.ts") return "main";
  if (layer === "std") return unit === undefined ? undefined : "std";
  return file === undefined ? undefined : `${layer}/${unit}`;
}

function rowOf(unit: string | undefined): number | undefined {
  if (unit === undefined) return undefined;
  const exact = ROWS.findIndex((row) => row.includes(unit));
  if (exact !== -1) return exact;
  const [layer] = unit.split("/");
  const any = ROWS.findIndex((row) => row.includes(`${layer}/*`));
  return any === -1 ? undefined : any;
}

// Section 2: who may import whom.

function checkImports(source: Source): readonly Place[] {
  if (!isSrc(source.path)) return [];
  const places: Place[] = [];
  for (const { at, specifier } of importsOf(source)) {
    const message =
      specifier === undefined
        ? "an import that is not a plain string cannot be checked"
        : whyNotImport(source.path, specifier);
    if (message !== undefined) places.push({ at, message });
  }
  return places;
}

/** Static, dynamic, type-only and `import("…").T` imports, and re-exports; undefined when computed. */
function importsOf({ nodes }: Source): { at: number; specifier: string | undefined }[] {
  const kinds = new Set([
    "ImportDeclaration",
    "ExportNamedDeclaration",
    "ExportAllDeclaration",
    "ImportExpression",
    "TSImportType",
  ]);
  return nodes
    .filter(({ node }) => kinds.has(node.type) && isNode(node["source"]))
    .map(({ node }) => {
      const value = isNode(node["source"]) ? node["source"]["value"] : undefined;
      return { at: node.start, specifier: typeof value === "string" ? value : undefined };
    });
}

function whyNotImport(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  const to = posix.join(posix.dirname(from), specifier);
  if (!isSrc(to)) return isTest(from) ? undefined : `${to} lies outside src`;
  if (isTest(to)) return `${to} is a test`;
  const [fromUnit, toUnit] = [unitOf(from), unitOf(to)];
  const [fromRow, toRow] = [rowOf(fromUnit), rowOf(toUnit)];
  if (fromRow === undefined || toRow === undefined) return `${to} has no row in the import table`;
  if (fromUnit === toUnit) return undefined;
  if (fromRow === toRow)
    return `${fromUnit} and ${toUnit} are of one row and never import each other`;
  if (fromRow > toRow) return `${fromUnit} may not import ${toUnit}, which stands above it`;
  const isPrivate = toUnit !== "std" && to.split("/").length > 4;
  return isPrivate ? `${to} is private to ${toUnit}` : undefined;
}

function checkBarrel({ path, body }: Source): readonly Place[] {
  if (!isSrc(path)) return [];
  const stars = body
    .filter((node) => node.type === "ExportAllDeclaration")
    .map((node) => ({ at: node.start, message: "no `export *`: import from the defining file" }));
  const exports = body.filter((node) => node.type.startsWith("Export"));
  const isOnlyPassingOn = body.every(
    (node) =>
      node.type === "ImportDeclaration" ||
      node.type === "ExportAllDeclaration" ||
      (node.type === "ExportNamedDeclaration" && !isNode(node["declaration"])),
  );
  if (exports.length === 0 || !isOnlyPassingOn) return stars;
  return [...stars, { at: 0, message: "a file of re-exports only: import from the defining file" }];
}

function checkDefaultExport({ nodes }: Source): readonly Place[] {
  return nodes
    .filter(
      ({ node }) =>
        node.type === "ExportDefaultDeclaration" ||
        (node.type === "ExportSpecifier" && nameOf(node["exported"]) === "default"),
    )
    .map(({ node }) => ({ at: node.start, message: "named exports only" }));
}

// Section 4: size and shape.

function checkFileSize({ text }: Source): readonly Place[] {
  const lines = text.replace(/\n$/, "").split("\n").length;
  if (lines <= FILE_LINES_MAX) return [];
  return [{ at: text.length, message: `${lines} lines, at most ${FILE_LINES_MAX}` }];
}

/** In a test file only declared functions count: the callback of `describe` is as long as its tests. */
function checkFunctionSize({ path, text, nodes }: Source): readonly Place[] {
  const kinds = isTest(path)
    ? ["FunctionDeclaration"]
    : ["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"];
  const places: Place[] = [];
  for (const { node } of nodes) {
    if (!kinds.includes(node.type)) continue;
    const lines = lineOf(text, node.end) - lineOf(text, node.start) + 1;
    if (lines <= FUNCTION_LINES_MAX) continue;
    places.push({ at: node.start, message: `${lines} lines, at most ${FUNCTION_LINES_MAX}` });
  }
  return places;
}

function checkAny({ nodes }: Source): readonly Place[] {
  return nodes
    .filter(({ node }) => node.type === "TSAnyKeyword")
    .map(({ node }) => ({ at: node.start, message: "no `any`" }));
}

function checkCasts({ path, nodes }: Source, options: TidyOptions): readonly Place[] {
  if (!isProduct(path) || posix.basename(path).includes("parse")) return [];
  const casts = nodes
    .filter(
      ({ node }) =>
        node.type === "TSTypeAssertion" ||
        (node.type === "TSAsExpression" && !isConst(node["typeAnnotation"])),
    )
    .map(({ node }) => ({
      at: node.start,
      message: "no `as` outside a parser (or the allow list)",
    }));
  if (!(options.castsAllowedIn ?? []).includes(path)) return casts;
  if (casts.length > 0) return [];
  return [{ at: 0, message: "is on the allow list but casts nothing" }];
}

function isConst(type: unknown): boolean {
  return isNode(type) && nameOf(type["typeName"]) === "const";
}

// Section 5: comments.

function checkHeader({ path, text, comments }: Source): readonly Place[] {
  if (isTest(path)) return [];
  let header = "";
  let end = text.startsWith("#!") ? text.indexOf("\n") + 1 : 0;
  for (const comment of comments) {
    if (text.slice(end, comment.start).trim() !== "" || (header !== "" && comment.type === "Block"))
      break;
    header += `${comment.value} `;
    end = comment.end;
  }
  const words = header.match(/[\p{L}\p{N}]{2,}/gu) ?? [];
  if (words.length >= 3 && /[.!?:](\s|\*|$)/.test(header)) return [];
  return [{ at: 0, message: "opens with a sentence saying what the file is for" }];
}

/** An exported type needs a doc comment; so does the value of the same name a schema infers it from. */
function checkDocumentedTypes({ path, text, body, comments }: Source): readonly Place[] {
  if (!isProduct(path)) return [];
  const isDocumented = (node: Node): boolean =>
    comments.some(
      (c) =>
        c.type === "Block" &&
        c.value.startsWith("*") &&
        c.end <= node.start &&
        text.slice(c.end, node.start).trim() === "",
    );
  const exported = body.filter((node) => node.type === "ExportNamedDeclaration");
  const documented = new Set(exported.filter(isDocumented).flatMap(declaredNames));
  const types = /^(TSTypeAliasDeclaration|TSInterfaceDeclaration|ClassDeclaration)$/;
  return exported
    .filter((node) => isNode(node["declaration"]) && types.test(node["declaration"].type))
    .filter((node) => !declaredNames(node).every((name) => documented.has(name)))
    .map((node) => ({
      at: node.start,
      message: `${declaredNames(node).join()} is exported and has no /** doc line */`,
    }));
}

function declaredNames(node: Node): string[] {
  const declaration = node["declaration"];
  if (!isNode(declaration)) return [];
  const list = declaration["declarations"];
  const declarators: unknown[] = Array.isArray(list) ? list : [declaration];
  return declarators.flatMap((d) => (isNode(d) ? (nameOf(d["id"]) ?? []) : []));
}

function checkTodo({ comments }: Source): readonly Place[] {
  return comments
    .filter(({ value }) => /\b(TODO|FIXME)\b/.test(value))
    .map(({ start }) => ({ at: start, message: "finish it or write an issue" }));
}

// Section 1 and 4: nothing but world/host (and main) touches the machine; core waits for nothing.

/**
 * Tests may read files and the environment, but outside world/host neither they nor the simulator have a real
 * clock, timers or randomness.
 */
function checkOutsideWorld(source: Source): readonly Place[] {
  const { path } = source;
  if (path === "src/main.ts" || path === "src/main.test.ts") return [];
  if (path.startsWith("src/world/host/")) return [];
  const isSim = path.startsWith("test/sim/");
  if (!isSrc(path) && !isSim) return [];
  const places: Place[] = [];
  for (const { node, parent } of source.nodes) {
    const reach = clockReach(node) ?? (isProduct(path) ? machineReach(node, parent) : undefined);
    if (reach !== undefined) {
      places.push({ at: node.start, message: `${reach} only in world/host and main.ts` });
    }
  }
  if (!isProduct(path)) return places;
  for (const { at, specifier } of importsOf(source)) {
    if (specifier === undefined || !WORLD_MODULES.has(specifier.replace(/^node:/, ""))) continue;
    places.push({ at, message: `${specifier} only in world/host and main.ts` });
  }
  return places;
}

function clockReach(node: Node): string | undefined {
  const member = memberOf(node);
  if (member !== undefined && (CLOCK_MEMBERS.has(member) || RANDOM_MEMBERS.test(member)))
    return member;
  if (member !== undefined && TIMERS.has(member.replace(/^globalThis\./, ""))) return member;
  const callee = nameOf(node["callee"]);
  if (node.type === "CallExpression" && callee !== undefined && TIMERS.has(callee)) return callee;
  const isBare = Array.isArray(node["arguments"]) && node["arguments"].length === 0;
  if (callee === "Date" && node.type === "CallExpression") return "Date()";
  return callee === "Date" && node.type === "NewExpression" && isBare ? "new Date()" : undefined;
}

function machineReach(node: Node, parent: Node | undefined): string | undefined {
  if (memberOf(node) === "globalThis.process") return "process";
  if (node.type === "CallExpression" && nameOf(node["callee"]) === "fetch") return "fetch";
  if (node.type !== "Identifier" || node["name"] !== "process") return undefined;
  const isLabel = parent?.["key"] === node && parent["computed"] !== true;
  const isProperty = parent?.["property"] === node && parent["computed"] !== true;
  return isLabel || isProperty ? undefined : "process";
}

function checkCoreIsSync({ path, nodes }: Source): readonly Place[] {
  if (!isProduct(path) || !path.startsWith("src/core/")) return [];
  return nodes
    .filter(
      ({ node }) =>
        node.type === "AwaitExpression" || node["await"] === true || node["async"] === true,
    )
    .map(({ node }) => ({ at: node.start, message: "no await and no async in core" }));
}

function checkProcessExit({ path, nodes }: Source): readonly Place[] {
  if (!isSrc(path) || path === "src/main.ts") return [];
  return nodes
    .filter(({ node }) => memberOf(node) === "process.exit")
    .map(({ node }) => ({ at: node.start, message: "only main.ts ends the process" }));
}

/** `a.b` for a plain member expression of two names. */
function memberOf(node: Node): string | undefined {
  if (node.type !== "MemberExpression" || node["computed"] === true) return undefined;
  const [object, property] = [nameOf(node["object"]), nameOf(node["property"])];
  return object === undefined || property === undefined ? undefined : `${object}.${property}`;
}

function nameOf(node: unknown): string | undefined {
  return isNode(node) && typeof node["name"] === "string" ? node["name"] : undefined;
}
