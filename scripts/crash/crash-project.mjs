// A throw-away project whose loop is killed again and again, and the checks of what must hold: read from files, git and
// /proc, never from what ralph says.
import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
/** One start of ralph may take no longer than this. */
export const START_MS_MAX = 60_000;
const FEATURE = "crash";
const NOTES_TEXT = "mine, and not yours\n";

/** Something that must hold does not. */
export class Violation extends Error {}

/** A repository with stories, a scripted agent, a gate, hooks that may kill, and a file of the user's. */
export class CrashProject {
  base = mkdtempSync(join(tmpdir(), "ralph-crash-"));
  root = join(this.base, "project");
  home = join(this.base, "home");
  feature = join(this.root, ".ralph", FEATURE);
  record = join(this.root, ".git", "ralph");
  locks = join(this.record, "locks");
  env = { PATH: process.env.PATH, HOME: this.home, LANG: "C.UTF-8" };
  /** Whole lines of the log when it was last looked at. */
  seen = "";

  /** Iterations that were cut off, and runs that were killed before they had begun; known at the end. */
  interrupted = 0;
  abandoned = 0;

  /** `random` gives numbers in [0, 1). */
  constructor(storyCount, random) {
    this.random = random;
    this.ids = Array.from({ length: storyCount }, (_, n) => `S${String(n + 1).padStart(2, "0")}`);
    mkdirSync(this.feature, { recursive: true });
    mkdirSync(join(this.root, "stories"));
    mkdirSync(join(this.root, "mine"));
    mkdirSync(this.home);
    this.git("init", "--quiet", "--initial-branch", "main");
    this.git("config", "user.name", "crash");
    this.git("config", "user.email", "crash@localhost");
    this.writeStories();
    this.writeKillers();
    writeFileSync(join(this.root, "stories", "README"), "One file per story.\n");
    this.git("add", "--all");
    this.git("commit", "--quiet", "--message", "start");
    // From now on the hooks are armed; before, the user's own commit would have run them.
    this.git("config", "core.hooksPath", join(this.home, "hooks"));
    writeFileSync(join(this.root, "notes.txt"), NOTES_TEXT);
    writeFileSync(join(this.root, "mine", "notes.txt"), NOTES_TEXT);
    this.stamps = this.userStamps();
  }

  writeStories() {
    const userStories = this.ids.map((id) => ({ id, title: `Story ${id}`, passes: false }));
    writeFileSync(join(this.feature, "prd.json"), `${JSON.stringify({ userStories }, null, 2)}\n`);
    const killIf = (moment) => `sh "$HOME/kill-if" ${moment}`;
    const gate = `${killIf("gate-kill")}; ! grep -L "^right" stories/*.txt | grep .`;
    const config = { agent: "scripted", quality_checks: { right: gate } };
    writeFileSync(join(this.root, ".ralph", "config.yaml"), JSON.stringify(config));
    const entries = this.ids.flatMap((id, n) => {
      const path = `stories/${id}.txt`;
      const steps = (text) => [
        { run: killIf("agent-kill") },
        { write: { path, text: `${text} ${id}\n` } },
        // Every third story is committed by the agent itself, the others are left for the harness.
        ...(n % 3 === 0
          ? [
              {
                run: `git add ${path} && { git diff --cached --quiet || git commit -qm "work ${text} ${id}"; }`,
              },
            ]
          : []),
        // Every fifth one leaves a process behind that does not want to go.
        ...(n % 5 === 2 ? [{ spawn: { session: "own", signals: "ignore" } }] : []),
        { mark: "task" },
        { run: killIf("agent-kill-late") },
        { say: `${id} is done` },
      ];
      // Every fourth one is first claimed with a mistake that the gate finds.
      const wrong = n % 4 === 1 ? [{ when: { task: id, attempt: 1 }, do: steps("wrong") }] : [];
      return [...wrong, { when: { task: id }, do: steps("right") }];
    });
    writeFileSync(join(this.feature, "scenario.yaml"), JSON.stringify(entries));
  }

  writeKillers() {
    const killIf = [
      `[ -f "$HOME/armed-$1" ] || exit 0`,
      `mv "$HOME/armed-$1" "$HOME/hit-$1"`,
      `case $1 in`,
      `  *-sleep) sleep 0.4 ;;`,
      `  *) kill -9 "$(cat "$HOME/ralph.pid")" ;;`,
      `esac`,
    ];
    writeFileSync(join(this.home, "kill-if"), `${killIf.join("\n")}\n`);
    mkdirSync(join(this.home, "hooks"));
    const hook = (name, ...moments) => {
      const lines = moments.map((moment) => `sh "$HOME/kill-if" ${moment}\n`).join("");
      writeFileSync(join(this.home, "hooks", name), `#!/bin/sh\n${lines}`);
      chmodSync(join(this.home, "hooks", name), 0o755);
    };
    hook("pre-commit", "pre-commit-kill", "pre-commit-sleep");
    hook("post-commit", "post-commit-kill");
  }

