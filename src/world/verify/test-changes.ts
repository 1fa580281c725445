// Finds tests that a diff made weaker: deleted, fewer, with fewer assertions, or skipped. It counts by the words that
// common test runners use and understands no language, so a changed expectation passes.

import { basename, extname } from "node:path/posix";
import type { Finding } from "../../core/schema/finding.ts";
import { printableLine } from "../../std/printable.ts";
import type { DiffFile } from "./parse-diff.ts";

/** A file that git does not track yet, which a diff therefore does not show. */
export interface UntrackedText {
  readonly path: string;
  readonly text: string;
}

interface Line {
  readonly raw: string;
  /** Without strings and comments; empty when nothing else is in the line. */
  readonly code: string;
}

/** One file as far as tests are concerned: the side that is no test has no lines. */
interface View {
  readonly path: string;
  readonly status: DiffFile["status"];
  /** The path that held tests before and holds none now. */
  readonly leftPath: string | undefined;
  readonly removed: readonly Line[];
  readonly added: readonly Line[];
}

/** `inline`: a file of the product that may hold its own tests. */
type Place = "test" | "shell" | "inline";

type Counter = (line: Line, place: Place) => number;

const FINDINGS_MAX = 20;
const LINES_MAX = 10;
const LINE_MAX = 200;
/** Longer lines are generated; the patterns below look at their beginning only. */
const CODE_MAX = 2000;
const TEXT_MAX = 1024 * 1024;

const NEVER_FOLDER = /(?:^|\/)(?:\.ralph|\.omc|\.claude|\.git|node_modules|vendor)\//u;
// Data and prose may lie beside tests without being one; a test that is put aside gets one of the last names.
const NEVER_NAME =
  /\.(?:mdx?|markdown|rst|adoc|txt|json[c5l]?|ndjson|ya?ml|toml|xml|csv|tsv|snap|lock|log|html?|s?css|svg|png|jpe?g|gif|webp|ico|pdf|zip|gz|tar|bin|wasm|ttf|woff2?|mp[34]|sql|db|sqlite|ini|cfg|conf|env|golden|out|expected|diff|patch|proto|bak|old|orig|disabled|skip(?:ped)?|off|tmp)$/iu;
const TEST_FOLDER = /^(?:tests?|__tests?__|spec|e2e|(?:unit|integration|e2e)[-_]tests?)$/iu;
// Here only the capital letter tells `AppTests` from `latest`.
const TEST_FOLDER_END = /[a-z0-9.]Tests?$/u;
const TEST_NAMES: readonly RegExp[] = [
  /\.(?:tests?|spec|e2e|cy)\./iu,
  /[^/][-_](?:tests?|spec)\.[^./]+$/iu,
  /^test[-_][^/]*\.[^./]+$/iu,
  /^tests?\.[^./]+$/iu,
  /[A-Za-z0-9](?:Tests?|TestCase|IT)\.(?:java|kts?|groovy|scala|cs|fs|vb|php|swift|mm?|dart|cc|cpp)$/u,
  /^Test[A-Z]\w*\.(?:java|kts?|groovy|cs|php)$/u,
  /[A-Za-z0-9]Spec\.(?:java|kts?|groovy|scala|cs|swift|hs|php|[cm]?[jt]sx?)$/u,
  /\.(?:bats|feature)$/u,
  /^conftest\.py$/u,
];
// What stands beside tests and holds none by its name; whether it held some is then told by its lines.
const HELPER =
  /(?:^|\/)_{0,2}(?:fixtures?|helpers?|support|mocks?|stubs?|utils?|common|shared|data|testdata|factories|snapshots?)_{0,2}(?:\/|\.)|(?:^|\/)(?:__init__|conftest|mod|index|setup|(?:test|spec)[-_](?:helpers?|utils?))\.[^/]+$/iu;
const SHELL = /\.(?:sh|bash|zsh|ksh|fish|bats)$/u;

/** Whether a path is a test by the conventions of common languages. */
export function isTestPath(path: string): boolean {
  if (isNever(path)) return false;
  return isTestName(path) || isInTestFolder(path);
}

