// When agents were started in a working tree, over all its runs and features: one line for each start. What follows from
// it is decided in the core.

import { join } from "node:path";
import { HOUR_MS } from "../../std/duration.ts";
import type { Appender } from "../host/files.ts";
import type { Host } from "../host/host.ts";
import { treeKey } from "./latest-run.ts";
import { FILE_MODE, FOLDER_MODE } from "./run-paths.ts";

/** The end of the file that is looked at: more starts than fit into an hour. */
const TAIL_BYTES = 64 * 1024;
/** A longer file is cut to what still counts. */
const FILE_BYTES_MAX = 1024 * 1024;

/** The starts of the last hour, oldest first; undefined where none was ever noted. */
export function readCalls(host: Host, root: string, tree: string): number[] | undefined {
  const path = callsPath(root, tree);
  const size = host.files.stamp(path)?.size;
  if (size === undefined) return undefined;
  const tail = host.files.readRange(path, Math.max(0, size - TAIL_BYTES), TAIL_BYTES);
  const since = host.clock.now() - HOUR_MS;
  const calls = (tail?.toString("latin1") ?? "").split("\n").map(Number);
  const recent = calls.filter((at) => at > since && at <= host.clock.now());
  if (size > FILE_BYTES_MAX) {
    const text = recent.map((at) => `${at}\n`).join("");
    host.files.replace(path, text, { mode: FILE_MODE, durability: "cached" });
  }
  return recent;
}

/** Notes every start of one run; the file stays open, since this happens right before an agent starts. */
export class CallLog {
  readonly #open: () => Appender;
  readonly #host: Host;
  #file: Appender | undefined;

  constructor(host: Host, root: string, tree: string) {
    this.#host = host;
    this.#open = () => {
      host.files.makeFolder(join(root, "calls"), FOLDER_MODE);
      return host.files.openAppender(callsPath(root, tree), FILE_MODE);
    };
  }

  add(): void {
    this.#file ??= this.#open();
    this.#file.write(Buffer.from(`${this.#host.clock.now()}\n`));
  }
}

function callsPath(root: string, tree: string): string {
  return join(root, "calls", treeKey(tree));
}