  start() {
    const child = spawn(process.execPath, [cli, "run", "-n", "100000"], {
      cwd: this.root,
      env: this.env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    writeFileSync(join(this.home, "ralph.pid"), String(child.pid));
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (text) => (output += text));
    const kill = () => child.kill("SIGKILL");
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      kill();
    }, START_MS_MAX);
    const ended = new Promise((resolve) => {
      // Not `close`: orphans of a killed run may hold the pipes.
      child.once("exit", (code, signal) => {
        clearTimeout(timer);
        setImmediate(() => resolve({ code, signal, timedOut, output }));
      });
    });
    return { pid: child.pid, kill, ended };
  }

  arm(moment) {
    // Not always the first time that the moment comes.
    const later = this.random() < 0.5;
    const timer = setTimeout(
      () => writeFileSync(join(this.home, `armed-${moment}`), ""),
      later ? this.random() * 1200 : 0,
    );
    return () => clearTimeout(timer);
  }

  disarm() {
    for (const name of readdirSync(this.home)) {
      if (/^(armed|hit)-/.test(name)) rmSync(join(this.home, name), { force: true });
    }
  }

  git(...args) {
    return execFileSync("git", args, { cwd: this.root, env: this.env, encoding: "utf8" });
  }

  /** The run the work was done in; a later one may follow it when it was killed after its end. */
  newestRun() {
    if (this.run !== undefined) return this.run;
    const pointers = join(this.record, "latest");
    const [pointer] = existsSync(pointers)
      ? readdirSync(pointers).filter((name) => !name.startsWith("."))
      : [];
    if (pointer === undefined) return undefined;
    this.run = join(this.record, "runs", readFileSync(join(pointers, pointer), "utf8").trim());
    return this.run;
  }

  isComplete() {
    const last = this.events().at(-1);
    return last?.type === "run-ended" && last.reason === "complete";
  }

  hasRun() {
    return this.newestRun() !== undefined;
  }

  /** The log of the newest run up to its last whole line. */
  log() {
    const run = this.newestRun();
    const text = run === undefined ? "" : readOr(join(run, "events.ndjson"), "");
    return text.slice(0, text.lastIndexOf("\n") + 1);
  }

  lineCount() {
    return this.log().split("\n").length;
  }

  events() {
    return this.log()
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => parseLine(line));
  }

  /** What must hold whenever ralph is not running, wherever it was killed. */
  checkAfterKill() {
    const log = this.log();
    check(log.startsWith(this.seen), "the log lost or changed events it had before");
    this.seen = log;
    const events = this.events();
    for (const [index, event] of events.entries()) {
      check(event.seq === index + 1, `event ${index + 1} of the log has the number ${event.seq}`);
    }
    const accepted = acceptedIds(events);
    check(new Set(accepted).size === accepted.length, `accepted twice: ${accepted.join(" ")}`);
    const agents = events.filter((event) => event.type === "agent-started");
    this.checkUnique(
      "agent in iteration",
      agents.map((event) => event.iteration),
    );
    this.checkUnique("commit for", this.trailers());
    this.checkUnique("progress entry for", this.progressMarkers());
    this.checkUnique("agent's commit", this.subjects(/^work /));
    check(readOr(join(this.feature, "prd.json"), "") !== "", "prd.json is gone or empty");
    parseLine(readFileSync(join(this.feature, "prd.json"), "utf8"));
    check(this.userStamps() === this.stamps, "a file of the user's was touched");
  }

  checkAtEnd() {
    const events = this.events();
    check(events.at(-1)?.type === "run-ended", "the log does not end with the end of the run");
    check(events.at(-1).reason === "complete", `the run ended ${events.at(-1).reason}`);
    const accepted = acceptedIds(events).toSorted().join(" ");
    check(accepted === this.ids.join(" "), `accepted: ${accepted}`);
    for (const committed of ["", "HEAD:"]) this.checkWork(committed);
    const untracked = this.git("status", "--porcelain").trim().split("\n").join(", ");
    check(untracked === "?? mine/, ?? notes.txt", `not clean at the end: ${untracked}`);
    this.checkIterations(events);
    const left = this.processes();
    check(left.length === 0, `processes left: ${left.join("; ")}`);
    this.checkLeftovers();
  }

  /** Every story done and its file right, in the tree and in the last commit. */
  checkWork(committed) {
    const read = (path) =>
      committed === "" ? readOr(join(this.root, path), "") : this.git("show", `HEAD:${path}`);
    const { userStories } = parseLine(read(`.ralph/${FEATURE}/prd.json`));
    for (const [index, story] of userStories.entries()) {
      check(story.id === this.ids[index], `story ${index} is ${story.id}`);
      check(story.passes === true, `${committed}${story.id} is not done`);
      const text = read(`stories/${story.id}.txt`);
      check(
        text === `right ${story.id}\n`,
        `${committed}${story.id}.txt is ${JSON.stringify(text)}`,
      );
    }
  }

  /** Numbers without a gap, one entry for each charged one and one at the end, a commit only where there was a reason. */
  checkIterations(events) {
    const ended = events.filter((event) => event.type === "iteration-ended");
    for (const [index, event] of ended.entries())
      check(event.iteration === index + 1, `iteration ${index + 1} is numbered ${event.iteration}`);
    const name = (event) => `${event.run}/${event.iteration}`;
    const charged = ended.filter((event) => event.end.charged).map(name);
    const isClosing = (marker) => marker.endsWith("/closing");
    const entries = this.progressMarkers().filter((marker) => !isClosing(marker));
    const closing = this.progressMarkers().filter(isClosing).length;
    check(closing === 1, `${closing} closing entries`);
    const archives = readdirSync(join(this.feature, "..", "archive"));
    check(archives.length === 1, `archives: ${archives.join(" ")}`);
    check(
      charged.toSorted().join() === entries.toSorted().join(),
      `${charged.length} charged iterations, ${entries.length} progress entries`,
    );
    const hasReason = ({ end }) => end.accepted.length > 0 || end.complete;
    const accepting = new Set(ended.filter(hasReason).map(name));
    for (const trailer of this.trailers())
      check(accepting.has(trailer), `a commit for ${trailer}, which accepted nothing`);
    this.interrupted = ended.filter((event) => event.end.outcome === "interrupted").length;
  }

  checkLeftovers() {
    const runs = readdirSync(join(this.record, "runs")).map((name) =>
      join(this.record, "runs", name),
    );
    // A run killed before its first event was never begun, one after the end found nothing to do: neither did any work.
    const others = runs.filter((run) => run !== this.newestRun());
    for (const run of others) {
      const text = readOr(join(run, "events.ndjson"), "");
      check(
        !text.includes('"agent-started"'),
        `${run} started an agent beside the one run there is`,
      );
    }
    const abandoned = others.filter((run) => !existsSync(join(run, "state.json")));
    this.abandoned = abandoned.length;
    const names = readdirSync(this.base, { recursive: true }).map((name) => join(this.base, name));
    const temporary = names.filter(
      (name) => name.endsWith(".ralph-tmp") && !abandoned.some((run) => name.startsWith(run)),
    );
    check(temporary.length === 0, `temporary files left: ${temporary.join(" ")}`);
    const locks = readdirSync(this.locks);
    check(locks.length === 0, `files of a lock left: ${locks.join(" ")}`);
    check(!existsSync(join(this.root, ".git", "index.lock")), "index.lock left");
  }

  checkUnique(what, names) {
    const twice = names.filter((name, index) => names.indexOf(name) !== index);
    check(twice.length === 0, `more than one ${what} ${twice.join(" ")}`);
  }

  trailers() {
    const format = "%(trailers:key=Ralph-Iteration,valueonly,separator=%x2C)";
    return this.git("log", `--format=${format}`)
      .split("\n")
      .filter((line) => line !== "");
  }

  subjects(wanted) {
    return this.git("log", "--format=%s")
      .split("\n")
      .filter((line) => wanted.test(line));
  }

  progressMarkers() {
    const lines = readOr(join(this.feature, "progress.txt"), "").split("\n");
    return lines.filter((line) => line.startsWith("Run: ")).map((line) => line.slice(5));
  }

  userStamps() {
    return ["notes.txt", join("mine", "notes.txt")]
      .map((name) => join(this.root, name))
      .map((path) =>
        existsSync(path) ? `${statSync(path).mtimeMs} ${readFileSync(path, "utf8")}` : "gone",
      )
      .join();
  }

  /** Living processes with this project's home folder in their environment. */
  processes() {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .filter((pid) => readOr(`/proc/${pid}/environ`, "").includes(`HOME=${this.home}`))
      .filter((pid) => !/\) [ZX] /.test(readOr(`/proc/${pid}/stat`, ") Z ")))
      .map(
        (pid) => `${pid} ${readOr(`/proc/${pid}/cmdline`, "").replaceAll("\0", " ").slice(0, 100)}`,
      );
  }

  killAll() {
    for (const line of this.processes()) {
      try {
        process.kill(Number.parseInt(line, 10), "SIGKILL");
      } catch {
        // It ended in between.
      }
    }
  }

  remove() {
    rmSync(this.base, { recursive: true, force: true, maxRetries: 3 });
  }
}

function acceptedIds(events) {
  return events
    .filter((event) => event.type === "iteration-ended")
    .flatMap((event) => event.end.accepted.map((task) => task.id));
}

function parseLine(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Violation(`not JSON: ${text.slice(0, 200)}`);
  }
}

export function readOr(path, otherwise) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return otherwise;
  }
}

export function check(condition, claim) {
  if (!condition) throw new Violation(claim);
}