/** At most 20 findings. Moving tests between files is fine, for all files are counted together. */
export function findWeakenedTests(
  files: readonly DiffFile[],
  untracked: readonly UntrackedText[],
): Finding[] {
  const views = [...files.map(viewOf), ...untracked.map(viewOfText)].filter(
    (view) => view.leftPath !== undefined || holdsTests(view.path),
  );
  const pool = new Set(views.flatMap((view) => view.added.filter(hasCode).map(keyOf)));
  const lost = new Set(views.filter((view) => isLost(view, pool)));
  // A deleted file is one finding and does not count once more with its tests.
  const rest = views.filter((view) => !lost.has(view));
  return [
    ...findFewer(rest, "test", countTests),
    ...findFewer(rest, "assertion", countAssertions),
    ...[...lost].map((view) => finding(view.leftPath ?? view.path, "test file deleted", view)),
    ...findSkips(rest),
  ].slice(0, FINDINGS_MAX);
}

function isNever(path: string): boolean {
  return NEVER_FOLDER.test(path) || NEVER_NAME.test(path);
}

function isTestName(path: string): boolean {
  const name = basename(path);
  return TEST_NAMES.some((pattern) => pattern.test(name));
}

function isInTestFolder(path: string): boolean {
  const folders = path.split("/").slice(0, -1);
  return folders.some((name) => TEST_FOLDER.test(name) || TEST_FOLDER_END.test(name));
}

/** Rust keeps its tests within the files they test. */
function holdsTests(path: string): boolean {
  return isTestPath(path) || (path.endsWith(".rs") && !isNever(path));
}

function viewOf(file: DiffFile): View {
  const oldPath = file.oldPath ?? file.path;
  const heldTests = holdsTests(oldPath);
  const holds = holdsTests(file.path);
  const { path, status } = file;
  return {
    path,
    status,
    leftPath: heldTests && !holds ? oldPath : undefined,
    // Only of a whole file is it known where a comment of several lines begins.
    removed: heldTests ? linesOf(file.removed, status === "deleted" ? "whole" : "parts") : [],
    added: holds ? linesOf(file.added, status === "added" ? "whole" : "parts") : [],
  };
}

function viewOfText({ path, text }: UntrackedText): View {
  const added = linesOf(text.slice(0, TEXT_MAX).split(/\r?\n/u), "whole");
  return { path, status: "added", leftPath: undefined, removed: [], added };
}

function linesOf(texts: readonly string[], extent: "whole" | "parts"): Line[] {
  let inComment = false;
  return texts.map((raw) => {
    const closed = inComment && raw.includes("*/");
    const code = inComment ? "" : codeOf(raw);
    if (closed) inComment = false;
    else if (extent === "whole" && COMMENT_START.test(code)) inComment = true;
    return { raw, code: isComment(code) ? "" : code };
  });
}

