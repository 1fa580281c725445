// Runs one program under watch from start gate to the death of its whole tree. Used for agents and for gates alike.
//
//   spawn sh ── pid and start time handed up (and synced there) ── one line on descriptor 3 ── sh execs the program
//        if we die before the line is written, descriptor 3 closes and the program never starts

import type { ChildProcess } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import {
  nextDeadline,
  startWatch,
  watch,
  WATCH_STEP_MS,
  type WatchState,
} from "../../core/loop/watch.ts";
import type { ClockLimits } from "../../core/schema/config.ts";
import type { Termination } from "../../core/schema/event.ts";
import type { Note } from "../../core/schema/note.ts";
import type { Host, Timer } from "./host.ts";
import { ProcessTree } from "./process-tree.ts";

/** Turns chunks of output into notes; pure apart from its own buffer. */
export interface OutputReader {
  push(chunk: Buffer): readonly Note[];
  end(): readonly Note[];
}

/** A program to run and how to watch it. */
export interface SuperviseOrder {
  /** Absolute path of the program, then its arguments. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** A file that becomes standard input; without one standard input is empty. */
  readonly stdinFile: string | undefined;
  /** `NAME=value` from `env` by which the tree is found again. */
  readonly variable: string;
  readonly limits: ClockLimits;
  readonly signal: AbortSignal;
  readonly reader: OutputReader;
  /** Gets every byte of both streams, in order, before anything is made of it. */
  readonly onBytes: (stream: "stdout" | "stderr", chunk: Buffer) => void;
  readonly onNote: (note: Note) => void;
  /** Called while the program waits at its gate; what it throws means that the program never starts. */
  readonly onStarted: (started: { pid: number; startTime: string }) => void;
}

/** How the program and its tree came to an end. */
export interface SuperviseEnd {
  readonly code: number | null;
  readonly signal: string | null;
  readonly terminated: Termination | undefined;
  /** The program could not be started. */
  readonly unusable: string | undefined;
  readonly durationMs: number;
  readonly outputBytes: number;
  readonly survivors: number;
}

const GATE = 'read -r go <&3 || exit 125; exec 3<&-; exec "$@"';
/** What the shell of the gate calls itself in its messages. */
export const GATE_NAME = "ralph-start";
/** The first looks at the tree come soon, for short-lived helpers; later ones are rarer. */
const FIRST_STEP_MS = 100;
const DRAIN_MS = 2_000;

export async function supervise(host: Host, order: SuperviseOrder): Promise<SuperviseEnd> {
  return await new Supervisor(host, order).run();
}

class Supervisor {
  readonly #host: Host;
  readonly #order: SuperviseOrder;
  #watch: WatchState;
  #tree: ProcessTree;
  #timer: Timer | undefined;
  #stepMs = FIRST_STEP_MS;
  #outputBytes = 0;
  #terminated: Termination | undefined;
  /** The end of the tree, once it was ordered. */
  #ending: Promise<number> | undefined;
  /** A fault in a callback; thrown when the tree is gone. */
  #fault: { error: unknown } | undefined;

