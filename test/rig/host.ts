// A host for unit tests: real files in a folder of its own that goes with the test, a clock that stands still, and
// processes that are told apart by what the test says about them.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Host, realHost } from "../../src/world/host/host.ts";

/** What a test says about its machine. */
export interface Machine {
  readonly env?: Record<string, string>;
  readonly pid?: number;
  readonly hostName?: string;
  readonly bootId?: string;
  /** Start time of every living process by its pid. */
  readonly living?: Readonly<Record<number, string>>;
}

export const NOW = Date.UTC(2026, 10, 15, 7, 32);

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "ralph-unit-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function testHost(machine: Machine = {}): Host {
  const real = realHost(machine.env ?? {});
  const living: Readonly<Record<number, string>> = machine.living ?? {};
  const info = (pid: number, startTime: string) => ({
    pid,
    parent: 1,
    group: pid,
    session: pid,
    startTime,
  });
  return {
    ...real,
    clock: { ...real.clock, now: () => NOW },
    hostName: machine.hostName ?? "here",
    pid: machine.pid ?? 100,
    processes: {
      ...real.processes,
      bootId: () => machine.bootId ?? "this boot",
      list: () => Object.entries(living).map(([pid, startTime]) => info(Number(pid), startTime)),
      find: (pid) => {
        const startTime = living[pid];
        return startTime === undefined ? undefined : info(pid, startTime);
      },
    },
  };
}
