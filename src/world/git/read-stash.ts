// The stash, told by its log file alone. Says nothing about what the entries hold.

import { join } from "node:path";
import type { Host } from "../host/host.ts";
import type { Repository } from "./find-repository.ts";

const STASH_MAX = 20;

/** The commits of the stash, newest first, at most `max` of them; none where there is no stash. */
export function readStash(host: Host, repository: Repository, max: number = STASH_MAX): string[] {
  const log = host.files.readText(join(repository.commonFolder, "logs", "refs", "stash")) ?? "";
  // Each line holds the commit before and the commit after; the newest line is the last one.
  const ids = Array.from(
    log.matchAll(/^[\da-f]{40,64} ([\da-f]{40,64}) /gmu),
    ([, id]) => id ?? "",
  );
  return ids.toReversed().slice(0, max);
}
