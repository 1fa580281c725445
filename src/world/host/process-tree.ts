// Ends a whole tree of processes: its group, its session, every descendant seen while it lived, and everything that
// carries the run's variable. Each is known by pid and start time, and checked again before every signal.

import type { Host } from "./host.ts";
import type { ProcessInfo } from "./processes.ts";

/** How a tree is recognised after its root is gone. */
export interface TreeMark {
  readonly pid: number | undefined;
  /** Start time of the root; nothing that is older belongs to the tree. */
  readonly since: string | undefined;
  /** `NAME=value` that only this tree has in its environment. */
  readonly variable: string;
}

const YOUNG_MS = 2_000;
const TERM_MS = 2_000;
const KILL_MS = 1_500;
const POLL_MS = 10;
const ROUNDS_MAX = 4;
const KILL_ROUNDS_MAX = 50;

/** All processes that come from one. */
export class ProcessTree {
  readonly #host: Host;
  readonly #mark: TreeMark;
  readonly #bornAt: number;
  /** Start time by pid of the members that were alive at the last look. */
  #seen: ReadonlyMap<number, string> = new Map();

  constructor(host: Host, mark: TreeMark) {
    this.#host = host;
    this.#mark = mark;
    this.#bornAt = host.clock.now();
  }

  /** Remembers the descendants of this moment, for those that will leave the tree later. */
  look(): void {
    this.#living();
  }

  /** Asks, waits, then kills; returns how many processes had to be told. */
  async end(): Promise<number> {
    const found = this.#living();
    if (found.length === 0) return 0;
    this.#signal(found, "SIGTERM");
    let left = await this.#waitForEnd(TERM_MS);
    for (let round = 0; round < ROUNDS_MAX && left.length > 0; round++) {
      this.#signal(left, "SIGKILL");
      left = await this.#waitForEnd(KILL_MS);
    }
    return found.length;
  }

  /** Kills at once and does not wait; looks again for what was forked while the others were being killed. */
  kill(): void {
    const told = new Set<string>();
    for (let round = 0; round < KILL_ROUNDS_MAX; round++) {
      const found = this.#living().filter((info) => !told.has(`${info.pid} ${info.startTime}`));
      if (found.length === 0) return;
      this.#signal(found, "SIGKILL");
      for (const info of found) told.add(`${info.pid} ${info.startTime}`);
    }
  }

  async #waitForEnd(limitMs: number): Promise<ProcessInfo[]> {
    const { clock } = this.#host;
    const deadline = clock.now() + limitMs;
    let left = this.#living();
    while (left.length > 0 && clock.now() < deadline) {
      await clock.sleep(POLL_MS);
      left = this.#living();
    }
    return left;
  }

  #signal(targets: readonly ProcessInfo[], name: NodeJS.Signals): void {
    const { processes } = this.#host;
    for (const target of targets) {
      if (processes.find(target.pid)?.startTime === target.startTime) {
        processes.signal(target.pid, name);
      }
    }
  }

  #living(): ProcessInfo[] {
    const { pid: self } = this.#host;
    const all = this.#candidates().filter((info) => info.pid !== self && !this.#isTooOld(info));
    const members = new Set(all.filter((info) => this.#isMember(info)).map((info) => info.pid));
    // Parents come before children only by chance, so it is repeated until nothing is added.
    for (let size = -1; size !== members.size;) {
      size = members.size;
      for (const info of all) if (members.has(info.parent)) members.add(info.pid);
    }
    const found = all.filter((info) => members.has(info.pid));
    this.#seen = new Map(found.map((info) => [info.pid, info.startTime]));
    return found;
  }

  /** A short life cannot have used up all pids, so for a short one only the pids after its own matter. */
  #candidates(): ProcessInfo[] {
    const { processes, clock } = this.#host;
    const { pid, since } = this.#mark;
    const isYoung =
      pid !== undefined && since !== undefined && clock.now() - this.#bornAt < YOUNG_MS;
    return isYoung ? processes.listAfter(pid) : processes.list();
  }

  #isTooOld(info: ProcessInfo): boolean {
    const { since } = this.#mark;
    return since !== undefined && this.#host.processes.isOlder(info.startTime, since);
  }

  #isMember(info: ProcessInfo): boolean {
    const { pid, variable } = this.#mark;
    if (pid !== undefined && (info.pid === pid || info.group === pid || info.session === pid))
      return true;
    if (this.#seen.get(info.pid) === info.startTime) return true;
    return this.#host.processes.hasVariable(info.pid, variable);
  }
}
