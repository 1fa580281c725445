// Tells a run to stop, from any process, and waits until it has heard.

import type { Control } from "../../core/schema/control.ts";
import type { Host } from "../../world/host/host.ts";
import { writeControl } from "../../world/store/inbox.ts";
import type { FoundRun } from "./find-run.ts";

const POLL_MS = 20;
const HEARD_MS_MAX = 5_000;

/** True once the run has logged the control; false when it did not answer in time. */
export async function sendControl(host: Host, run: FoundRun, control: Control): Promise<boolean> {
  const path = writeControl(host, run.paths, control);
  return await waitFor(host, HEARD_MS_MAX, () => host.files.kind(path) === undefined);
}

/** True once the condition holds, false when it did not within the time. */
export async function waitFor(
  host: Host,
  limitMs: number,
  isTrue: () => boolean,
): Promise<boolean> {
  const deadline = host.clock.now() + limitMs;
  while (!isTrue()) {
    if (host.clock.now() >= deadline) return false;
    await host.clock.sleep(POLL_MS);
  }
  return true;
}
