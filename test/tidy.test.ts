import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { findings, ROWS, RULE_NAMES, type RuleName, violations } from "./rig/tidy-rules.ts";

/** Files that may use `as` though they are no parser. Keep it short; each entry needs its reason. */
const CASTS_ALLOWED_IN: readonly string[] = [];

const root = fileURLToPath(new URL("..", import.meta.url));

function readTree(folder: string): [string, string][] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .toSorted()
    .map((name) => [`${folder}/${name}`, readFileSync(join(root, folder, name), "utf8")]);
}

describe("our tree keeps the rule", () => {
  const found = findings(new Map([...readTree("src"), ...readTree("test")]), {
    castsAllowedIn: CASTS_ALLOWED_IN,
  });
  test.each(RULE_NAMES)("%s", (rule) => {
    const broken = found.filter((f) => f.rule === rule);
    const report = broken.map((f) => `${f.file}:${f.line}: ${f.rule}: ${f.message}`).join("\n");
    expect(broken.length, `\n${report}\n`).toBe(0);
  });
});

/** A file that breaks nothing, so that a planted mistake is the only finding. */
const file = (...lines: string[]): string =>
  ["// Says what this file is for.", ...lines, ""].join("\n");
const lines = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `export const line${n} = ${n};`);
const longBody = (count: number): string[] => Array.from({ length: count }, () => "  void 0;");

/** Rule, line, path, text. */
type Planted = [RuleName, number, string, string];