const COMMENT_START = /(?:^|\s)\/\*/u;
const STRINGS = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/gu;
// An attribute of Rust or PHP and a macro of Swift begin as a comment of Python does.
const COMMENT_LINE = /^\s*(?:\/\/|\/\*|\*(?:[\s/]|$)|#(?!\[|expect\(|require\()|--|<!--)/u;

function codeOf(raw: string): string {
  if (/^\s*(?:\/\/|\*(?:\s|$))/u.test(raw)) return "";
  return raw
    .slice(0, CODE_MAX)
    .replaceAll(STRINGS, (text) => text.charAt(0).repeat(2))
    .replaceAll(/\/\*.*?\*\//gu, " ")
    .replace(/(?:\s\/\/|\s#\s).*$/u, "");
}

function isComment(code: string): boolean {
  return COMMENT_LINE.test(code) || code.trim() === "";
}

const TESTS = union([
  /(?<![\w.$]|function |def )(?:Deno\.|QUnit\.)?[xf]?(?:it|test|specify)(?:\.(?:each|for|concurrent|sequential|serial|failing|fails|only|skipIf|runIf|if|prop|skip(?=\.)))*(?:\.(?:skip|fixme|fail|ignore)(?=\((?:["'`]|$)))?(?:<[^()]*>)?[(`]/u,
  /^\s*[xf]?(?:it|test|specify|scenario|example|property)\s+["'`].*(?:\bdo\b|\{)\s*(?:\|.*\|\s*)?$/u,
  /^\s*it\s*\{/u,
  /\bdef test\w*/u,
  /\bfunc (?:\([^)]*\) )?(?:Test|test|Fuzz)\w*\s*\(/u,
  /\bfunction test\w*\s*\(/u,
  /^\s*test\w*\s*\(\)\s*\{/u,
  /#\[(?:\w+::)*(?:test|rstest|test_case|quickcheck|wasm_bindgen_test|Test)\b/u,
  /@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b/u,
  /^\s*@test\s/u,
  /^\s*\[(?:Fact|Theory|Test|TestMethod|DataTestMethod|TestCase|InlineData|DataRow)\b/u,
  /^\s*(?:TEST|TEST_F|TEST_P|TYPED_TEST|TEST_CASE|BOOST_AUTO_TEST_CASE)\s*\(/u,
  /^\s*Scenario(?: Outline)?:/u,
]);
const ASSERTIONS = union([
  /(?<!function |def |fn |func |void )\bexpect\w*(?:\.(?:soft|poll|element))?(?:<[^()]*>)?(?:\(|\s\{)/u,
  /(?<!function |def |fn |func |void )\b\w*[Aa]ssert\w*!?(?:\.\w+)*(?:<[^()]*>)?\(/u,
  /^\s*(?:assert|refute)\w*!?\s+[^\s=]/u,
  /\brefute\w*\(/u,
  /\.\s*[Ss]hould\b/u,
  /(?<![\w.])should\.\w/u,
  /(?<!\bfun |\bfunc |\bdef |\bvoid |\bfunction )\bshould(?:Be|Not|Throw|Have|Contain|Equal|Match)\w*/u,
  /\bt\.(?:Errorf?|Fatalf?|Fail|FailNow)\(/u,
  /\brequire\.[A-Z]\w*\(/u,
  /\bt\.(?:is|not|deepEqual|notDeepEqual|like|true|false|truthy|falsy|throws|throwsAsync|notThrows|regex|snapshot|equals?|same|ok|notOk|strictEqual|match|rejects|fail)\(/u,
  /\b(?:XCTFail|pytest\.raises|pytest\.fail|self\.fail|is_expected)\b/u,
  /\b(?:EXPECT|ASSERT|CHECK|REQUIRE)(?:_\w+)?\(/u,
]);
const SHELL_ASSERTION = /^\s*(?:\[\[?\s|test\s)/u;
// They hold whatever the code does, so one of them must not stand in for an assertion.
const EMPTY_ASSERTION =
  /\bexpect\((true|1)\)\.to(?:Be|Equal|StrictEqual)\(\1\)|\bexpect\(true\)\.toBeTruthy\(\)|\bassert(?:True|\.ok|\.isTrue)?!?\(\s*[Tt]rue\s*\)|^\s*assert\s+[Tt]rue\s*$/gu;

function union(patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join("|"), "gu");
}

function matches(pattern: RegExp, code: string): number {
  return code === "" ? 0 : [...code.matchAll(pattern)].length;
}

function countTests({ code }: Line): number {
  return matches(TESTS, code);
}

function countAssertions({ code }: Line, place: Place): number {
  // An assertion in product code is no test.
  if (place === "inline") return 0;
  const shell = place === "shell" && SHELL_ASSERTION.test(code) ? 1 : 0;
  return shell + matches(ASSERTIONS, code.replaceAll(EMPTY_ASSERTION, ""));
}

function placeOf(view: View): Place {
  const path = view.leftPath ?? view.path;
  if (!isTestPath(path)) return "inline";
  return SHELL.test(path) ? "shell" : "test";
}

function sum(view: View, lines: readonly Line[], count: Counter): number {
  const place = placeOf(view);
  return lines.reduce((total, line) => total + count(line, place), 0);
}

function isLost(view: View, pool: ReadonlySet<string>): boolean {
  const path = view.leftPath ?? view.path;
  if (view.status !== "deleted" && view.leftPath === undefined) return false;
  if (!isTestPath(path) || reappears(view, pool)) return false;
  if (isTestName(path) && !HELPER.test(path)) return true;
  // A rename shows no line that stayed the same, so nothing is known of what the file held.
  if (view.leftPath !== undefined) return !HELPER.test(path);
  const held = sum(view, view.removed, countTests) + sum(view, view.removed, countAssertions);
  return held > 0 || (isPlainScript(path) && !HELPER.test(path));
}

/** A script of a language without words for tests is a test by its place alone. */
function isPlainScript(path: string): boolean {
  return SHELL.test(path) || extname(path) === "";
}

function reappears({ removed }: View, pool: ReadonlySet<string>): boolean {
  const telling = removed.filter((line) => hasCode(line) && /\w{2}/u.test(line.raw));
  const found = telling.filter((line) => pool.has(keyOf(line)));
  return found.length > telling.length / 2;
}

function findFewer(views: readonly View[], word: string, count: Counter): Finding[] {
  const losses = views.map((view) => ({
    view,
    loss: sum(view, view.removed, count) - sum(view, view.added, count),
  }));
  const total = losses.reduce((all, { loss }) => all + loss, 0);
  const losing = losses.filter(({ loss }) => loss > 0).map(({ view }) => view);
  const [first] = losing;
  if (total <= 0 || first === undefined) return [];
  // What only moved would hide from the reader what is gone.
  const kept = new Set(views.flatMap((view) => view.added.filter(hasCode).map(keyOf)));
  const lines = losing.flatMap((view) => {
    const place = placeOf(view);
    return view.removed.filter((line) => count(line, place) > 0 && !kept.has(keyOf(line)));
  });
  const what = `${total} ${word}${total === 1 ? "" : "s"} removed`;
  return [{ kind: "tests", path: first.path, what, lines: signed("-", lines) }];
}

function hasCode({ code }: Line): boolean {
  return code !== "";
}

/** The same for a line that was only indented in another way. */
function keyOf({ raw }: Line): string {
  return raw.trim().replaceAll(/\s+/gu, " ");
}

const SKIPS: readonly RegExp[] = [
  /(?<![\w$.])(?:it|test|describe|suite|context|specify|scenario|Deno\.test|QUnit\.test|QUnit\.module)(?:\.\w+)*\.(?:skip|skipIf|runIf(?=\(false\))|fixme|failing|fails|fail|ignore)\b/u,
  /(?<![\w$.])x(?:it|test|describe|context|specify|scenario|feature)(?:\.each)?\s*[("'`]/u,
  /\bpytest\.mark\.(?:skip|skipif|xfail)\b|\bpytest\.(?:skip|xfail)\(/u,
  /^\s*@(?:unittest\.)?(?:skip|skipIf|skipUnless|expectedFailure)\b|\bself\.skipTest\(|\bSkipTest\b|\b__test__ = False/u,
  /\b(?:t|b|ctx|context|this|T\(\))\.(?:[Ss]kip|Skipf|SkipNow)\(/u,
  /#\[ignore\b/u,
  /@(?:Disabled|Ignore)\w*/u,
  /^\s*\[(?:[^\]]*,\s*)?(?:Ignore|Explicit)\b|\bSkip\s*=\s*["@$]/u,
  /^\s*pending\s*[("'`]|^\s*skip\s*\(?\s*["'`]/u,
  /(?<![\w$.])(?:it|test|describe|suite|context|specify|scenario|Deno\.test)\b\(?\s*(["'`])\1\s*,\s*\{?[^(){}]*\b(?:skip|pending|ignore):\s*(?!false|undefined|nil)\S/u,
  /^\s*\{\s*skip:\s*true\s*\},?\s*$/u,
  /^\s*(?:it|describe|context|specify|scenario)\b.*,\s*:(?:skip|pending)\b|@(?:module|describe)?tag\s+:?(?:skip|pending)\b/u,
  /\bmarkTest(?:Skipped|Incomplete)\(|\}\)->(?:skip|todo)\(/u,
  /\bXCTSkip|@(?:Test|Suite)\(.*(?:\.disabled\(|\benabled\s*=\s*false)/u,
  /\bGTEST_SKIP\(|\bDISABLED_\w/u,
];
const ONLYS: readonly RegExp[] = [
  /(?<![\w$.])(?:it|test|describe|suite|context|specify|scenario|Deno\.test|QUnit\.test|QUnit\.module)(?:\.\w+)*\.only\b/u,
  /(?<![\w$.])f(?:it|describe|context|specify)(?:\.each)?\s*(?:\(\s*)?["'`]/u,
  /(?<![\w$.])(?:it|test|describe|suite|context|specify|scenario|Deno\.test)\b\(?\s*(["'`])\1\s*,\s*\{?[^(){}]*\b(?:only|focus):\s*(?!false|undefined|nil)\S/u,
  /^\s*\{\s*only:\s*true\s*\},?\s*$/u,
  /^\s*(?:it|describe|context|specify|scenario)\b.*,\s*:focus\b|\}\)->only\(/u,
];
const SHELL_SKIP = /^\s*skip(?:\s*$|\s+["'$])/u;
const CONDITIONAL = /\b(?:skip[iI]f|skipUnless)\((?!(?:[Tt]rue|1|False)\b)/u;
const TODO = /(?<![\w$.])(?:it|test)\.todo\(/u;
// Two added lines that follow each other and have what was there before between them.
const AROUND: readonly (readonly [RegExp, RegExp])[] = [
  [/^\/\*+$/u, /^\*+\/$/u],
  [/^"""$/u, /^"""$/u],
  [/^'''$/u, /^'''$/u],
  [/^=begin$/u, /^=end$/u],
  [/^#if 0$/u, /^#endif$/u],
];

function findSkips(views: readonly View[]): Finding[] {
  const removed = new Map<string, number>();
  for (const line of views.flatMap((view) => view.removed.filter(hasCode))) {
    const key = keyOfSkip(line);
    removed.set(key, (removed.get(key) ?? 0) + 1);
  }
  // A skip that is moved was among the removed lines, be it those of another file.
  const isNew = (line: Line): boolean => {
    const key = keyOfSkip(line);
    const left = removed.get(key) ?? 0;
    removed.set(key, left - 1);
    return left <= 0;
  };
  return views.flatMap((view) => {
    const added = view.added.filter((line) => isSkip(view, line) && isNew(line));
    const skips = withoutNewTests(view, added);
    const onlys = view.added.filter((line) => isAny(ONLYS, line) && isNew(line));
    const what = skips.length === 1 ? "a test is skipped" : `${skips.length} tests are skipped`;
    return [
      ...sign(view.path, what, skips),
      ...sign(view.path, "only some tests run", onlys),
      ...sign(view.path, "tests are commented out", linesAround(view)),
    ];
  });
}

/** A new test may leave out the machines it cannot run on: as many such lines are fine as there are new tests. */
function withoutNewTests(view: View, skips: readonly Line[]): Line[] {
  let gained = sum(view, view.added, countTests) - sum(view, view.removed, countTests);
  return skips.filter(({ code }) => {
    if (gained <= 0 || !CONDITIONAL.test(code)) return true;
    gained -= 1;
    return false;
  });
}

function isSkip(view: View, line: Line): boolean {
  if (SHELL.test(view.path) && SHELL_SKIP.test(line.code)) return true;
  // A test that is only planned takes nothing away, unless it took the place of one.
  if (TODO.test(line.code)) {
    return sum(view, view.removed, countTests) > sum(view, view.added, countTests);
  }
  return isAny(SKIPS, line);
}

function isAny(patterns: readonly RegExp[], { code }: Line): boolean {
  return code !== "" && patterns.some((pattern) => pattern.test(code));
}

/** The words of the line with its title, so that another change within the line makes no other skip of it. */
function keyOfSkip(line: Line): string {
  const title = line.raw.match(STRINGS)?.[0];
  const found = [TODO, ...SKIPS, ...ONLYS].map((pattern) => pattern.exec(line.code)?.[0]);
  const words = found.find((text) => text !== undefined);
  return words === undefined || title === undefined ? keyOf(line) : `${words} ${title}`;
}

function linesAround(view: View): Line[] {
  if (view.status === "added" || view.status === "deleted") return [];
  return view.added.filter((line, index) => {
    const next = view.added[index + 1]?.raw.trim();
    const text = line.raw.trim();
    return (
      next !== undefined && AROUND.some(([open, close]) => open.test(text) && close.test(next))
    );
  });
}

function sign(path: string, what: string, added: readonly Line[]): Finding[] {
  return added.length === 0 ? [] : [{ kind: "tests", path, what, lines: signed("+", added) }];
}

function finding(path: string, what: string, view: View): Finding {
  return { kind: "tests", path, what, lines: signed("-", view.removed) };
}

function signed(mark: "-" | "+", lines: readonly Line[]): string[] {
  return lines
    .filter(({ raw }) => raw.trim() !== "")
    .slice(0, LINES_MAX)
    .map(({ raw }) => mark + printableLine(raw, LINE_MAX - 1));
}
