// A throw-away project for end-to-end tests: real repository, real files, and the built program started as a user would.

import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import {
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
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** The built program. */
export const cli: string = new URL("../../dist/cli.js", import.meta.url).pathname;

/** One ended call of the program. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A call of the program that is under way. */
export interface Started {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** What it has printed so far, both streams. */
  readonly output: () => string;
}

export interface Story {
  readonly id: string;
  readonly title?: string;
  readonly passes?: boolean;
  readonly [key: string]: unknown;
}

export class TestProject {
  /** Root of the repository; removed when the test has finished. */
  readonly root: string;
  readonly home: string;
  readonly feature: string;
  readonly #env: Record<string, string>;

  constructor(
    options: {
      feature?: string;
      git?: boolean;
      env?: Record<string, string>;
      parent?: string;
      /** Name of the project's folder. */
      folder?: string;
    } = {},
  ) {
    const base = mkdtempSync(join(options.parent ?? tmpdir(), "ralph-e2e-"));
    this.root = join(base, options.folder ?? "project");
    this.home = join(base, "home");
    this.feature = options.feature ?? "shop";
    mkdirSync(this.root, { recursive: true });
    mkdirSync(this.home, { recursive: true });
    this.#env = {
      PATH: process.env["PATH"] ?? "",
      HOME: this.home,
      LANG: "C.UTF-8",
      ...options.env,
    };
    onTestFinished(() => {
      this.killAll();
      rmSync(base, { recursive: true, force: true });
    });
    if (options.git !== false) {
      this.git("init", "--quiet", "--initial-branch", "main");
      this.git("config", "user.name", "Test");
      this.git("config", "user.email", "test@localhost");
    }
  }

  write(path: string, text: string | Buffer): void {
    const target = join(this.root, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), "utf8");
  }

  exists(path: string): boolean {
    return existsSync(join(this.root, path));
  }

  /** prd.json of the feature, two spaces indented. */
  stories(...stories: Story[]): void {
    const userStories = stories.map((story) => ({
      title: `Title of ${story.id}`,
      passes: false,
      ...story,
    }));
    this.write(`.ralph/${this.feature}/prd.json`, `${JSON.stringify({ userStories }, null, 2)}\n`);
  }

  /** .ralph/config.yaml as text. */
  config(text: string): void {
    this.write(".ralph/config.yaml", text);
  }

  /** The scripted agent's scenario, and `agent: scripted` unless the config names another agent. */
  scenario(yaml: string): void {
    this.write(`.ralph/${this.feature}/scenario.yaml`, yaml);
    if (!this.exists(".ralph/config.yaml")) this.config("agent: scripted\n");
  }

  commitAll(message = "start"): void {
    this.git("add", "--all");
    this.git("commit", "--quiet", "--allow-empty", "-m", message);
  }

  git(...args: string[]): string {
    return execFileSync("git", args, {
      cwd: this.root,
      env: { PATH: process.env["PATH"], HOME: this.home, LANG: "C.UTF-8" },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  /** The variables the program is started with, and some more. */
  environment(further: Record<string, string> = {}): Record<string, string> {
    return { ...this.#env, ...further };
  }

  /** Starts `ralph ...args` without a terminal. */
  start(
    args: readonly string[],
    options: { env?: Record<string, string>; cwd?: string } = {},
  ): Started {
    const child = spawn(process.execPath, [cli, ...args], {
      cwd: options.cwd ?? this.root,
      env: { ...this.#env, ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
    const text = (chunks: Buffer[]): string => Buffer.concat(chunks).toString("utf8");
    const ended = new Promise<Ended>((resolve) => {
      child.once("close", (code, signal) =>
        resolve({ code, signal, stdout: text(out), stderr: text(err) }),
      );
    });
    return { child, pid: child.pid ?? 0, ended, output: () => text(out) + text(err) };
  }

  /** Runs `ralph ...args` to its end. */
  async ralph(
    args: readonly string[],
    options: { env?: Record<string, string>; cwd?: string } = {},
  ): Promise<Ended> {
    return await this.start(args, options).ended;
  }

  /** The parsed answer of `ralph status --json`. */
  async status(): Promise<Status> {
    const { stdout } = await this.ralph(["status", "--json", "-f", this.feature]);
    return JSON.parse(stdout) as Status;
  }

  /** Folder of the newest run's record. */
  runFolder(): string {
    const runs = join(this.root, ".git", "ralph", "runs");
    const newest = byAge(runs).at(-1);
    if (newest === undefined) throw new Error("there is no run");
    return join(runs, newest);
  }

  /** All events of the newest run. */
  events(): LoggedEvent[] {
    const text = readFileSync(join(this.runFolder(), "events.ndjson"), "utf8");
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as LoggedEvent);
  }

  /** Outcomes of the ended iterations, in order. */
  outcomes(): string[] {
    return this.events()
      .filter((event) => event.type === "iteration-ended")
      .map((event) => (event["end"] as { outcome: string }).outcome);
  }

  /** Pids of living processes that work in this project or were started by one of its runs. */
  processes(): number[] {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/u.test(name) && Number(name) !== process.pid)
      .filter((pid) => isOurs(pid, this.root))
      .map(Number);
  }

  killAll(): void {
    for (const pid of this.processes()) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended in between.
      }
    }
  }
}

export interface Status {
  readonly feature: string;
  readonly state: string;
  readonly run?: string;
  readonly iteration: number;
  readonly charged: number;
  readonly pid?: number;
  readonly tasks: readonly { id: string; title: string; status: string; verified: boolean }[];
  readonly end?: { reason: string; exitCode: number; detail: string };
  readonly [key: string]: unknown;
}

export interface LoggedEvent {
  readonly seq: number;
  readonly at: number;
  readonly run: string;
  readonly type: string;
  readonly iteration?: number;
  readonly [key: string]: unknown;
}

/** Names in a folder, the oldest first; two runs may begin within one second, so their names do not tell. */
export function byAge(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const born = (name: string): number => statSync(join(folder, name)).birthtimeMs;
  return readdirSync(folder).toSorted((a, b) => born(a) - born(b));
}

/** Waits for a condition by polling; fails with what it waited for. */
export async function until(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  limitMs = 20_000,
): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`waited ${limitMs} ms in vain for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3) !== "Z";
  } catch {
    return false;
  }
}

function isOurs(pid: string, root: string): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    if (stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z")) return false;
    const environment = readFileSync(`/proc/${pid}/environ`, "latin1");
    return (
      environment.includes(root) || environment.includes(`HOME=${join(dirname(root), "home")}`)
    );
  } catch {
    return false;
  }
}