const planted: Planted[] = [
  ["parses", 2, "src/std/a.ts", file("const = 1;")],
  ["tree", 1, "src/world/utils/a.ts", file("export const a = 1;")],
  ["tree", 1, "src/world/agents/helpers/a.ts", file("export const a = 1;")],
  ["tree", 1, "test/shared/a.ts", file("export const a = 1;")],
  ["tree", 1, "src/stray.ts", file("export const a = 1;")],
  ["tree", 1, "src/core/stray.ts", file("export const a = 1;")],
  ["tree", 1, "src/core/other/a.ts", file("export const a = 1;")],
  ["tree", 1, "src/world/agents/claude/deep/a.ts", file("export const a = 1;")],
  ["names", 1, "src/std/camelCase.ts", file("export const a = 1;")],
  ["names", 1, "src/world/my_agents/a.ts", file("export const a = 1;")],
  [
    "imports",
    2,
    "src/core/loop/a.ts",
    file('import { b } from "../../world/git/b.ts";', "void b;"),
  ],
  ["imports", 2, "src/std/a.ts", file('import type { B } from "../core/schema/b.ts";')],
  ["imports", 3, "src/std/a.ts", file("", 'export const b = () => import("../core/schema/b.ts");')],
  ["imports", 2, "src/std/a.ts", file('type B = import("../core/schema/b.ts").B;')],
  ["imports", 2, "src/std/a.ts", file("export const b = (name: string) => import(name);")],
  [
    "imports",
    2,
    "src/core/loop/a.ts",
    file('export { b } from "../view/b.ts";', "export const c = 1;"),
  ],
  ["imports", 2, "src/core/view/a.ts", file('import { b } from "../prompt/b.ts";')],
  ["imports", 2, "src/world/git/a.ts", file('import { b } from "../tasks/b.ts";')],
  ["imports", 2, "src/world/host/a.ts", file('import { b } from "../git/b.ts";')],
  ["imports", 2, "src/engine/project/a.ts", file('import { b } from "../run/b.ts";')],
  ["imports", 2, "src/ui/tui/a.ts", file('import { b } from "../cli/b.ts";')],
  ["imports", 2, "src/ui/cli/a.ts", file('import { b } from "../../main.ts";')],
  [
    "imports",
    2,
    "src/engine/run/a.ts",
    file('import { b } from "../../world/agents/claude/b.ts";'),
  ],
  ["imports", 2, "src/ui/cli/a.ts", file('import { b } from "../../../test/given.ts";')],
  ["imports", 2, "src/std/a.test.ts", file('import { b } from "../core/loop/b.ts";')],
  ["imports", 2, "src/ui/cli/a.ts", file('import { b } from "./b.test.ts";')],
  ["barrel", 1, "src/std/a.ts", file('export { b } from "./b.ts";')],
  ["barrel", 1, "src/std/a.ts", file('import { b } from "./b.ts";', "export { b };")],
  ["barrel", 2, "src/std/a.ts", file('export * from "./b.ts";', "export const a = 1;")],
  ["default-export", 2, "src/std/a.ts", file("export default 1;")],
  ["default-export", 3, "src/std/a.ts", file("const a = 1;", "export { a as default };")],
  ["default-export", 2, "test/rig/a.ts", file("export default function a() {}")],
  ["file-size", 501, "src/std/a.ts", file(...lines(500)).trimEnd()],
  ["function-size", 2, "src/std/a.ts", file("export function a() {", ...longBody(69), "}")],
  ["function-size", 3, "src/std/a.ts", file("class A {", "  a() {", ...longBody(69), "  }", "}")],
  ["function-size", 2, "src/std/a.ts", file("export const a = () => {", ...longBody(69), "};")],
  ["function-size", 2, "src/std/a.test.ts", file("function a() {", ...longBody(69), "}")],
  ["file-header", 1, "src/std/a.ts", "export const a = 1;\n"],
  ["file-header", 1, "src/std/a.ts", "// result\nexport const a = 1;\n"],
  ["file-header", 1, "src/std/a.ts", "const a = 1;\n// Says what it is for.\nexport { a };\n"],
  ["file-header", 1, "test/rig/a.ts", "export const a = 1;\n"],
  ["documented-types", 2, "src/std/a.ts", file("export type A = 1;")],
  ["documented-types", 3, "src/std/a.ts", file("// No doc line.", "export interface A {}")],
  ["documented-types", 2, "src/std/a.ts", file("export class A {}")],
  ["documented-types", 3, "src/std/a.ts", file("export const A = 1;", "export type A = typeof A;")],
  ["outside-world", 2, "src/world/git/a.ts", file('import { readFileSync } from "node:fs";')],
  ["outside-world", 2, "src/world/git/a.ts", file('import { readFile } from "fs/promises";')],
  ["outside-world", 2, "src/world/git/a.ts", file('import type { B } from "node:child_process";')],
  ["outside-world", 2, "src/ui/web/a.ts", file('import * as net from "node:net";')],
  ["outside-world", 2, "src/ui/cli/a.ts", file('export const os = () => import("node:os");')],
  ["outside-world", 2, "src/core/loop/a.ts", file("export const a = () => Date.now();")],
  ["outside-world", 2, "src/core/loop/a.ts", file("export const a = () => new Date();")],
  ["outside-world", 2, "src/core/loop/a.ts", file("export const a = () => Date();")],
  ["outside-world", 2, "src/core/loop/a.ts", file("export const a = () => Math.random();")],
  ["outside-world", 2, "src/core/loop/a.ts", file("export const a = () => performance.now();")],
  ["outside-world", 2, "src/core/loop/a.ts", file("export const a = () => crypto.randomUUID();")],
  ["outside-world", 2, "src/engine/run/a.ts", file("setTimeout(() => {}, 1);")],
  ["outside-world", 2, "src/engine/run/a.ts", file("globalThis.setTimeout(() => {}, 1);")],
  ["outside-world", 2, "src/engine/run/a.ts", file("setInterval(() => {}, 1);")],
  ["outside-world", 2, "src/ui/cli/a.ts", file("export const a = process.env;")],
  ["outside-world", 2, "src/ui/cli/a.ts", file("export const a = { process };")],
  ["outside-world", 2, "src/world/notify/a.ts", file('export const a = () => fetch("http://a");')],
  ["outside-world", 2, "src/core/loop/a.test.ts", file("setTimeout(() => {}, 1);")],
  ["outside-world", 2, "test/sim/a.ts", file("export const a = () => Date.now();")],
  ["core-is-sync", 2, "src/core/loop/a.ts", file("export async function a() {}")],
  ["core-is-sync", 2, "src/core/view/a.ts", file("export const a = async () => 1;")],
  ["core-is-sync", 2, "src/core/view/a.ts", file("await 1;")],
  ["no-any", 2, "src/std/a.ts", file("export const a: any = 1;")],
  ["no-any", 2, "src/std/a.ts", file("export function a(b: Array<any>) {}")],
  ["no-cast", 2, "src/std/a.ts", file("export const a = 1 as number;")],
  ["no-cast", 2, "src/std/a.ts", file("export const a = <number>1;")],
  ["process-exit", 2, "src/world/host/a.ts", file("process.exit(1);")],
  ["no-todo", 2, "src/std/a.ts", file("// TODO: later", "export const a = 1;")],
  ["no-todo", 2, "test/rig/a.ts", file("export const a = 1; /* FIXME */")],
];

