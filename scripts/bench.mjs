// Measures the program's own cost against things everybody has: a Node that does nothing, one `git status`, a bare
// shell loop. `npm run bench -- [--quick] [--only NAME] [--json FILE]`; exit 1 when something is over its budget.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { measureGrowth } from "./bench/growth.mjs";
import { countGit, measureIteration } from "./bench/iteration.mjs";
import { measureOutput } from "./bench/output.mjs";
import { measureStart } from "./bench/start.mjs";

const PARTS = {
  start: measureStart,
  iteration: measureIteration,
  git: countGit,
  growth: measureGrowth,
  output: measureOutput,
};

const HEADING = {
  what: "what",
  measured: "measured",
  unit: "",
  ratio: "ratio",
  budget: "budget",
  verdict: "",
};

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [] },
    json: { type: "string", default: join(root, ".bench", "bench.json") },
  },
});
const unknown = values.only.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) {
  const known = Object.keys(PARTS).join(" ");
  process.stderr.write(`no part called ${unknown.join(", ")}; there are: ${known}\n`);
  process.exit(2);
}
execFileSync(process.execPath, [join(root, "scripts", "build.mjs")], { stdio: "inherit" });
const scratch = mkdtempSync(join(tmpdir(), "ralph-bench-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true, maxRetries: 3 }));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(130));

await main();

async function main() {
  const rows = [];
  const bench = {
    quick: values.quick,
    scratch,
    env: cleanEnvironment(),
    ralph: [process.execPath, copyProgram()],
    row: (row) => {
      rows.push({ ...row, verdict: verdictOf(row) });
      process.stderr.write(`${render(rows.at(-1))}\n`);
    },
  };
  const loadBefore = loadavg();
  for (const [name, measure] of Object.entries(PARTS)) {
    if (values.only.length === 0 || values.only.includes(name)) await measure(bench);
  }
  const machine = describeMachine(loadBefore);
  process.stdout.write(`\n${render(HEADING)}\n${rows.map(render).join("\n")}\n\n`);
  process.stdout.write(
    `node ${machine.node}, git ${machine.git}, ${machine.cores} cores, load ${machine.loadBefore} before and ${machine.loadAfter} after\n`,
  );
  if (loadBefore[0] > cpus().length / 2) {
    process.stdout.write("the machine was busy: figures near their budget are not to be trusted\n");
  }
  const file = resolve(values.json);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ quick: values.quick, machine, rows }, null, 2)}\n`);
  const over = rows.filter(({ verdict }) => verdict === "OVER").length;
  process.stdout.write(`${over} over budget; written to ${file}\n`);
  process.exitCode = over === 0 ? 0 : 1;
}

/** A copy, so that a build meanwhile does not change what is being measured. */
function copyProgram() {
  for (const name of ["dist", "templates"]) {
    cpSync(join(root, name), join(scratch, "ralph", name), { recursive: true });
  }
  cpSync(join(root, "package.json"), join(scratch, "ralph", "package.json"));
  return join(scratch, "ralph", "dist", "cli.js");
}

/** Nothing that changes or slows the start of Node or of git: no NODE_OPTIONS, no certificates, no settings. */
function cleanEnvironment() {
  const home = join(scratch, "home");
  mkdirSync(home);
  const folders = (process.env.PATH ?? "/usr/bin:/bin").split(delimiter);
  const PATH = folders.filter((folder) => !folder.includes("node_modules")).join(delimiter);
  return { PATH, HOME: home, LANG: "C.UTF-8" };
}

function verdictOf({ ratio, budget }) {
  if (budget === undefined) return "-";
  return ratio <= budget ? "ok" : "OVER";
}

function render({ what, measured, unit, ratio, budget, verdict }) {
  const figure = [number(measured), unit].filter((part) => part !== "").join(" ");
  return `${what.padEnd(66)}${figure.padStart(12)}${number(ratio).padStart(9)}${number(budget).padStart(9)}  ${verdict}`;
}

function number(value) {
  if (typeof value !== "number") return value ?? "";
  return String(Number(value.toFixed(Math.abs(value) >= 100 ? 0 : 2)));
}

function describeMachine(loadBefore) {
  const load = (figures) => figures.map((figure) => figure.toFixed(2)).join(" ");
  const git = execFileSync("git", ["--version"], { encoding: "utf8" }).trim();
  return {
    node: process.version,
    git: git.replace("git version ", ""),
    cores: cpus().length,
    cpu: cpus()[0]?.model ?? "unknown",
    program: JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version,
    loadBefore: load(loadBefore),
    loadAfter: load(loadavg()),
  };
}
