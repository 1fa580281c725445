// The runner's own time for one iteration, counted in `git status` of the same repository, and its git processes.
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { spawnSync } from "node:child_process";
import { interleave, timeRun } from "./measure.mjs";
import { bareLoop, BUSY_AGENT, Project } from "./project.mjs";

/** A row takes about as long as the few iterations that it is compared with. */
const STATUS_COUNT = 20;
const STATUS_ROWS = 3;

/** Started the way a Node program has to start it: asynchronously, with pipes, one after the other. */
const STATUS_IN_NODE = `
const { spawn } = require("node:child_process");
const status = () => new Promise((resolve) => {
  const child = spawn("git", ["status", "--porcelain=v2", "--branch", "-z"], { detached: true, stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.on("data", () => {});
  child.once("close", resolve);
});
(async () => {
  let least = Infinity;
  for (let row = 0; row < ${STATUS_ROWS}; row++) {
    const startedNs = process.hrtime.bigint();
    for (let i = 0; i < ${STATUS_COUNT}; i++) await status();
    least = Math.min(least, Number(process.hrtime.bigint() - startedNs) / 1e6 / ${STATUS_COUNT});
  }
  process.stdout.write(String(least));
})();
`;
const STATUS_IN_SH = `i=0; while [ $i -lt ${STATUS_COUNT} ]; do git status --porcelain=v2 --branch -z > /dev/null; i=$((i+1)); done`;

export function measureIteration(bench) {
  const idle = new Project(bench, "idle", { stories: 60 });
  const busy = new Project(bench, "busy", { stories: 100, agent: BUSY_AGENT });
  const least = interleave(
    {
      node: () => statusInNode(idle),
      sh: () => statusInSh(bench, idle),
      idleLoop: () => bareLoop(idle),
      idle: () => idle.timeIteration(60),
      busyLoop: () => bareLoop(busy),
      busy: () => busy.timeIteration(40),
    },
    bench.quick ? 3 : 8,
  );
  const units = { node: least.node, sh: least.sh };
  const own = least.idle - least.idleLoop;
  const text = "iteration: git status";
  bench.row({ what: `${text}, started by Node (the unit)`, measured: units.node, unit: "ms" });
  bench.row({ what: `${text}, in a shell loop`, measured: units.sh, unit: "ms" });
  bench.row({
    what: "iteration: own time, nothing changed",
    measured: own,
    unit: "ms",
    ratio: own / units.node,
    budget: 4,
  });
  bench.row({
    what: "iteration: the same in shell units",
    measured: own,
    unit: "ms",
    ratio: own / units.sh,
  });
  bench.row({
    what: "iteration: whole, against a bare sh loop",
    measured: least.idle,
    unit: "ms",
    ratio: least.idle / least.idleLoop,
  });
  bench.row({
    what: "iteration: own time, story accepted and committed",
    measured: least.busy - least.busyLoop,
    unit: "ms",
    ratio: (least.busy - least.busyLoop) / units.node,
  });
  bench.row({
    what: "iteration: the same whole, against a bare sh loop",
    measured: least.busy,
    unit: "ms",
    ratio: least.busy / least.busyLoop,
  });
}

export function countGit(bench) {
  const idle = countPerIteration(bench, new Project(bench, "count-idle"));
  const busy = countPerIteration(
    bench,
    new Project(bench, "count-busy", { stories: 40, agent: BUSY_AGENT }),
  );
  bench.row({
    what: `git processes, nothing changed (${idle.names})`,
    measured: idle.count,
    unit: "",
    ratio: idle.count,
    budget: 2,
  });
  bench.row({
    what: `git processes, story accepted (${busy.names})`,
    measured: busy.count,
    unit: "",
  });
}

/** Counts by a `git` that comes first on the path, writes down its first argument and becomes the real one. */
function countPerIteration(bench, project) {
  const folder = join(bench.scratch, "counting");
  const log = join(folder, "calls");
  mkdirSync(folder, { recursive: true });
  const real = spawnSync("sh", ["-c", "command -v git"], { env: bench.env, encoding: "utf8" });
  const wrapper = join(folder, "git");
  writeFileSync(wrapper, `#!/bin/sh\necho "$1" >> ${log}\nexec ${real.stdout.trim()} "$@"\n`);
  chmodSync(wrapper, 0o755);
  const env = { ...bench.env, PATH: [folder, bench.env.PATH].join(delimiter) };
  const [low, high] = [5, 25].map((count) => {
    project.runIterations(count, env);
    const calls = readFileSync(log, "utf8").trim().split("\n");
    rmSync(log);
    return calls;
  });
  const more = new Map();
  for (const name of high) more.set(name, (more.get(name) ?? 0) + 1 / 20);
  for (const name of low) more.set(name, (more.get(name) ?? 0) - 1 / 20);
  const names = [...more].filter(([, count]) => Math.abs(count) > 0.01);
  return {
    count: (high.length - low.length) / 20,
    names: names.map(([name, count]) => `${Number(count.toFixed(2))} ${name}`).join(", "),
  };
}

function statusInNode(project) {
  const { env } = project.bench;
  const said = spawnSync(process.execPath, ["-e", STATUS_IN_NODE], {
    cwd: project.root,
    env: { ...env, GIT_OPTIONAL_LOCKS: "0" },
    encoding: "utf8",
  });
  const ms = Number(said.stdout);
  if (!(ms > 0)) throw new Error(`git status cannot be timed: ${said.stderr}`);
  return ms;
}

function statusInSh(bench, project) {
  const env = { ...bench.env, GIT_OPTIONAL_LOCKS: "0" };
  return timeRun(["/bin/sh", "-c", STATUS_IN_SH], { cwd: project.root, env }) / STATUS_COUNT;
}
