// Where HEAD has been, told by its log file alone. A repository may keep no such log; then it has been nowhere.

import { join } from "node:path";
import type { Host } from "../host/host.ts";
import type { Repository } from "./find-repository.ts";

/** One step of HEAD. */
export interface HeadStep {
  readonly from: string;
  readonly to: string;
  /** Epoch seconds. */
  readonly at: number;
  /** What git was doing, such as `checkout: moving from main to other`. */
  readonly message: string;
}

const BYTES_MAX = 64 * 1024;

/** The newest steps, newest first. */
export function readHeadLog(host: Host, { gitFolder }: Repository): HeadStep[] {
  const path = join(gitFolder, "logs", "HEAD");
  const size = host.files.stamp(path)?.size ?? 0;
  const offset = Math.max(0, size - BYTES_MAX);
  const log = host.files.readRange(path, offset, BYTES_MAX)?.toString("utf8") ?? "";
  const line = /^([\da-f]{40,64}) ([\da-f]{40,64}) .*> (\d+) [+-]\d{4}(?:\t(.*))?$/gmu;
  return Array.from(log.matchAll(line), ([, from = "", to = "", at, message = ""]) => ({
    from,
    to,
    at: Number(at),
    message,
  })).toReversed();
}
