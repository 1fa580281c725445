// Everything that must hold before a change goes in, cheapest first, in a clean environment.
// `npm run verify` runs all stages; `npm run verify -- lint unit` only the named ones.
import { spawn, spawnSync } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * A stage runs a package.json script (`script`) or a command line (`command`). `needs` names programs it cannot
 * do without and the Debian package that brings each.
 */
const STAGES = [
  { name: "format", script: "format:check" },
  { name: "lint", script: "lint" },
  { name: "types", script: "typecheck" },
  { name: "build", script: "build", stopsAll: true },
  { name: "unit", script: "test:unit" },
  { name: "sim", script: "test:sim" },
  { name: "e2e", script: "test:e2e", needs: [{ program: "git", debianPackage: "git" }] },
  {
    name: "adversary",
    script: "test:adversary",
    needs: [{ program: "git", debianPackage: "git" }],
  },
  { name: "crash", command: "node scripts/crash.mjs --kills 12" },
  { name: "knip", script: "knip" },
  { name: "engines", script: "check:engines" },
  { name: "package", script: "check:package" },
];
const STAGE_TIMEOUT_MS = 20 * 60 * 1000;
const LAST_LINES = 80;
const REGISTRY_SETTINGS = /^npm_config_(registry|proxy|https_proxy|noproxy|cafile|strict_ssl)$/i;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.chdir(root);
const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
const inCi = process.env.CI === "true";
const scratch = mkdtempSync(join(tmpdir(), "ralph-verify-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true, maxRetries: 3 }));
const env = cleanEnvironment();
let running;
/** Tests that passed only on their second try, as the test runner tells them. */
const secondTries = [];
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    if (running) killGroup(running, "SIGKILL");
    process.exit(130);
  });
}

await main();

async function main() {
  const wanted = process.argv.slice(2);
  const unknown = wanted.filter((name) => !STAGES.some((stage) => stage.name === name));
  if (unknown.length > 0) {
    const known = STAGES.map((stage) => stage.name).join(" ");
    process.stderr.write(`no stage called ${unknown.join(", ")}; there are: ${known}\n`);
    process.exit(2);
  }
  const rows = [];
  const failures = [];
  let stoppedBy;
  for (const stage of STAGES) {
    const startedMs = performance.now();
    const isSkipped =
      stoppedBy !== undefined || (wanted.length > 0 && !wanted.includes(stage.name));
    const { result, lastLines } = isSkipped ? { result: "skipped" } : await runStage(stage);
    if (result === "failed" && stage.stopsAll) stoppedBy = stage.name;
    if (result === "failed" && lastLines) failures.push({ stage: stage.name, lastLines });
    rows.push({ stage: stage.name, result, seconds: (performance.now() - startedMs) / 1000 });
  }
  if (secondTries.length > 0)
    process.stdout.write(`\npassed only on a second try:\n${secondTries.join("\n")}\n`);
  for (const { stage, lastLines } of failures) {
    process.stdout.write(`\n=== ${stage} failed; its last lines again:\n${lastLines}\n`);
  }
  if (stoppedBy !== undefined) process.stdout.write(`\nstopped: ${stoppedBy} failed\n`);
  printSummary(rows);
}

/** Must not throw: whatever goes wrong is the result of this stage only. */
async function runStage(stage) {
  const commandLine = stage.command ?? scripts[stage.script];
  process.stdout.write(`\n=== ${stage.name}: ${commandLine}\n`);
  const missing = (stage.needs ?? []).filter((need) => !canHave(need));
  if (missing.length > 0) {
    for (const need of missing) printLeftOut(stage, need);
    return { result: inCi ? "failed" : "LEFT OUT" };
  }
  const file = /^node (\S+)/.exec(commandLine)?.[1];
  if (file !== undefined && !existsSync(file)) {
    process.stdout.write(`${file} does not exist\n`);
    return { result: "failed" };
  }
  const { code, lastLines } = await runCommand(commandLine);
  return code === 0 ? { result: "passed" } : { result: "failed", lastLines };
}

/**
 * Runs one command line in a process group of its own, so that nothing outlives its stage. Its last lines are kept:
 * what failed early in a long log must be found at its end.
 */
