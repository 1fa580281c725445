// Which files decide whether a gate is green, and what a diff did to them. It reads command lines as a shell would, as far
// as it must, and runs nothing.

import { basename, join, normalize } from "node:path/posix";
import type { Finding } from "../../core/schema/finding.ts";
import { lookUp } from "../../std/look-up.ts";
import { printableLine } from "../../std/printable.ts";
import type { DiffFile } from "./parse-diff.ts";
import { isTestPath } from "./test-changes.ts";

/** What the commands of the gates rest on. */
export interface GateFiles {
  /** Names of scripts in package.json, each with its `pre` and `post`. */
  readonly scripts: readonly string[];
  /** Paths in the working tree whose change is tampering. */
  readonly files: readonly string[];
}

interface Found {
  readonly scripts: Set<string>;
  readonly files: Set<string>;
  readonly isFile: (path: string) => boolean;
}

const LINES_MAX = 10;
const LINE_MAX = 200;
/** A shell that starts a shell that starts a shell is followed no further. */
const DEPTH_MAX = 3;

const ASSIGNMENT = /^\w+=/u;
const REDIRECTION = /^(?:\d*|&)[<>]/u;
const BARE_REDIRECTION = /^(?:\d*|&)(?:<|>|>>|>\||<<<?)$/u;
const WRAPPERS = new Set(
  "! { if then else elif while until do env exec time timeout nice nohup command sudo stdbuf xvfb-run npx bunx".split(
    " ",
  ),
);
/** Programs that start what follows their second word. */
const RUNNERS: Readonly<Record<string, ReadonlySet<string>>> = {
  npm: new Set(["exec", "x"]),
  pnpm: new Set(["exec", "dlx"]),
  yarn: new Set(["exec", "dlx"]),
  bundle: new Set(["exec"]),
  poetry: new Set(["run"]),
  pipenv: new Set(["run"]),
  uv: new Set(["run"]),
};
const SHELLS = new Set(["sh", "bash", "dash", "zsh", "ksh", "source", "."]);
const INTERPRETERS = new Set(
  "node nodejs python python3 ruby perl php deno bun tsx ts-node".split(" "),
);
const PACKAGERS = new Set(["npm", "pnpm", "yarn", "bun"]);
/** Options whose value is a word of its own. */
const WRAPPER_VALUED = new Set("-u -k -s -n -C --signal --kill-after --unset --chdir".split(" "));
const INTERPRETER_VALUED = new Set(
  "-r --require --import --loader --experimental-loader --env-file --conditions -C -W -X -I".split(
    " ",
  ),
);
const PACKAGER_VALUED = new Set("--prefix -w --workspace --filter -F -C --dir --cwd".split(" "));
const PACKAGER_OWN = new Set("install i ci add exec dlx x up update".split(" "));
const INLINE_CODE = new Set(["-c", "-e", "-p", "-m", "--eval", "--print"]);
const BUILD_FILES: Readonly<Record<string, readonly string[]>> = {
  make: ["Makefile", "makefile", "GNUmakefile"],
  gmake: ["Makefile", "makefile", "GNUmakefile"],
  just: ["justfile", "Justfile", ".justfile"],
  task: ["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"],
};
const BUILD_FOLDER = new Set(["-C", "--directory", "-d", "--dir"]);
const BUILD_FILE = new Set(["-f", "--file", "--makefile", "--justfile", "-t", "--taskfile"]);
const GATE_FOLDER = /(?:^|\/)(?:scripts|tools|ci|checks|gates|bin|\.ci|\.github)\//u;
const GATE_NAME = /check|verify|lint|gate|valid/iu;
const EXTENSIONS = ["", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"] as const;
const CONFIG_NAME =
  /^(?:(?:jest|vitest|playwright|ava)\.config\.\w+|vitest\.workspace\.\w+|\.mocharc(?:\.\w+)?|karma\.conf(?:\.\w+)?|pytest\.ini|tox\.ini|phpunit\.xml(?:\.\w+)?|\.rspec)$/u;
const APART = /(?:^|\/)(?:node_modules|vendor|fixtures?|__fixtures__|testdata)\//u;
/** A dependency may have the name of a script. */
const VERSION =
  /^"(?:[\^~<>=v\s]*\d+(?:\.|"|\s)|\*|latest"|(?:workspace|file|link|npm|catalog|git\+\w+):)/u;

/** `isFile` is asked with a path in the working tree where the words alone do not say which file is meant. */
export function gateFiles(
  commands: readonly string[],
  isFile: (path: string) => boolean,
): GateFiles {
  const found: Found = { scripts: new Set(), files: new Set(), isFile };
  for (const command of commands) addCommandLine(found, command, DEPTH_MAX);
  return { scripts: [...found.scripts], files: [...found.files] };
}

/** Whether a path is the configuration of a test runner, which exists for gates and nothing else. */
export function isGateConfig(path: string): boolean {
  return CONFIG_NAME.test(basename(path)) && !APART.test(path);
}

