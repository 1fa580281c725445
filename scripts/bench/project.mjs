// Makes throw-away projects of any size, and puts them back to how they were between two measurements.
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { timeRun } from "./measure.mjs";

/** End of a run that has used up its iterations. */
const USED_UP = 1;
/** Iterations in a row: few enough for a busy machine to leave them alone once, enough for a clock of milliseconds. */
const ROW = 4;
const BARE_STARTS = 20;
const LONG_AGO_S = 1_700_000_000;

/** Ends at once and leaves everything as it is. */
export const IDLE_AGENT = "#!/bin/sh\nexit 0\n";
/** Does a story: a new file, and its mark in the list, which has one story on each line. */
export const BUSY_AGENT = `#!/bin/sh
echo "$RALPH_TASK_ID" > "work-$RALPH_RUN_ID-$RALPH_TASK_ID.txt"
exec sed -i "/\\"$RALPH_TASK_ID\\"/s/\\"passes\\":false/\\"passes\\":true/" "$RALPH_TASKS_FILE"
`;

/** One project under `scratch`, with an agent of its own. */
export class Project {
  constructor(bench, name, { stories = 20, agent = IDLE_AGENT, output = "text" } = {}) {
    this.bench = bench;
    this.root = join(bench.scratch, name);
    this.stories = stories;
    this.agent = join(bench.scratch, `${name}-agent.sh`);
    this.tasks = join(this.root, ".ralph", "bench", "prd.json");
    this.progress = join(this.root, ".ralph", "bench", "progress.txt");
    this.record = join(this.root, ".git", "ralph");
    writeFileSync(this.agent, agent);
    chmodSync(this.agent, 0o755);
    mkdirSync(join(this.root, ".ralph", "bench"), { recursive: true });
    // An idle agent and many starts are what is measured here, so nothing may stop or hold them.
    const guards =
      "circuit_breaker: {no_progress_threshold: 1000000}\nstuck: {defer_after: 1000000}\n";
    const rate = "defaults: {rate_limit_per_hour: 1000000}\n";
    const config = `agent: {name: command, command: ${this.agent}, output: ${output}}\n${guards}${rate}`;
    writeFileSync(join(this.root, ".ralph", "config.yaml"), config);
    this.writeTasks();
    this.writeSources();
    this.git("init", "--quiet", "--initial-branch", "main");
    this.git("config", "user.name", "bench");
    this.git("config", "user.email", "bench@localhost");
    this.git("config", "gc.auto", "0");
    this.git("add", "--all");
    this.git("commit", "--quiet", "--message", "A project");
    this.progressBytes = 0;
    this.resets = 0;
  }

  git(...args) {
    const { env } = this.bench;
    return execFileSync("git", args, { cwd: this.root, env, encoding: "utf8", stdio: "pipe" });
  }

  storyIds() {
    const name = (_, index) => `STORY-${String(index + 1).padStart(4, "0")}`;
    return Array.from({ length: this.stories }, name);
  }

  writeTasks() {
    const lines = this.storyIds().map((id, index) =>
      JSON.stringify({
        id,
        title: `Story ${index + 1} of the benchmark`,
        description: "As a user I want one more thing to work, so that the list gets longer.",
        acceptanceCriteria: ["it works", "it is tested", "it is written down"],
        priority: index + 1,
        passes: false,
      }),
    );
    const text = `{"feature":"bench","userStories":[\n${lines.join(",\n")}\n]}\n`;
    writeFileSync(this.tasks, text);
    // Older than the index, so that git never has to look into it to be sure.
    utimesSync(this.tasks, LONG_AGO_S, LONG_AGO_S);
  }

  writeSources() {
    for (let folder = 0; folder < 10; folder++) {
      mkdirSync(join(this.root, "src", `part-${folder}`), { recursive: true });
      for (let file = 0; file < 10; file++) {
        const path = join(this.root, "src", `part-${folder}`, `file-${file}.txt`);
        writeFileSync(path, `${folder} ${file}\n`.repeat(20));
        utimesSync(path, LONG_AGO_S, LONG_AGO_S);
      }
    }
  }

  /** A progress log of at least so many bytes. */
  growProgress(bytes) {
    const entry = (n) =>
      `\n---\nIteration: ${n}\nDate: 2026-01-01T00:00:00Z\nStory: STORY-0001 - Story 1\nStatus: progressed\nLearnings:\n  - the parser keeps unknown keys, number ${n}\n`;
    const block = Array.from({ length: 5000 }, (_, index) => entry(index)).join("");
    for (let size = 0; size < bytes; size += block.length) appendFileSync(this.progress, block);
    this.progressBytes = statSync(this.progress).size;
  }

