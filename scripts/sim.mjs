// Runs the simulation: `npm run sim -- --seed N` repeats one run and prints all that happened in it,
// `npm run sim -- --from A --count N [--jobs 2]` runs many and counts what they came across.
import { fork } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const USAGE = "usage: npm run sim -- --seed N | --from A --count N [--jobs J]\n";
const PROGRESS_MS = 5_000;
const BATCH = 200;
const SHOWN_FAILURES = 10;

if (process.send !== undefined && process.argv[2] === "--worker") await work(process.argv[3]);
else await main();

async function main() {
  const options = readOptions();
  if (options === undefined) {
    process.stderr.write(USAGE);
    process.exitCode = 64;
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "ralph-sim-"));
  try {
    const bundle = await bundleInto(folder);
    const ok =
      options.seed === undefined
        ? await runMany(bundle, options)
        : await runOne(bundle, options.seed);
    process.exitCode = ok ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readOptions() {
  const text = { type: "string" };
  try {
    const { values } = parseArgs({ options: { seed: text, from: text, count: text, jobs: text } });
    const numbers = Object.entries(values).map(([name, value]) => [name, Number(value)]);
    if (numbers.some(([, value]) => !Number.isSafeInteger(value) || value < 0)) return undefined;
    const { seed, from = 1, count = 1000, jobs = 1 } = Object.fromEntries(numbers);
    return { seed, from, count, jobs: Math.max(1, jobs) };
  } catch {
    return undefined;
  }
}

async function bundleInto(folder) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const outfile = join(folder, "sim.mjs");
  const { build } = await import("esbuild");
  await build({
    entryPoints: [join(root, "test/sim/main.ts")],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20.19",
    format: "esm",
    logLevel: "warning",
    mainFields: ["module", "main"],
    banner: {
      js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
    },
    define: { __RALPH_VERSION__: JSON.stringify(version) },
  });
  return pathToFileURL(outfile).href;
}

async function runOne(bundle, seed) {
  const { showSeed } = await import(bundle);
  const { lines, ok } = await showSeed(seed);
  process.stdout.write(`${lines.join("\n")}\n`);
  return ok;
}

async function runMany(bundle, { from, count, jobs }) {
  const { joinTally, newTally } = await import(bundle);
  const tally = newTally();
  const startedMs = performance.now();
  let next = from;
  const timer = setInterval(() => printProgress(tally, count, startedMs), PROGRESS_MS);
  let shown = 0;
  const takeBatch = () => {
    if (next >= from + count) return undefined;
    const batch = { from: next, count: Math.min(BATCH, from + count - next) };
    next += batch.count;
    return batch;
  };
  const onDone = ({ tally: part, failures }) => {
    joinTally(tally, part);
    for (const failure of failures) {
      if (shown++ < SHOWN_FAILURES) process.stdout.write(`${failure}\n`);
    }
  };
  await Promise.all(Array.from({ length: jobs }, () => runWorker(bundle, takeBatch, onDone)));
  clearInterval(timer);
  printProgress(tally, count, startedMs);
  process.stdout.write(`${JSON.stringify(tally, undefined, 2)}\n`);
  return tally.failed === 0;
}

function runWorker(bundle, takeBatch, onDone) {
  return new Promise((resolve, reject) => {
    const worker = fork(fileURLToPath(import.meta.url), ["--worker", bundle]);
    const give = () => {
      const batch = takeBatch();
      if (batch !== undefined) return worker.send(batch);
      worker.disconnect();
      return resolve();
    };
    worker.on("error", reject);
    worker.on("exit", (code) => {
      if (code !== 0) reject(new Error(`a worker ended with ${code}`));
    });
    worker.on("message", (done) => {
      if (done !== "ready") onDone(done);
      give();
    });
  });
}

async function work(bundle) {
  const { runSeeds, renderViolations } = await import(bundle);
  process.on("message", async ({ from, count }) => {
    const failures = [];
    const tally = await runSeeds(from, count, ({ seed, violations }) => {
      if (violations.length > 0) failures.push(renderViolations(seed, violations));
    });
    process.send({ tally, failures });
  });
  process.send("ready");
}

function printProgress(tally, count, startedMs) {
  const seconds = (performance.now() - startedMs) / 1000;
  const rate = Math.round(tally.runs / seconds);
  process.stdout.write(
    `${tally.runs} of ${count} seeds, each twice, ${tally.failed} failed, ${Math.round(seconds)} s, ${rate} seeds/s\n`,
  );
}
