// Agents for process tests: shell scripts and a pretend `claude`, and a look at what they leave behind that asks the
// system itself and never the program under test.

import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type LoggedEvent, type TestProject, until } from "./project.ts";

/** Marks the first open story as done, as an agent would: by editing the file. */
export const MARK = `sed -i '0,/"passes": false/s//"passes": true/' "$RALPH_TASKS_FILE"`;
/** What a scripted agent of ours prints as its final message. */
export const RESULT = `echo '{"type":"result","good":true,"text":"done"}'`;

let marks = 0;

/**
 * A number that no other process has in its arguments: `sleep <mark>` is found again whatever it did to its parents,
 * session and environment. What is left of it when the test has finished is killed.
 */
export function newMark(): string {
  marks += 1;
  const mark = `86${String(process.pid).padStart(7, "0")}.${String(Date.now() % 1_000_000)}${marks}`;
  onTestFinished(() => {
    for (const pid of marked(mark)) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended in between.
      }
    }
  });
  return mark;
}

/** Living processes with the mark in their arguments. */
export function marked(mark: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name) && Number(name) !== process.pid)
    .filter((pid) => isLiving(pid) && readProc(pid, "cmdline").includes(mark))
    .map(Number);
}

/** An agent that is the shell script `body`; `settings` are further lines of the config. */
export function shellAgent(
  project: TestProject,
  body: string,
  settings: { output?: "text" | "claude" | "notes"; config?: string } = {},
): void {
  project.write("agent.sh", `#!/bin/sh\n${body}\n`);
  chmodSync(join(project.root, "agent.sh"), 0o755);
  const output = settings.output ?? "text";
  project.config(
    `agent: {name: command, command: ./agent.sh, output: ${output}}\n${settings.config ?? ""}`,
  );
}

/** A program called `claude` first on the PATH that the returned variables name. */
export function pretendClaude(project: TestProject, body: string): { PATH: string } {
  const folder = join(project.home, "bin");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "claude"), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  return { PATH: `${folder}:/usr/bin:/bin` };
}

/** A recorded event stream, shortened; see streams/README.md. */
export function stream(name: string): string {
  return readFileSync(streamPath(name), "utf8");
}

export function streamPath(name: string): string {
  return new URL(`streams/${name}.ndjson`, import.meta.url).pathname;
}

/** The facts of the newest run that have one type. */
export function eventsOf(project: TestProject, type: string): LoggedEvent[] {
  return project.events().filter((event) => event.type === type);
}

/** What is known of the agent of the newest ended iteration. */
export function lastExit(project: TestProject): AgentExit {
  const event = eventsOf(project, "agent-exited").at(-1);
  if (event === undefined) throw new Error("no agent has ended");
  return event["exit"] as AgentExit;
}

/** How the newest iteration ended. */
export function lastEnd(project: TestProject): {
  outcome: string;
  reason: string;
  clock?: string;
  charged: boolean;
} {
  const event = eventsOf(project, "iteration-ended").at(-1);
  if (event === undefined) throw new Error("no iteration has ended");
  return event["end"] as { outcome: string; reason: string; clock?: string; charged: boolean };
}

export interface AgentExit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly terminated?: { cause: string; clock?: string };
  readonly durationMs: number;
  readonly outputBytes: number;
  readonly result?: { good?: boolean; text: string; costUsd?: number; httpStatus?: number };
  readonly limit?: { kind: string; resetsAt?: number; text: string };
  readonly denials: readonly { tool: string; input: string }[];
  readonly survivors: number;
}

/** Waits until the agent of the run has been let go and has made the file. */
export async function untilFile(project: TestProject, path: string): Promise<void> {
  await until(`the agent makes ${path}`, () => project.exists(path));
}

/** Nothing of the agent, by its arguments and by its environment; the answer itself is what to compare with `[]`. */
export function leftovers(project: TestProject, mark: string): string[] {
  return [...new Set([...marked(mark), ...project.processes()])].map(
    (pid) => `${pid}: ${readProc(String(pid), "cmdline").replaceAll("\0", " ")}`,
  );
}

/** The most memory a process has had so far, in mebibytes; undefined when it is gone. */
export function peakMib(pid: number): number | undefined {
  const kib = /^VmHWM:\s+(\d+) kB/mu.exec(readProc(String(pid), "status"))?.[1];
  return kib === undefined ? undefined : Number(kib) / 1024;
}

function isLiving(pid: string): boolean {
  const stat = readProc(pid, "stat");
  const state = stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3);
  return stat !== "" && state !== "Z" && state !== "X";
}

function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}