  /** So many commits on top, by one stream. */
  growCommits(count) {
    const commits = Array.from({ length: count }, (_, index) => {
      const message = `feat: STORY-${index} another step\n`;
      const from = index === 0 ? "from refs/heads/main^0\n" : "";
      const who = `committer bench <bench@localhost> ${1_700_000_000 + index} +0000`;
      return `commit refs/heads/main\n${who}\ndata ${message.length}\n${message}${from}M 644 inline src/steps.txt\ndata ${String(index).length + 1}\n${index}\n\n`;
    });
    execFileSync("git", ["fast-import", "--quiet"], {
      cwd: this.root,
      env: this.bench.env,
      input: commits.join(""),
    });
    this.git("reset", "--hard", "--quiet");
  }

  /** As it was before the first run or when it was saved: an old progress log, every story open. */
  reset() {
    if (this.saved !== undefined) this.restoreRun(this.saved);
    // Moved away, not removed: ext4 is slow to make files for some seconds after many were deleted.
    else if (existsSync(this.record)) {
      renameSync(this.record, `${this.root}-old-${this.resets++}`);
    }
    if (this.progressBytes === 0) rmSync(this.progress, { force: true });
    else truncateSync(this.progress, this.progressBytes);
    if (/"passes":true/.test(readFileSync(this.tasks, "utf8"))) this.writeTasks();
  }

  /** From now on every run goes on with the one there is, as it is now. */
  saveRun() {
    const folder = this.runFolder();
    const events = join(folder, "events.ndjson");
    const state = join(folder, "state.json");
    this.saved = { events, bytes: statSync(events).size, state, text: readFileSync(state) };
  }

  restoreRun({ events, bytes, state, text }) {
    truncateSync(events, bytes);
    writeFileSync(state, text);
  }

  /** A run of so many iterations more than there are, which must all take place. */
  runIterations(count, env = this.bench.env) {
    this.reset();
    const before = this.saved === undefined ? 0 : this.iterations();
    const argv = [...this.bench.ralph, "run", "--max-iterations", String(before + count)];
    timeRun(argv, { cwd: this.root, env, exitCodes: [USED_UP] });
    const happened = this.iterations() - before;
    if (happened !== count) throw new Error(`${happened} of ${count} iterations took place`);
    return this;
  }

  /**
   * Milliseconds of one iteration, from start to start as the log has it: the fastest few in a row of a new run.
   * The start of the program is not in it, and neither is a moment in which the machine had other things to do.
   */
  timeIteration(count) {
    const log = readFileSync(join(this.runIterations(count).runFolder(), "events.ndjson"), "utf8");
    const starts = log
      .split("\n")
      .filter((line) => line.includes('"type":"iteration-started"'))
      .slice(-count)
      .map((line) => JSON.parse(line).at);
    const rows = starts.slice(ROW).map((at, index) => (at - starts[index]) / ROW);
    return Math.min(...rows);
  }

  iterations() {
    return JSON.parse(this.ralph("status", "--json")).iteration;
  }

  ralph(...args) {
    const [file, ...rest] = [...this.bench.ralph, ...args];
    const { env } = this.bench;
    return execFileSync(file, rest, { cwd: this.root, env, encoding: "utf8" });
  }

  /** Folder of the newest run. */
  runFolder() {
    const runs = join(this.record, "runs");
    const newest = existsSync(runs) ? readdirSync(runs).toSorted().at(-1) : undefined;
    if (newest === undefined) throw new Error(`${this.root} has no run`);
    return join(runs, newest);
  }
}

/** Milliseconds of one start of the same agent in a shell loop, with what it needs to know and nothing around it. */
export function bareLoop(project) {
  project.reset();
  const ids = project.storyIds().slice(0, BARE_STARTS).join(" ");
  const script = `for id in ${ids}; do RALPH_TASK_ID=$id ${project.agent} < /dev/null > ../out.txt 2>&1; done`;
  const env = { ...project.bench.env, RALPH_TASKS_FILE: project.tasks };
  return timeRun(["/bin/sh", "-c", script], { cwd: project.root, env }) / BARE_STARTS;
}