/** A new file is no finding: what was green without it decided before. */
export function findGateChanges(files: readonly DiffFile[], gates: GateFiles): Finding[] {
  return files.flatMap((file) => {
    const path = file.oldPath ?? file.path;
    if (file.status === "added") return [];
    const gone = file.status === "deleted" || file.oldPath !== undefined;
    if (gates.files.includes(path)) {
      return [finding(file, gone ? "gate script deleted" : "gate script changed")];
    }
    if (isGateConfig(path)) {
      const kept = !gone || (file.oldPath !== undefined && isGateConfig(file.path));
      return [finding(file, `test runner configuration ${kept ? "changed" : "deleted"}`)];
    }
    return basename(path) === "package.json" ? findScriptChanges(file, gates) : [];
  });
}

function addCommandLine(found: Found, line: string, depth: number): void {
  let folder = "";
  for (const words of splitCommands(line)) {
    const [program, ...args] = unwrap(words);
    if (program === undefined) continue;
    if (program === "cd" || program === "pushd") folder = join(folder, args[0] ?? "");
    else addCommand(found, [program, ...args], { folder, depth });
  }
}

/** The simple commands of a line as words without quotes and redirections. */
function splitCommands(line: string): string[][] {
  const commands: string[][] = [[]];
  const tokens =
    /(?<end>&&|\|\|?|;;?|\n|(?<![<>])&(?!>)|[()])|(?<comment>(?<=^|\s)#[^\n]*)|(?<word>(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|(?<=[<>])&|&(?=>)|[^\s;|&()"'\\])+)|[\s\S]/gu;
  for (const { groups } of line.matchAll(tokens)) {
    if (groups?.["end"] !== undefined) commands.push([]);
    if (groups?.["word"] !== undefined) commands.at(-1)?.push(groups["word"]);
  }
  return commands.map((words) => withoutRedirections(words).map(unquote));
}

function withoutRedirections(words: readonly string[]): string[] {
  return words.filter((word, index) => {
    const before = words[index - 1];
    return !REDIRECTION.test(word) && (before === undefined || !BARE_REDIRECTION.test(before));
  });
}

function unquote(word: string): string {
  return word.replaceAll(
    /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/gsu,
    (_, double?: string, single?: string, plain?: string) =>
      double?.replaceAll(/\\(["\\$`])/gu, "$1") ?? single ?? plain ?? "",
  );
}

/** Drops what stands before the program that does the work. */
function unwrap(words: readonly string[]): readonly string[] {
  const [first, second] = words;
  if (first === undefined) return [];
  if (ASSIGNMENT.test(first)) return unwrap(words.slice(1));
  if (second !== undefined && lookUp(RUNNERS, first)?.has(second) === true) {
    return unwrap(withoutOptions(words.slice(2), WRAPPER_VALUED));
  }
  if (!WRAPPERS.has(first)) return words;
  const rest = withoutOptions(words.slice(1), WRAPPER_VALUED);
  return unwrap(first === "timeout" ? rest.slice(1) : rest);
}

function withoutOptions(words: readonly string[], valued: ReadonlySet<string>): readonly string[] {
  const [first] = words;
  if (first === undefined || !first.startsWith("-")) return words;
  return withoutOptions(words.slice(valued.has(first) ? 2 : 1), valued);
}

function addCommand(
  found: Found,
  [program, ...args]: readonly [string, ...string[]],
  { folder, depth }: { folder: string; depth: number },
): void {
  const name = basename(program);
  if (SHELLS.has(name)) {
    addShell(found, args, { folder, depth });
    return;
  }
  if (PACKAGERS.has(name)) addScripts(found, name, args);
  if (INTERPRETERS.has(name)) {
    addInterpreted(found, args, folder);
    return;
  }
  const builds = lookUp(BUILD_FILES, name);
  if (builds !== undefined) addBuildFiles(found, builds, args, folder);
  if (program.includes("/")) addFile(found, folder, program);
}

function addShell(
  found: Found,
  args: readonly string[],
  { folder, depth }: { folder: string; depth: number },
): void {
  const code = args.findIndex((word) => /^-\w*c$/u.test(word));
  if (code !== -1) {
    const line = args[code + 1];
    const prefix = folder === "" ? "" : `cd '${folder}' && `;
    if (line !== undefined && depth > 0) addCommandLine(found, prefix + line, depth - 1);
    return;
  }
  // `-euo pipefail`: the value of the last letter is a word of its own.
  const at = args.findIndex(
    (word, index) => !/^[-+]/u.test(word) && !/^[-+]\w*[oO]$/u.test(args[index - 1] ?? ""),
  );
  const script = args[at];
  if (script !== undefined) addFile(found, folder, script);
}

function addBuildFiles(
  found: Found,
  names: readonly string[],
  args: readonly string[],
  folder: string,
): void {
  const valueOf = (options: ReadonlySet<string>): string | undefined =>
    args.find((_, index) => options.has(args[index - 1] ?? ""));
  const place = join(folder, valueOf(BUILD_FOLDER) ?? "");
  const named = valueOf(BUILD_FILE);
  for (const file of named === undefined ? names : [named]) addFile(found, place, file);
}

function addScripts(found: Found, packager: string, args: readonly string[]): void {
  const words = args.filter(
    (word, index) => !word.startsWith("-") && !PACKAGER_VALUED.has(args[index - 1] ?? ""),
  );
  const [first, second] = words[0] === "workspace" ? words.slice(2) : words;
  const isRun = first === "run" || first === "run-script";
  const name = isRun ? second : shortScript(packager, first);
  if (name !== undefined && !name.includes("/")) addScript(found, name);
}

function addScript(found: Found, name: string): void {
  for (const script of [name, `pre${name}`, `post${name}`]) found.scripts.add(script);
}

/** Of npm only a few scripts have a command of their own, bun runs its own tests, and the others run any by its name. */
function shortScript(packager: string, word: string | undefined): string | undefined {
  if (packager === "bun" || word === undefined || PACKAGER_OWN.has(word)) return undefined;
  if (word === "t" || word === "tst") return "test";
  if (packager !== "npm" || word === "test" || word === "start") return word;
  return undefined;
}

function addInterpreted(found: Found, args: readonly string[], folder: string): void {
  const rest = withoutOptions(args[0] === "run" ? args.slice(1) : args, INTERPRETER_VALUED);
  const options = args.slice(0, args.length - rest.length);
  const [script] = rest;
  if (script === undefined || options.some((word) => INLINE_CODE.has(word))) return;
  // Node runs a script of package.json by this option.
  if (options.includes("--run")) {
    addScript(found, script);
    return;
  }
  const place = EXTENSIONS.map((end) => placeOf(found, folder, script + end)).find(
    (path) => path !== undefined && found.isFile(path),
  );
  // A file that is gone was perhaps deleted by the very agent; a mere word is a command of the program.
  const named = /[./]/u.test(script) ? placeOf(found, folder, script) : undefined;
  const path = place ?? named;
  if (path === undefined || isTestPath(path)) return;
  // Any other script is as likely the product itself, which is there to be changed.
  if (GATE_FOLDER.test(path) || GATE_NAME.test(basename(path))) found.files.add(path);
}

function addFile(found: Found, folder: string, path: string): void {
  const place = placeOf(found, folder, path);
  if (place !== undefined) found.files.add(place);
}

/** Undefined for what is not in the working tree or is known to the shell only. */
function placeOf(found: Found, folder: string, path: string): string | undefined {
  if (/^[/~]/u.test(path)) return undefined;
  const plain = inTree(path);
  const place = inTree(join(folder, path));
  if (place === undefined || plain === undefined) return place ?? plain;
  // A `cd` in a subshell or to where we cannot see leaves the later words where they were.
  return !found.isFile(place) && found.isFile(plain) ? plain : place;
}

function inTree(path: string): string | undefined {
  const place = normalize(path);
  return /^(?:\/|\.\.?(?:\/|$))|[$*?`]|(?:^|\/)node_modules\//u.test(place) ? undefined : place;
}

function findScriptChanges(file: DiffFile, gates: GateFiles): Finding[] {
  if (APART.test(file.path)) return [];
  if (file.oldPath !== undefined && basename(file.path) !== "package.json") {
    return gates.scripts.length === 0 ? [] : [finding(file, "gate script deleted")];
  }
  const kept = new Set(file.added.map(entryOf));
  const lines = file.removed.filter((line) => !kept.has(entryOf(line)) && scriptOf(line) !== "");
  const names = new Set(lines.map(scriptOf).filter((name) => gates.scripts.includes(name)));
  return [...names].map((name) => {
    const isOf = (line: string): boolean => scriptOf(line) === name;
    const part = { ...file, removed: lines.filter(isOf), added: file.added.filter(isOf) };
    return finding(part, `the script "${name}" in package.json changed`);
  });
}

/** A line of package.json as it is in any place of any list. */
function entryOf(line: string): string {
  return line
    .trim()
    .replace(/,$/u, "")
    .replace(/^("[^"]*")\s*:\s*/u, "$1: ");
}

/** The name of the script that a line of package.json gives; empty when it gives none. */
function scriptOf(line: string): string {
  const [, name, value] = /^\s*"([^"\\]+)"\s*:\s*(".*)$/u.exec(line) ?? [];
  return name === undefined || value === undefined || VERSION.test(value) ? "" : name;
}

function finding(file: DiffFile, what: string): Finding {
  const lines = [
    ...file.removed.map((line) => ["-", line] as const),
    ...file.added.map((line) => ["+", line] as const),
  ]
    .filter(([, line]) => line.trim() !== "")
    .slice(0, LINES_MAX)
    .map(([mark, line]) => mark + printableLine(line, LINE_MAX - 1));
  return { kind: "gates", path: file.oldPath ?? file.path, what, lines };
}
