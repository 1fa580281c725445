// Runs a short command and captures what it says, with a time limit and a cap on the output. For git and its like.

import type { ChildProcess } from "node:child_process";
import type { Host, Timer } from "./host.ts";

/** What one short command said. */
export interface CommandAnswer {
  /** Null when it was ended by a signal or could not be started. */
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly timedOut: boolean;
}

/** A program to run to its end, in a process group of its own. */
export interface CommandOrder {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
const ERROR_CHUNKS_MAX = 64;
const TERM_MS = 1_500;
const DRAIN_MS = 2_000;

export async function runCommand(host: Host, order: CommandOrder): Promise<CommandAnswer> {
  const [file, ...args] = order.argv;
  const child = host.processes.start(file, args, {
    cwd: order.cwd,
    env: { ...order.env },
    detached: true,
    stdio: [order.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  let killing: Timer | undefined;
  // Asked first: a git that is killed leaves its lock behind, and the next one refuses to work.
  const end = (): void => {
    const { pid } = child;
    if (pid === undefined || killing !== undefined) return;
    host.processes.signal(-pid, "SIGTERM");
    killing = host.clock.after(TERM_MS, () => host.processes.signal(-pid, "SIGKILL"));
  };
  let timedOut = false;
  const timer = host.clock.after(order.timeoutMs, () => {
    timedOut = true;
    end();
  });
  order.signal?.addEventListener("abort", end, { once: true });
  if (order.signal?.aborted === true) end();
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(order.input);
  try {
    return { ...(await collect(host, child)), timedOut };
  } finally {
    timer.cancel();
    killing?.cancel();
    order.signal?.removeEventListener("abort", end);
  }
}

function collect(host: Host, child: ChildProcess): Promise<Omit<CommandAnswer, "timedOut">> {
  return new Promise((resolve) => {
    const out: Buffer[] = [];
    const errors: Buffer[] = [];
    let size = 0;
    child.stdout?.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= OUTPUT_BYTES_MAX) out.push(chunk);
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      if (errors.length < ERROR_CHUNKS_MAX) errors.push(chunk);
    });
    child.once("error", (error) => {
      resolve({ code: null, stdout: Buffer.alloc(0), stderr: error.message });
    });
    // A daemon of a hook may hold the pipes open for ever; what the command itself said is in them by now.
    child.once("exit", () => {
      const drained = host.clock.after(DRAIN_MS, () => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      });
      child.once("close", () => drained.cancel());
    });
    child.once("close", (code) => {
      const stderr = Buffer.concat(errors).toString("utf8").trim();
      resolve({ code, stdout: Buffer.concat(out), stderr });
    });
  });
}