  constructor(host: Host, order: SuperviseOrder) {
    this.#host = host;
    this.#order = order;
    this.#watch = startWatch(order.limits, host.clock.now());
    this.#tree = new ProcessTree(host, {
      pid: undefined,
      since: undefined,
      variable: order.variable,
    });
  }

  async run(): Promise<SuperviseEnd> {
    const startedAt = this.#host.clock.now();
    const child = this.#spawn();
    const exited = whenExited(child);
    const { pid } = child;
    if (pid === undefined) {
      const error = await exited;
      return this.#end(startedAt, {
        code: null,
        signal: null,
        unusable: error.unusable,
        survivors: 0,
      });
    }
    const startTime = this.#host.processes.find(pid)?.startTime;
    this.#tree = new ProcessTree(this.#host, {
      pid,
      since: startTime,
      variable: this.#order.variable,
    });
    const drained = this.#readOutput(child);
    const onAbort = (): void => this.#terminate({ cause: "stop" });
    this.#order.signal.addEventListener("abort", onAbort);
    this.#letGo(child, { pid, startTime: startTime ?? "gone" });
    if (this.#order.signal.aborted) onAbort();
    this.#arm();
    const exit = await exited;
    this.#timer?.cancel();
    this.#order.signal.removeEventListener("abort", onAbort);
    const survivors = await (this.#ending ?? this.#tree.end());
    await this.#drain(child, drained);
    if (this.#fault !== undefined) throw this.#fault.error;
    return this.#end(startedAt, {
      ...exit,
      survivors: this.#terminated === undefined ? survivors : 0,
    });
  }

  #spawn(): ChildProcess {
    const { argv, cwd, env, stdinFile } = this.#order;
    const stdin = stdinFile === undefined ? undefined : openSync(stdinFile, "r");
    try {
      return this.#host.processes.start("/bin/sh", ["-c", GATE, GATE_NAME, ...argv], {
        cwd,
        env: { ...env },
        // A session of its own: the terminal's Ctrl+C does not reach it, and the group can be signalled as a whole.
        detached: true,
        stdio: [stdin ?? "ignore", "pipe", "pipe", "pipe"],
      });
    } finally {
      if (stdin !== undefined) closeSync(stdin);
    }
  }

  #letGo(child: ChildProcess, started: { pid: number; startTime: string }): void {
    const gate = child.stdio[3];
    if (!isWritable(gate)) return;
    gate.on("error", () => undefined);
    this.#guard(() => {
      this.#order.onStarted(started);
      gate.write("go\n");
    });
    gate.end();
  }

  #readOutput(child: ChildProcess): Promise<unknown> {
    const streams = (["stdout", "stderr"] as const).map((name) => {
      const stream = child[name];
      if (stream === null) return Promise.resolve();
      stream.on("data", (chunk: Buffer) => this.#guard(() => this.#take(name, chunk)));
      return whenClosed(stream);
    });
    return Promise.all(streams);
  }

  #take(name: "stdout" | "stderr", chunk: Buffer): void {
    this.#outputBytes += chunk.length;
    this.#order.onBytes(name, chunk);
    if (name === "stderr") this.#hear({ type: "activity", text: "" });
    else for (const note of this.#order.reader.push(chunk)) this.#hear(note);
  }

  #hear(note: Note): void {
    // An empty activity is only a sign of life.
    if (note.type !== "activity" || note.text !== "") this.#order.onNote(note);
    const hadResult = this.#watch.resultAt !== undefined;
    this.#watch = watch(this.#watch, this.#host.clock.now(), note).state;
    if (!hadResult && this.#watch.resultAt !== undefined) this.#arm();
  }

  /** Looks at the tree and at the clocks, then comes back when the next of them is due. */
  #step(): void {
    if (this.#ending !== undefined) return;
    this.#guard(() => {
      this.#tree.look();
      const { state, terminate } = watch(this.#watch, this.#host.clock.now());
      this.#watch = state;
      if (terminate !== undefined) this.#terminate({ cause: "clock", clock: terminate });
    });
    this.#stepMs = Math.min(WATCH_STEP_MS, this.#stepMs * 2);
    this.#arm();
  }

  #arm(): void {
    this.#timer?.cancel();
    if (this.#ending !== undefined) return;
    const untilDue = nextDeadline(this.#watch) - this.#host.clock.now();
    this.#timer = this.#host.clock.after(Math.max(0, Math.min(this.#stepMs, untilDue)), () =>
      this.#step(),
    );
  }

  #terminate(why: Termination): void {
    if (this.#ending !== undefined) return;
    this.#terminated = why;
    this.#timer?.cancel();
    this.#ending = this.#tree.end();
  }

  /** A fault of ours must not leave the program running. */
  #guard(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#fault ??= { error };
      this.#terminate({ cause: "stop" });
    }
  }

  /** The tree is dead, so the pipes close as soon as they are empty; one held open from outside is let go. */
  async #drain(child: ChildProcess, drained: Promise<unknown>): Promise<void> {
    const limit = new AbortController();
    await Promise.race([
      drained.then(() => limit.abort()),
      this.#host.clock.sleep(DRAIN_MS, limit.signal),
    ]);
    child.stdout?.destroy();
    child.stderr?.destroy();
    this.#guard(() => {
      for (const note of this.#order.reader.end()) this.#order.onNote(note);
    });
  }

  #end(startedAt: number, how: Exit & { survivors: number }): SuperviseEnd {
    const durationMs = this.#host.clock.now() - startedAt;
    return { ...how, terminated: this.#terminated, durationMs, outputBytes: this.#outputBytes };
  }
}

interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly unusable: string | undefined;
}

function whenExited(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ code: null, signal: null, unusable: error.message }));
    child.once("exit", (code, signal) => resolve({ code, signal, unusable: undefined }));
  });
}

function whenClosed(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    stream.once("close", resolve);
    stream.once("error", () => resolve());
  });
}

function isWritable(stream: ChildProcess["stdio"][number] | undefined): stream is Writable {
  return stream !== null && stream !== undefined && "write" in stream;
}
