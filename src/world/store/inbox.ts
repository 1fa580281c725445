// Control of a run from any process: a file in its inbox, made by rename, taken, logged and deleted by the runner.

import { join } from "node:path";
import { ControlFile, type Control } from "../../core/schema/control.ts";
import type { Host } from "../host/host.ts";
import { FILE_MODE, FOLDER_MODE, type RunPaths } from "./run-paths.ts";

const POLL_MS = 500;
const FILES_MAX = 100;

/** Leaves a control for the run, whether it is alive or not; returns the file's path. */
export function writeControl(host: Host, paths: RunPaths, control: Control): string {
  const at = host.clock.now();
  const id = `${at}-${host.random(6)}`;
  const path = join(paths.inbox, `${id}.json`);
  host.files.makeFolder(paths.inbox, FOLDER_MODE);
  const file: ControlFile = { v: 1, id, at, control };
  host.files.replace(path, `${JSON.stringify(file)}\n`, { mode: FILE_MODE, durability: "cached" });
  return path;
}

/** Hands on every control in the order of their names; each file goes once it was taken. */
export function takeControls(
  host: Host,
  paths: RunPaths,
  onControl: (id: string, control: Control) => void,
): void {
  const names = host.files
    .list(paths.inbox)
    .filter((name) => name.endsWith(".json") && !name.startsWith("."));
  for (const name of names.toSorted().slice(0, FILES_MAX)) {
    const path = join(paths.inbox, name);
    const parsed = parseControl(host.files.readText(path));
    if (parsed !== undefined) onControl(parsed.id, parsed.control);
    host.files.remove(path);
  }
}

/** Watches the inbox, and polls it for file systems that cannot be watched. */
export function watchInbox(host: Host, paths: RunPaths, onChange: () => void): { close(): void } {
  let timer = host.clock.after(POLL_MS, poll);
  const watcher = host.files.watchFolder(paths.inbox, onChange);
  function poll(): void {
    onChange();
    timer = host.clock.after(POLL_MS, poll);
  }
  return {
    close() {
      timer.cancel();
      watcher.close();
    },
  };
}

function parseControl(text: string | undefined): ControlFile | undefined {
  try {
    return ControlFile.parse(JSON.parse(text ?? ""));
  } catch {
    return undefined;
  }
}
