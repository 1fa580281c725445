// Finds the lines of a program's output that report an error. It judges form, not meaning: the word "error" in a
// JSON field, in code or in prose is no report, and what an error means is for others to say.

import { printable, printableLine } from "../../std/printable.ts";
import { parseJson } from "../../std/parse-json.ts";

const ERRORS_MAX = 20;
const ERROR_CHARS_MAX = 300;
/** A plain line says what it is at its start; the rest is not looked at. */
const PLAIN_CHARS_MAX = 2000;
/** An event can only be read whole, so it gets the room of the longest tail anyone hands in. */
const JSON_CHARS_MAX = 65_536;

/** At most 20 distinct error lines in the order of the text; of a JSON event, the words in which it tells the error. */
export function findErrors(text: string): string[] {
  const found = new Set<string>();
  for (const line of unfenced(text.split(/\r\n|\n|\r/u))) {
    for (const report of reportsOf(line)) {
      const shown = printableLine(report, ERROR_CHARS_MAX);
      if (shown !== "") found.add(shown);
      if (found.size === ERRORS_MAX) return [...found];
    }
  }
  return [...found];
}

const FENCE = /^ {0,3}(?:```|~~~)[`~]*[ \t]*([^\s`]*)/u;

/**
 * A tail may begin inside a block or end before its fence: a fence with a language always opens, and one that nothing
 * closes hides nothing.
 */
function unfenced(lines: readonly string[]): string[] {
  const hidden = new Set<number>();
  let opened: number | undefined;
  for (const [index, line] of lines.entries()) {
    const fence = FENCE.exec(line);
    if (fence === null) continue;
    if (opened === undefined || fence[1] !== "") {
      opened = index;
      continue;
    }
    for (let inside = opened; inside <= index; inside += 1) hidden.add(inside);
    opened = undefined;
  }
  return lines.filter((_, index) => !hidden.has(index));
}

function reportsOf(line: string): string[] {
  const value = jsonIn(line);
  if (value !== undefined) return eventsOf(value).flatMap(reportOfEvent);
  const plain = printable(line.slice(0, PLAIN_CHARS_MAX)).trimEnd();
  return !cannotReport(plain) && isReport(plain) ? [plain] : [];
}

// Stage 1 for JSON: only its own fields count, so a tool's failure inside a message stays the tool's.

function eventsOf(value: unknown): Record<string, unknown>[] {
  return (Array.isArray(value) ? value : [value]).filter(isRecord);
}

/** What is no JSON, or too long to be looked at, is undefined. */
function jsonIn(line: string): unknown {
  const text = line.trim();
  const mayBe = /^[{[]/u.test(text) && text.length <= JSON_CHARS_MAX;
  return mayBe ? parseJson(text) : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function reportOfEvent(event: Record<string, unknown>): string[] {
  const { type, subtype, error } = event;
  // Gemini prints what a tool returned as an event of its own, with the tool's error at the top.
  if (typeof type === "string" && /^tool[._]/u.test(type)) return [];
  const isError =
    event["is_error"] === true ||
    (typeof type === "string" && /^(?:\w+\.)?error$/u.test(type)) ||
    (typeof subtype === "string" && subtype.startsWith("error")) ||
    wordsIn(error) !== undefined;
  if (!isError) return [];
  const words = [event["message"], error, event["data"], event["errors"], event["result"]]
    .map(wordsIn)
    .find((found) => found !== undefined);
  return [words ?? (typeof subtype === "string" ? subtype : "error")];
}

/** Agents put the words in a string, in `message`, in `data.message` or in a list. */
function wordsIn(value: unknown): string | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (!isRecord(first)) return nonBlank(first);
  const data = isRecord(first["data"]) ? first["data"] : {};
  return nonBlank(first["message"]) ?? nonBlank(data["message"]);
}

function nonBlank(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

// Stage 1 for plain lines: what has the look of a report and is none.

const NO_REPORT: readonly RegExp[] = [
  // A diff, a list, a heading, a quotation or a table; a login shell and a Go test start with a dash all the same.
  /^(?!-\w*sh: )(?!--- FAIL: )[-+]/u,
  /^\s*(?:[-*+•◦‣]|\d{1,3}[.)]|#{1,6})\s(?! ?[\w.]+ - (?:ERROR|CRITICAL) - )/u,
  /^\s*[>|]/u,
  // Source code.
  /^\s*(?:\/\/|\/\*|\*|<!--|@)/u,
  /^\s*\}? *(?:import|export|from|use|const|let|var|return|function|async|await|class|interface|type|if|else|for|while|try|catch|except|finally|throw|throws|raise|case|default|def|func|fn|pub|public|private)\b(?!:)/u,
  /^\s*(?:[\w$]+\.)*(?:console|log|logger|Logger|logging|t|assert|expect|panic|Promise|Result|Err|new)\b[.(<]/u,
  /^\s*[\w$.]+ *(?:=|:=|\+=|===?|!==?|=>) /u,
  // A field of an object, of a type or of a YAML document: one value and nothing said.
  /^\s*["'`]?[\w$-]+["'`]?\??:\s*(?:[^\s"'`]*|["'`].*["'`]|[\w$.]+\(.*|.*[)\]}])[,;]$/u,
  /^\s*[\w$]+\??:\s*[\w$.<>[\]"']+(?: \| [\w$.<>[\]"']+)+[,;]?$/u,
  /^\s*[\w$]+\??:\s*(?:async )?(?:\([^()]*\)|[\w$]+) =>(?:$| .*[{(,;]$)/u,
  /^\s*[a-z_$][\w$]*\??:\s*[[{(|>]-?$/u,
  /^\s*(?:error|err|fatal|panic):\s*(?:["'`].*["'`]|string|unknown|boolean|number|null|nil|none|true|false|undefined|Error)$/iu,
  /^\s*[\w$]+\??: (?:new [A-Z]|await |function\b|func\(|typeof |\/\*|[\w$.]+ instanceof )/u,
  /^\s*error: (?:[\w$.]+\(.*\)$|[\w$.]+ \|\| |\$\{)/u,
  // The part of a description that says when a function raises what.
  /^\s+[\w.]*(?:Error|Exception): (?:if|when)\b/iu,
  // A count of none.
  /^\s*(?:total |number of )?(?:errors?|failures?|failed|exceptions?|problems?)\s*[:=]\s*(?:0|none|no|null|nil|false|\[\]|\{\})\s*[.,;]?$/iu,
  /^\s*(?:found |with )?(?:0|no|zero) (?:\w+ )?(?:errors?|failures?|failed|problems?|exceptions?)\b/iu,
  // Headings in capitals that a log level would match.
  /^\s*ERRORS?[ :](?:handl|cod|messag|cas|path|boundar|typ|log|report|filter)/iu,
];

/** A level that is not an error, wherever the program puts its time and name. */
const QUIET =
  /^(?:\[?(?:warn|warning|info|debug|trace|notice|note|hint|help|verbose|tip|todo)\]?(?:[\s:]|$)|npm (?:warn|notice|info)\b)/iu;

function cannotReport(line: string): boolean {
  return NO_REPORT.some((shape) => shape.test(line)) || QUIET.test(bare(line)) || isTorn(line);
}

/** The end of a JSON line whose beginning the tail cut off closes what it never opened. */
function isTorn(line: string): boolean {
  return /"[:,]/u.test(line) && count(line, "}") > count(line, "{");
}

function count(line: string, character: string): number {
  return line.split(character).length - 1;
}

// Stage 2: the forms in which programs report. All are tied to the start of the line, where prose has other words.

const GLYPHS = /^[\s✗✖✘✕×⨯❌⛔🚫❯●⏺⎿│┃╎╭╰├└─⎯]+/u;
const TIME =
  /^\[?(?:\d{4}[-/]\d{2}[-/]\d{2}[T ])?\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})?\]?\s+/u;
/** The name of a program or plugin, but not a level, which is what stage 2 looks for. */
const TAG = /^\[(?!error|fatal|err\b|critical|severe|warn|info|debug)[\w@./:-]{1,40}\]\s+/iu;

/** The line without what loggers and reporters put before the words. */
function bare(line: string): string {
  return line.replace(GLYPHS, "").replace(TIME, "").replace(TAG, "").replace(GLYPHS, "");
}

const REPORT: readonly RegExp[] = [
  // Exceptions by name, as runtimes print them.
  /^(?:Uncaught |Unhandled |E +|\[cause\]: |\[)?(?:[\w$.]{1,120}\.)?_*(?:[A-Z][\w$]{0,120})?(?:Error|Exception)(?: \[\w+\])?: ?\S/u,
  /^(?:E +)?(?:[\w$.]{1,120}\.)?_*[A-Z][\w$]{0,120}(?:Error|Exception)(?: \[\w+\]:?)?$/u,
  /^Traceback \(most recent call last\)/u,
  /^Exception in thread /u,
  /^Error (?:when|while|during|loading|reading|writing|parsing|running|executing|connecting|opening|creating|building) [^:]{1,200}: \S/u,
  /^(?:\[|[^.:]{1,60}\. )?API Error: \S/u,
  /^(?:internal|internal server|syntax|parse|compile|compilation|build|runtime|fatal|unexpected|network|connection|linker|type) error: \S/iu,
  // Compilers and linters.
  /^error(?:\[\w+\])?: \S/iu,
  /^error [A-Z]{1,8}\d+: \S/u,
  /^error Command failed/u,
  /^.{1,300}?\(\d+,\d+\): error [A-Z]{1,8}\d+: /u,
  /^.{1,300}?:\d+:\d+ - error [A-Z]{1,8}\d+: /u,
  /^\S+:\d+: (?:fatal )?(?:error: |[\w.]*(?:Error|Exception)(?:$|:))/u,
  /^\S+:\d+:\d+: (?:fatal )?error: /u,
  /^\S+\.go:\d+:\d+: \S/u,
  /^\d+:\d+ +error +\S/u,
  // Crashes.
  /^(?:fatal|panic): \S/iu,
  /^thread '[^']{0,120}'.{0,40} panicked at /u,
  /^(?:\S+: line \d+: +\d+ )?(?:Segmentation fault|Aborted|Bus error)(?:$| \(core dumped\)| {2,})/u,
  /^(?:\S+: line \d+: +\d+ )?Killed(?:$| {2,})/u,
  /^(?:fatal[: ].{0,120})?out of memory(?:$|[:.!] ?| \()/iu,
  // Test runners, build tools and shells.
  /^npm (?:ERR!|error) (?!A complete log|\[)\S/u,
  /^(?:ERR_[A-Z_]+|ELIFECYCLE)\s+\S/u,
  /^FAIL(?:ED)?:?\s+(?:\S*[./]\S|\S*::\S|\S+\t|\S+ \(\S+\)$|\(\w+=\d)/u,
  /^--- FAIL: \S/u,
  /^test \S.{0,200} \.\.\. FAILED$/u,
  /^not ok \d+(?!.*# (?:TODO|SKIP))/iu,
  /^\S*sh: (?:\d+: )?\S+: not found$/u,
  /^curl: \(\d+\) \S/u,
  /^g?make(?:\[\d+\])?: \*\*\* /u,
  // Log levels.
  /^(?:ERROR|FATAL|CRITICAL|SEVERE)(?::| +)\s*\S/u,
  /^\[(?:ERROR|FATAL|CRITICAL|SEVERE|ERR)\]:?\s+\S/iu,
  /^- [\w.]+ - (?:ERROR|CRITICAL) - /u,
  /^(?:time=\S+ )?level=(?:error|fatal|panic)\b/u,
  // System calls, as Node and Go name them.
  /^(?:connect ECONNREFUSED|Connection refused)\b/u,
  /^(?:dial|listen|open|stat|lstat|read|write|mkdir|remove|rename|chdir|exec|fork\/exec) .{1,300}: (?:connection refused|no such file or directory|permission denied|address already in use)$/u,
];

/** Without its cross this is the subject of a commit: `fix(parser): …`. */
const LINT = /^\s*[×✖x] [\w@-]+\([\w@/-]+\): \S/u;
const PROGRAM = /^-?[\w./@+~-]{1,120}(?:\[\d+\])?: (?:(?:line )?\d+: )?/u;
/** What the C library and shells say after the name of a program and of a thing. */
const SYSTEM_SAYS =
  /(?:^|: )(?:command not found(?:: \S+)?|No such file or directory|Permission denied|Operation not permitted|Is a directory|Not a directory|No space left on device|Read-only file system|Connection refused|Connection reset by peer|Connection timed out|Address already in use|Cannot allocate memory|Argument list too long|Exec format error|Device or resource busy)(?: \(\w[\w, -]{0,60}\))?\.?$/u;
const PROGRAM_SAYS = /^(?:(?:fatal |syntax |internal )?error|fatal|panic): \S/iu;

function isReport(line: string): boolean {
  const words = bare(line);
  if (LINT.test(line) || REPORT.some((form) => form.test(words))) return true;
  const said = words.replace(PROGRAM, "");
  return said !== words && (PROGRAM_SAYS.test(said) || SYSTEM_SAYS.test(said));
}
