// Times processes. Ratios are of minima of interleaved runs: on a busy machine the minimum is what disturbs least.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Runs a program to its end and returns the wall time in milliseconds; an unexpected exit code is an error. */
export function timeRun(argv, { cwd, env, exitCodes = [0] }) {
  const [file, ...args] = argv;
  const startedMs = performance.now();
  const done = spawnSync(file, args, { cwd, env, stdio: ["ignore", "ignore", "pipe"] });
  const ms = performance.now() - startedMs;
  if (done.error !== undefined) throw done.error;
  if (!exitCodes.includes(done.status)) {
    throw new Error(`${argv.join(" ")} ended with ${done.status}: ${done.stderr.toString()}`);
  }
  return ms;
}

/** The smallest result of each sample; the samples take turns, so that noise hits all of them alike. */
export function interleave(samples, rounds) {
  const least = Object.fromEntries(Object.keys(samples).map((name) => [name, Infinity]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, sample] of Object.entries(samples)) {
      least[name] = Math.min(least[name], sample());
    }
  }
  return least;
}

const POLL_MS = 20;

/** Runs a program and tells its wall time and the most memory that this one process ever had, in bytes. */
export function watchRun(argv, { cwd, env, exitCodes = [0] }) {
  const [file, ...args] = argv;
  return new Promise((resolve, reject) => {
    const startedMs = performance.now();
    const child = spawn(file, args, { cwd, env, stdio: ["ignore", "ignore", "pipe"] });
    let peakBytes = 0;
    let said = "";
    const look = () => {
      peakBytes = Math.max(peakBytes, peakMemory(child.pid));
    };
    const timer = setInterval(look, POLL_MS);
    child.stderr.on("data", (chunk) => {
      said = (said + chunk).slice(-2000);
    });
    child.once("error", reject);
    child.once("close", (code) => {
      clearInterval(timer);
      const ms = performance.now() - startedMs;
      if (exitCodes.includes(code)) resolve({ ms, peakBytes });
      else reject(new Error(`${argv.join(" ")} ended with ${code}: ${said}`));
    });
  });
}

/** The kernel keeps the high-water mark itself; polling only has to be in time before the process ends. */
function peakMemory(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
