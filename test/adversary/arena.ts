// One arena for one adversary: a copy of the person's project, the adversary as a program on the PATH, and the run. What
// is true afterwards is asked of the repository and the system in truth.ts, never of the program.

import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { newMark } from "../rig/agents.ts";
import { type Ended, TestProject } from "../rig/project.ts";
import { CONFIG, projectTemplate, RIGHT } from "./product.ts";
import { lookAt, type Belongings } from "./truth.ts";

/** No run of an arena may take longer. */
const RUN_MS_MAX = 30_000;

/** What every agent here knows, good or bad, as shell functions. */
const CRAFT = `
file_of() { case "$1" in S1) echo slug;; S2) echo clamp;; S3) echo words;; *) echo none;; esac; }
work() { mkdir -p src; cp "$HOME/right/$(file_of "$1").mjs" src/; }
wrong() { mkdir -p src; echo "export const $(file_of "$1") = () => 'wrong';" > "src/$(file_of "$1").mjs"; }
mark() { sed -i "/\\"id\\": \\"$1\\"/,/\\"passes\\"/s/\\"passes\\": false/\\"passes\\": true/" "$RALPH_TASKS_FILE"; }
# A commit that must be found again, wherever it was made.
commit() { git add -A src test; git commit --quiet -m "$1"; git rev-parse HEAD >> "$HOME/commits"; }
honest() { work "$RALPH_TASK_ID"; mark "$RALPH_TASK_ID"; printf 'I wrote it and it works.\\n\\nDone.\\n'; }
edit_list() { node -e 'const fs = require("fs"), file = process.env.RALPH_TASKS_FILE, p = JSON.parse(fs.readFileSync(file, "utf8")); const s = (id) => p.userStories.find((one) => one.id === id); eval(process.argv[1]); fs.writeFileSync(file, JSON.stringify(p, null, 2) + "\\n");' "$1"; }
all() { for one in S1 S2 S3; do work $one; mark $one; done; printf 'Done.\\n'; }
`;

/** How an arena differs from the plain one. */
export interface ArenaOptions {
  /** What the adversary does, as a shell script. */
  readonly agent: string;
  /** How many times it is started as a misbehaving one; then it is honest. */
  readonly misdeeds?: number;
  /** What it does after that, instead of an honest answer to one story at a time. */
  readonly afterwards?: string;
  readonly output?: "text" | "notes" | "claude";
  /** Further lines of the person's settings. */
  readonly config?: string;
  /** Replaces the gates of the person's settings. */
  readonly gates?: string;
}

export class Arena {
  readonly project: TestProject;
  /** Stands in the arguments of what the adversary leaves behind. */
  readonly mark: string = newMark();
  /** What was there before the run. */
  readonly before: Belongings;

  constructor(options: ArenaOptions) {
    this.project = new TestProject({ git: false });
    const { root, home } = this.project;
    cpSync(projectTemplate(), root, { recursive: true, preserveTimestamps: true });
    mkdirSync(join(home, "right"));
    for (const [path, text] of Object.entries(RIGHT))
      writeFileSync(join(home, "right", basename(path)), text);
    this.#writeConfig(options);
    this.#writeAgent(options);
    this.before = lookAt(this.project);
  }

  /** Runs `ralph run` until it ends; one that does not is ended and told by a code that no run has. */
  async run(args: readonly string[] = []): Promise<Ended> {
    const started = this.project.start(["run", "-n", "8", "-t", "20s", ...args], {
      env: this.environment(),
    });
    let isLate = false;
    const limit = setTimeout(() => {
      isLate = true;
      started.child.kill("SIGKILL");
    }, RUN_MS_MAX);
    const ended = await started.ended;
    clearTimeout(limit);
    return isLate ? { ...ended, code: -1 } : ended;
  }

  /** Asks the program something; what it answers is never taken for the truth. */
  async ask(...args: string[]): Promise<string> {
    const { stdout, stderr } = await this.project.ralph(args, { env: this.environment() });
    return stdout + stderr;
  }

  environment(): Record<string, string> {
    const bin = join(this.project.home, "bin");
    return this.project.environment({ PATH: `${bin}:${process.env["PATH"] ?? ""}` });
  }

  #writeConfig({ config = "", gates, output = "text" }: ArenaOptions): void {
    const settings = CONFIG.replace("adversary}", `adversary, output: ${output}}`);
    const text = (gates === undefined ? settings : replaceGates(settings, gates)) + config;
    if (text === CONFIG) return;
    this.project.write(".ralph/config.yaml", text);
    this.project.git("commit", "--quiet", "-m", "Settings", "--", ".ralph/config.yaml");
  }

  #writeAgent({ agent, misdeeds = 1, afterwards = "honest" }: ArenaOptions): void {
    const path = join(this.project.home, "bin", "adversary");
    mkdirSync(dirname(path));
    // Counted outside the project: iterations begin anew with every run.
    const count = `TURN=$(($(cat "$HOME/turn" 2> /dev/null || echo 0) + 1)); echo $TURN > "$HOME/turn"`;
    const turn = `if [ "$TURN" -gt ${misdeeds} ]; then\n${afterwards}\nexit 0\nfi`;
    const lines = ["#!/bin/sh", CRAFT, `MARK=${this.mark}`, count, turn, agent];
    writeFileSync(path, `${lines.join("\n")}\n`, { mode: 0o755 });
  }
}

function replaceGates(settings: string, gates: string): string {
  return `${settings.split("quality_checks:")[0] ?? ""}quality_checks:\n${gates}`;
}
