// kill -9 at a chosen moment, and what is left then: the log as far as it is whole, locks, git hooks that kill.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { lockPath } from "../../src/world/store/latest-run.ts";
import { byAge, type LoggedEvent, type Started, type TestProject, until } from "./project.ts";

const SPIN_MS_MAX = 20_000;

/** Whole events of the newest run; none where there is no run yet. */
export function eventsSoFar(project: TestProject): LoggedEvent[] {
  return logText(project)
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as LoggedEvent);
}

/** The newest run's log as it stands. */
export function logText(project: TestProject): string {
  const record = join(project.root, ".git", "ralph");
  // The newest, unless that one was given up before its first event.
  const logs = byAge(join(record, "runs"))
    .map((run) => join(record, "runs", run, "events.ndjson"))
    .map((path) => (existsSync(path) ? readFileSync(path, "utf8") : ""));
  return logs.findLast((text) => text !== "") ?? "";
}

/** Starts ralph, waits for the condition, kills it and waits until it is gone. */
export async function killWhen(
  project: TestProject,
  what: string,
  isTrue: () => boolean,
  args: readonly string[] = ["run"],
): Promise<Started> {
  const run = project.start(args);
  await until(what, () => isTrue() || run.child.exitCode !== null);
  await kill(run);
  return run;
}

/** The same without a pause between two looks, for moments that last a millisecond. */
export async function killAtOnce(project: TestProject, isTrue: () => boolean): Promise<void> {
  const run = project.start(["run"]);
  const deadline = Date.now() + SPIN_MS_MAX;
  while (!isTrue() && Date.now() < deadline);
  await kill(run);
}

/** kill -9; fails when the process had ended by itself. */
export async function kill(run: Started): Promise<void> {
  run.child.kill("SIGKILL");
  const { signal, code, stdout, stderr } = await run.ended;
  if (signal !== "SIGKILL")
    throw new Error(`it ended with ${code} before the kill: ${stdout}${stderr}`);
}

/** Starts ralph with its pid in `$HOME/ralph.pid`, for `killingHook`. */
export function startKillable(project: TestProject, args: readonly string[] = ["run"]): Started {
  const run = project.start(args);
  writeFileSync(join(project.home, "ralph.pid"), String(run.pid));
  return run;
}

/** A git hook that kills ralph the first time it runs. */
export function killingHook(project: TestProject, name: string): void {
  hook(
    project,
    name,
    `[ -e "$HOME/killed" ] && exit 0; touch "$HOME/killed"; kill -9 "$(cat "$HOME/ralph.pid")"`,
  );
}

export function hook(project: TestProject, name: string, script: string): void {
  const folder = join(project.home, "hooks");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
  project.git("config", "core.hooksPath", folder);
}

/** Values of the trailer that tells which iteration a commit of ours belongs to, newest first. */
export function trailers(project: TestProject): string[] {
  return project
    .git("log", "--format=%(trailers:key=Ralph-Iteration,valueonly,separator=%x2C)")
    .split("\n")
    .filter((line) => line !== "");
}

/** Where the lock of the project's tree lies. */
export function lockFile(project: TestProject, tree = project.root): string {
  return lockPath(join(project.root, ".git", "ralph"), realpathSync(tree));
}

/** Leaves a lock as another process would have; its owner is dead unless told otherwise. */
export function leaveLock(project: TestProject, owner: Record<string, unknown> = {}): void {
  mkdirSync(join(project.root, ".git", "ralph", "locks"), { recursive: true, mode: 0o700 });
  const whole = {
    v: 1,
    pid: 999_999_999,
    startTime: "1",
    bootId: readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(),
    host: hostname(),
    run: "20260101T000000Z-dead",
    at: Date.now() - 90_000,
    nonce: "abcdefabcdef",
    ...owner,
  };
  writeFileSync(lockFile(project), `${JSON.stringify(whole)}\n`);
}
