// The machine as the rest of the program sees it. Tests hand in another one; nothing else touches clock, files or processes.

import { hostname } from "node:os";
import { realFiles, type Files } from "./files.ts";
import { realMachine, type Machine } from "./machine.ts";
import { realProcesses, type Processes } from "./processes.ts";

/** A timer that can be called off. */
export interface Timer {
  cancel(): void;
}

/** Time and timers. */
interface ClockPort {
  /** Epoch milliseconds. */
  now(): number;
  after(ms: number, action: () => void): Timer;
  /** Resolves after `ms`, or as soon as the signal fires. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The machine. */
export interface Host {
  readonly clock: ClockPort;
  readonly files: Files;
  readonly processes: Processes;
  readonly machine: Machine;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly hostName: string;
  readonly pid: number;
  /** Lower-case letters and digits, new on each call. */
  random(length: number): string;
}

export function realHost(env: Readonly<Record<string, string | undefined>>): Host {
  return {
    clock: realClock,
    files: realFiles,
    processes: realProcesses,
    machine: realMachine,
    env,
    hostName: hostname(),
    pid: process.pid,
    random: (length) => {
      const { randomBytes } = process.getBuiltinModule("node:crypto");
      return Array.from(randomBytes(length), (byte) => (byte % 36).toString(36)).join("");
    },
  };
}

// Node fires a longer timer at once, so a longer wait is cut into pieces of this length.
const TIMER_MS_MAX = 2_000_000_000;

const realClock: ClockPort = {
  now: () => Date.now(),
  after(ms, action) {
    const timer = setTimeout(action, Math.max(0, Math.min(ms, TIMER_MS_MAX)));
    return { cancel: () => clearTimeout(timer) };
  },
  async sleep(ms, signal) {
    if (signal?.aborted === true) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        timer.cancel();
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const timer = realClock.after(ms, done);
      signal?.addEventListener("abort", done, { once: true });
    });
  },
};
