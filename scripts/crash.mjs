// kill -9 at the worst moments, again and again: `node scripts/crash.mjs [--kills 200] [--stories 20] [--seed N]`.
// A loop over stories in a throw-away repository is killed and started again until all kills are used up, then runs to
// its end. What must hold is read from the files, git and /proc, never from what ralph says. The product has no hook
// for this: the killing is done by the agent, by a gate, by git's hooks and by a watcher from outside.
import { mkdirSync, statSync, watch } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { check, CrashProject, readOr, START_MS_MAX, Violation } from "./crash/crash-project.mjs";

const options = parseArgs({
  options: {
    kills: { type: "string", default: "200" },
    stories: { type: "string", default: "20" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
}).values;
const killsWanted = Number(options.kills);
const storyCount = Number(options.stories);
const seed = Number(options.seed);
const random = randomFrom(seed);

const SPIN_MS_MAX = 3_000;

/**
 * Each moment gets the project and the process, and brings about one kill -9 of it, or none when the run is over first.
 * `needs` says when a moment can come at all: `run` when there is a run to go on with.
 */
const MOMENTS = {
  "at a random time": { kill: atRandomTime },
  "after an append to the log": { kill: afterAppend, needs: "run" },
  "state.json just renamed": {
    kill: (p, r) => whenRenamed(r, p.newestRun(), "state.json", 1),
    needs: "run",
  },
  "prd.json just renamed": { kill: (p, r) => whenRenamed(r, p.feature, "prd.json", 3) },
  "progress.txt just written": { kill: whenRemembered },
  "pre-commit hook kills": { kill: (p) => p.arm("pre-commit-kill") },
  "kill while pre-commit sleeps": { kill: (p, r) => whenAsleep(p, r) },
  "post-commit hook kills": { kill: (p) => p.arm("post-commit-kill") },
  "a gate kills": { kill: (p) => p.arm("gate-kill") },
  "the agent kills": { kill: (p) => p.arm("agent-kill") },
  "agent kills after its mark": { kill: (p) => p.arm("agent-kill-late") },
  "lock taken, no event yet": { kill: whenLocked },
  "during recovery": { kill: duringRecovery, needs: "run" },
};

const tally = new Map(Object.keys(MOMENTS).map((name) => [name, { tried: 0, hit: 0 }]));
const found = {
  lockBeforeEvent: 0,
  finished: 0,
  starts: 0,
  interrupted: 0,
  abandoned: 0,
  afterEnd: 0,
  kills: 0,
};
let project;
let deck = [];
const startedAt = performance.now();

await main();

async function main() {
  try {
    while (found.kills < killsWanted) await crashOneProject();
  } catch (error) {
    report();
    const where = project === undefined ? "" : `; the project is kept in ${project.base}`;
    process.stdout.write(`\nVIOLATION: ${error.message}\n(seed ${seed}${where})\n`);
    if (!(error instanceof Violation)) process.stdout.write(`${error.stack}\n`);
    project?.killAll();
    process.exit(1);
  }
  report();
}

/** Kills one loop again and again, then lets it finish and checks the whole. */
async function crashOneProject() {
  project = new CrashProject(storyCount, random);
  for (let ended = false; !ended;) {
    const moment = found.kills < killsWanted ? nextMoment() : undefined;
    ended = (await startOnce(moment)) === "ended";
    project.checkAfterKill();
    if (ended || !project.isComplete()) continue;
    // Killed after the last word of the run: a new one is next, and finds nothing to do.
    found.afterEnd += 1;
    check((await startOnce(undefined)) === "ended", "the run after the last did not end");
    ended = true;
  }
  project.checkAtEnd();
  found.finished += 1;
  found.interrupted += project.interrupted;
  found.abandoned += project.abandoned;
  project.remove();
  project = undefined;
}

async function startOnce(moment) {
  const eventsBefore = project.lineCount();
  const run = project.start();
  found.starts += 1;
  const cleanUp = moment === undefined ? undefined : MOMENTS[moment].kill(project, run);
  const end = await run.ended;
  cleanUp?.();
  project.disarm();
  if (moment !== undefined) tally.get(moment).tried += 1;
  if (end.signal === "SIGKILL" && moment !== undefined && !end.timedOut) {
    found.kills += 1;
    tally.get(moment).hit += 1;
    if (moment === "lock taken, no event yet" && project.lineCount() === eventsBefore)
      found.lockBeforeEvent += 1;
    return "killed";
  }
  check(!end.timedOut, `ralph was still running after ${START_MS_MAX} ms:\n${end.output}`);
  check(end.code === 0, `ralph ended with ${end.code ?? end.signal}:\n${end.output}`);
  return "ended";
}

/** Every moment comes equally often, in an order the seed decides. */
function nextMoment() {
  for (;;) {
    if (deck.length === 0) {
      deck = Object.keys(MOMENTS);
      for (let i = deck.length - 1; i > 0; i--) {
        const j = Math.floor(random() * (i + 1));
        [deck[i], deck[j]] = [deck[j], deck[i]];
      }
    }
    const at = deck.findIndex((name) => MOMENTS[name].needs === undefined || project.hasRun());
    // A new project has no run to recover yet: what needs one waits for the next start.
    if (at === -1) deck = [...deck, "at a random time"];
    else return deck.splice(at, 1)[0];
  }
}

// The moments.

function atRandomTime(_, run) {
  const timer = setTimeout(() => run.kill(), random() * 1500);
  return () => clearTimeout(timer);
}

function afterAppend(p, run) {
  let left = 1 + Math.floor(random() * 25);
  const events = join(p.newestRun(), "events.ndjson");
  return watching(events, () => {
    left -= 1;
    if (left === 0) run.kill();
  });
}

/** The file is in place, and neither the folder nor the log after it is synced. */
function whenRenamed(run, folder, name, timesMax) {
  let left = 1 + Math.floor(random() * timesMax);
  return watching(folder, (type, file) => {
    if (file !== name || type !== "rename") return;
    left -= 1;
    if (left === 0) run.kill();
  });
}

/** Between the entry and its record lie microseconds, so this one looks without a pause. */
function whenRemembered(p, run) {
  const path = join(p.feature, "progress.txt");
  const before = readOr(path, "").length;
  const deadline = performance.now() + SPIN_MS_MAX;
  while (performance.now() < deadline && sizeOf(path) === before);
  if (sizeOf(path) !== before) run.kill();
}

function sizeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function whenAsleep(p, run) {
  const disarm = p.arm("pre-commit-sleep");
  const close = watching(p.home, (_, file) => {
    if (file === "hit-pre-commit-sleep") run.kill();
  });
  return () => {
    disarm();
    close();
  };
}

function whenLocked(p, run) {
  mkdirSync(p.locks, { recursive: true, mode: 0o700 });
  return watching(p.locks, (_, file) => {
    if (!file?.endsWith(".lock") || file.startsWith(".")) return;
    if (readOr(join(p.locks, file), "").includes(`"pid":${run.pid},`)) run.kill();
  });
}

function duringRecovery(p, run) {
  // The first or the second append of a process that goes on with a run: the latter may be the end of an orphan.
  let left = 1 + Math.floor(random() * 2);
  return watching(join(p.newestRun(), "events.ndjson"), () => {
    left -= 1;
    if (left === 0) run.kill();
  });
}

function watching(path, onChange) {
  const watcher = watch(path, onChange);
  watcher.on("error", () => undefined);
  return () => watcher.close();
}

function report() {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`${"moment".padEnd(32)}${"tried".padStart(6)}${"killed".padStart(8)}\n`);
  for (const [name, { tried, hit }] of tally)
    process.stdout.write(
      `${name.padEnd(32)}${String(tried).padStart(6)}${String(hit).padStart(8)}\n`,
    );
  const { lockBeforeEvent, finished, starts, interrupted, abandoned, afterEnd, kills } = found;
  process.stdout.write(
    `\n${lockBeforeEvent} kills left no event at all, ${abandoned} runs were killed before they had begun, ` +
      `${afterEnd} after they had ended, ` +
      `${interrupted} iterations were marked interrupted\n` +
      `${kills} kills, ${starts} starts, ${finished} projects of ${storyCount} stories finished, ` +
      `${seconds} s, seed ${seed}\n`,
  );
}

/** mulberry32: the same numbers for the same seed. */
function randomFrom(start) {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
