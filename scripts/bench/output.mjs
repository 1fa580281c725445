// An agent that prints a gigabyte: how fast it goes through, how much memory that takes, and whether a byte is lost.
import { createHash } from "node:crypto";
import { createReadStream, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { watchRun } from "./measure.mjs";
import { Project } from "./project.mjs";

const MIB = 1024 * 1024;
const MEMORY_MAX = 150;
/** Text has to pass at a third of the speed of Node's own pipes, at least. */
const SLOWER_MAX = 3;
const USED_UP = 1;

const COUNT_IN_NODE = `
const { spawn } = require("node:child_process");
const child = spawn(process.argv[1], [], { stdio: ["ignore", "pipe", "pipe"] });
let bytes = 0;
child.stdout.on("data", (chunk) => { bytes += chunk.length; });
child.once("close", () => process.exit(bytes === Number(process.argv[2]) ? 0 : 9));
`;

export async function measureOutput(bench) {
  const blocks = bench.quick ? 16 : 128;
  await measureKind(bench, { name: "text", blocks, block: fill(textLine), output: "text" });
  await measureKind(bench, { name: "json", blocks, block: fill(jsonLine), output: "claude" });
}

async function measureKind(bench, { name, blocks, block, output }) {
  const file = join(bench.scratch, `${name}-block`);
  writeFileSync(file, block);
  const printing = (count) =>
    `#!/bin/sh\ni=0; while [ $i -lt ${count} ]; do cat ${file}; i=$((i+1)); done\n`;
  const full = new Project(bench, `print-${name}`, { agent: printing(blocks), output });
  const empty = new Project(bench, `print-${name}-nothing`, { agent: printing(0), output });
  const bytes = blocks * block.length;
  const least = { raw: Infinity, full: Infinity, empty: Infinity, node: Infinity };
  let peakBytes = 0;
  let isExact = true;
  for (let round = 0; round < (bench.quick ? 2 : 3); round++) {
    const raw = (project, size) =>
      watchRun([process.execPath, "-e", COUNT_IN_NODE, project.agent, String(size)], {
        cwd: project.root,
        env: bench.env,
      });
    least.raw = Math.min(least.raw, (await raw(full, bytes)).ms);
    least.node = Math.min(least.node, (await raw(empty, 0)).ms);
    least.empty = Math.min(least.empty, (await run(bench, empty)).ms);
    const ran = await run(bench, full);
    least.full = Math.min(least.full, ran.ms);
    peakBytes = Math.max(peakBytes, ran.peakBytes);
    isExact &&= await isSameOutput(full, block, blocks);
    // Before the kernel has begun to write it to the disk.
    rmSync(full.record, { recursive: true, force: true });
  }
  const size = `${Math.round(bytes / MIB)} MB of ${name}`;
  const speed = (ms) => bytes / MIB / (ms / 1000);
  const [rawSpeed, ownSpeed] = [speed(least.raw - least.node), speed(least.full - least.empty)];
  bench.row({ what: `output: ${size}, raw through Node`, measured: rawSpeed, unit: "MB/s" });
  bench.row({
    what: `output: ${size}, through ralph (times slower)`,
    measured: ownSpeed,
    unit: "MB/s",
    ratio: rawSpeed / ownSpeed,
    ...(name === "text" ? { budget: SLOWER_MAX } : {}),
  });
  const megabytes = peakBytes / 1_000_000;
  bench.row({
    what: `output: ${size}, peak memory of ralph`,
    measured: megabytes,
    unit: "MB",
    ratio: megabytes,
    budget: MEMORY_MAX,
  });
  const wrong = isExact ? 0 : 1;
  bench.row({
    what: `output: ${size}, logs that differ by a byte`,
    measured: wrong,
    unit: "",
    ratio: wrong,
    budget: 0,
  });
}

function run(bench, project) {
  project.reset();
  const argv = [...bench.ralph, "run", "--max-iterations", "1"];
  return watchRun(argv, { cwd: project.root, env: bench.env, exitCodes: [USED_UP] });
}

async function isSameOutput(project, block, blocks) {
  const file = join(project.runFolder(), "iterations", "1-1", "stdout.raw");
  if (statSync(file).size !== block.length * blocks) return false;
  const wanted = createHash("sha256");
  for (let i = 0; i < blocks; i++) wanted.update(block);
  const found = createHash("sha256");
  await pipeline(createReadStream(file, { highWaterMark: MIB }), found);
  return found.digest("hex") === wanted.digest("hex");
}

/** Eight mebibytes of whole lines, the last one filled up. */
function fill(line) {
  const lines = [];
  let size = 0;
  for (let n = 0; size < 8 * MIB; n++) {
    lines.push(line(n));
    size += lines.at(-1).length;
  }
  return Buffer.from(lines.join(""));
}

function textLine(n) {
  return `${String(n).padStart(8, "0")} compiled src/part/file.ts and ran its tests, all of which passed as before\n`;
}

/** What a coding agent streams: its own words, tools and their results, mostly the latter. */
function jsonLine(n) {
  const session = "00000000-0000-4000-8000-000000000000";
  const usage = { input_tokens: 10 + n, output_tokens: 20, cache_read_input_tokens: 30_000 };
  const text = { type: "text", text: `Step ${n}: I look at the next file and change it.` };
  const input = { command: `sed -n ${n},${n + 50}p src/file.ts` };
  const tool = { type: "tool_use", id: `toolu_${n}`, name: "Bash", input };
  const content = n % 2 === 0 ? [text, tool] : [];
  const said = { type: "message", role: "assistant", content, usage };
  if (n % 2 === 0) {
    const event = { type: "assistant", message: said, parent_tool_use_id: null };
    return `${JSON.stringify({ ...event, session_id: session })}\n`;
  }
  const output = `${n} export const value = compute("some text", 42);\n`.repeat(40);
  const result = { type: "tool_result", tool_use_id: `toolu_${n - 1}`, content: output };
  const message = { role: "user", content: [result] };
  return `${JSON.stringify({ type: "user", message, session_id: session })}\n`;
}