function runCommand(commandLine) {
  return new Promise((resolve) => {
    const child = spawn("sh", ["-c", commandLine], {
      env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    running = child;
    let lastLines = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        process.stdout.write(chunk);
        secondTries.push(...(String(chunk).match(/^SECOND TRY: .*$/gmu) ?? []));
        lastLines = `${lastLines}${chunk}`.split("\n").slice(-LAST_LINES).join("\n");
      });
    }
    const limit = setTimeout(() => {
      process.stdout.write(`killed after ${STAGE_TIMEOUT_MS / 1000} s\n`);
      killGroup(child, "SIGKILL");
    }, STAGE_TIMEOUT_MS);
    const end = (code) => {
      clearTimeout(limit);
      killGroup(child, "SIGKILL");
      running = undefined;
      resolve({ code, lastLines });
    };
    child.on("error", (error) => {
      process.stdout.write(`${error.message}\n`);
      end(1);
    });
    child.on("exit", () => killGroup(child, "SIGKILL"));
    child.on("close", (code) => end(code ?? 1));
  });
}

function killGroup(child, signal) {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // The group has already gone.
  }
}

/**
 * Only what a fresh machine would have. Left out on purpose: NODE_OPTIONS and NODE_EXTRA_CA_CERTS (they change
 * and slow every Node start), GIT_* (a hook sets them), and whatever an agent session puts around us.
 */
function cleanEnvironment() {
  const home = join(scratch, "home");
  const temporary = join(scratch, "tmp");
  mkdirSync(home);
  mkdirSync(temporary);
  const kept = Object.entries(process.env).filter(
    ([name]) => name === "CI" || REGISTRY_SETTINGS.test(name),
  );
  return {
    ...Object.fromEntries(kept),
    PATH: [join(root, "node_modules", ".bin"), process.env.PATH ?? "/usr/bin:/bin"].join(delimiter),
    HOME: home,
    TMPDIR: temporary,
    LANG: "C.UTF-8",
  };
}

/** Whether the program is there, after trying to install it where we may. */
function canHave(need) {
  if (isOnPath(need.program)) return true;
  if (process.getuid?.() !== 0 || !existsSync("/etc/debian_version")) return false;
  process.stdout.write(`${need.program} is missing: installing Debian's ${need.debianPackage}\n`);
  const install = () =>
    spawnSync("apt-get", ["install", "-y", need.debianPackage], {
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
      timeout: 5 * 60 * 1000,
    }).status === 0;
  if (!install()) {
    spawnSync("apt-get", ["update"], { stdio: "inherit", timeout: 5 * 60 * 1000 });
    install();
  }
  return isOnPath(need.program);
}

function isOnPath(program) {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function printLeftOut(stage, need) {
  const lines = [
    `LEFT OUT: ${stage.name}`,
    `It needs ${need.program}, which is not here and could not be installed.`,
    `Install it (Debian: apt-get install -y ${need.debianPackage}) and run verify again.`,
    ...(inCi ? ["CI=true: this counts as failed."] : []),
  ];
  const width = Math.max(...lines.map((line) => line.length));
  const bar = "!".repeat(width + 6);
  const body = lines.map((line) => `!! ${line.padEnd(width)} !!`);
  process.stdout.write(`${[bar, ...body, bar].join("\n")}\n`);
}

function printSummary(rows) {
  const ran = (result) => result === "passed" || result === "failed";
  const line = (a, b, c) => `${a.padEnd(10)}${b.padEnd(10)}${c.padStart(8)}`;
  process.stdout.write(`\n${line("stage", "result", "seconds")}\n`);
  for (const { stage, result, seconds } of rows) {
    process.stdout.write(`${line(stage, result, ran(result) ? seconds.toFixed(1) : "-")}\n`);
  }
  const count = (result) => rows.filter((row) => row.result === result).length;
  const skipped = count("skipped") + count("LEFT OUT");
  const tail = skipped === 0 ? "" : `, ${skipped} skipped`;
  process.stdout.write(`\n${count("passed")} passed, ${count("failed")} failed${tail}\n`);
  process.exitCode = count("failed") === 0 ? 0 : 1;
}