describe("a planted mistake is found", () => {
  test.each(planted)("%s at line %i of %s (case %$)", (rule, line, path, text) => {
    const found = findings(new Map([[path, text]]));
    expect(found.map((f) => [f.rule, f.line])).toEqual([[rule, line]]);
  });

  test("every rule has one", () => {
    expect(new Set(planted.map(([rule]) => rule))).toEqual(new Set(RULE_NAMES));
  });

  test("a report names file, line and rule", () => {
    expect(
      violations(new Map([["src/std/a.ts", file("", "export const a = 1 as number;")]])),
    ).toEqual(["src/std/a.ts:3: no-cast: no `as` outside a parser (or the allow list)"]);
  });

  test("an allowance that nobody needs any more is found", () => {
    const files = new Map([["src/std/a.ts", file("export const a = 1;")]]);
    const castsAllowedIn = ["src/std/a.ts", "src/std/gone.ts"];
    expect(findings(files, { castsAllowedIn }).map((f) => [f.rule, f.file])).toEqual([
      ["no-cast", "src/std/a.ts"],
      ["no-cast", "src/std/gone.ts"],
    ]);
  });
});

const fine: [string, string, string][] = [
  ["a file of 500 lines", "src/std/a.ts", file(...lines(499))],
  ["a function of 70 lines", "src/std/a.ts", file("export function a() {", ...longBody(68), "}")],
  ["a long describe", "src/std/a.test.ts", file('describe("a", () => {', ...longBody(200), "});")],
  [
    "a block comment as header",
    "src/std/a.ts",
    "/** Says what it is for. */\nexport const a = 1;\n",
  ],
  ["a test without header", "src/std/a.test.ts", "export const a = 1;\n"],
  [
    "renames and const",
    "src/std/a.ts",
    file(
      'import * as b from "./b.ts";',
      'import { c as d } from "./c.ts";',
      "export const e = [b, d] as const;",
    ),
  ],
  ["a cast in a parser", "src/core/schema/parse-config.ts", file("export const a = 1 as number;")],
  ["a cast in a test", "src/core/schema/a.test.ts", file("export const a = 1 as number;")],
  [
    "words in strings",
    "src/std/a.ts",
    file('export const a = "TODO: setTimeout(process.exit) as any";'),
  ],
  ["a date from a number", "src/core/view/a.ts", file("export const a = new Date(0);")],
  [
    "a property called process",
    "src/core/view/a.ts",
    file("export const a = { process: 1 }.process;"),
  ],
  [
    "private files of one unit",
    "src/world/agents/a.ts",
    file('import { b } from "./claude/b.ts";', "void b;"),
  ],
  [
    "std's edits from anywhere",
    "src/world/tasks/a.ts",
    file('import { b } from "../../std/edit/b.ts";', "void b;"),
  ],
  [
    "std's edits using std",
    "src/std/edit/a.ts",
    file('import { b } from "../assert.ts";', "void b;"),
  ],
  [
    "host from another world folder",
    "src/world/git/a.ts",
    file('import { b } from "../host/b.ts";', "void b;"),
  ],
  [
    "a test using test/",
    "src/core/loop/a.test.ts",
    file('import { b } from "../../../test/given.ts";', "void b;"),
  ],
  [
    "the clock in host",
    "src/world/host/a.ts",
    file('import "node:fs";', "export const a = () => Date.now();"),
  ],
  ["main doing what only main does", "src/main.ts", file("process.exit(Date.now());")],
  [
    "an inferred type whose schema is documented",
    "src/core/schema/a.ts",
    file("/** A. */", "export const A = 1;", "export type A = typeof A;"),
  ],
];

test.each(fine)("%s is fine", (_, path, text) => {
  expect(violations(new Map([[path, text]]))).toEqual([]);
});

test("each row imports the rows below it and no row above", () => {
  const units = ROWS.flatMap((row, index) =>
    row.map((name) => ({ index, unit: name.replace("*", "git") })),
  );
  const pathOf = (unit: string): string => (unit === "main" ? "src/main.ts" : `src/${unit}/a.ts`);
  for (const from of units) {
    for (const to of units.filter(({ unit }) => unit !== from.unit)) {
      const up = "../".repeat(from.unit === "main" ? 0 : from.unit.split("/").length) || "./";
      const text = file(`import { b } from "${up}${pathOf(to.unit).slice(4)}";`, "void b;");
      const found = violations(new Map([[pathOf(from.unit), text]]));
      expect(found.length, `${from.unit} → ${to.unit}`).toBe(from.index < to.index ? 0 : 1);
    }
  }
});
