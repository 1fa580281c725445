// The pretend machine: a virtual clock, a process table, and the moments at which the runner may die.

import type { Random } from "./random.ts";
import type { Deed, Happening } from "./timeline.ts";

/** Thrown through the program when its process dies; whatever it calls afterwards throws it again. */
export class Killed extends Error {
  override readonly name = "Killed";
}

/** Thrown when a run goes round and round. */
export class Stuck extends Error {
  override readonly name = "Stuck";
}

/** How and when a process of the runner dies, if it does. */
export interface Fate {
  /** The number of the moment at which it dies. */
  readonly dieAt: number | undefined;
  readonly how: "kill" | "power";
  /** The number of the moment at which the disk is full. */
  readonly fullAt: number | undefined;
}

/** A process of the run's own: an agent, a child of one, or a gate. */
export interface PretendProcess {
  readonly pid: number;
  readonly kind: "agent" | "child" | "gate";
  /** Waits at the start gate; goes when the runner does. */
  waiting: boolean;
}

const PAUSES_MAX = 20_000;

/** Clock, processes and dangers of one simulated machine. */
export class Machine {
  readonly random: Random;
  readonly timeline: Happening[] = [];
  readonly processes = new Map<number, PretendProcess>();
  now = Date.UTC(2026, 10, 15, 7, 32);
  sleptMs = 0;
  sleeps = 0;
  life = 0;
  isDead = false;
  isFull = false;
  onFull: () => void = () => undefined;
  #fate: Fate = { dieAt: undefined, how: "kill", fullAt: undefined };
  #moments = 0;
  #pauses = 0;
  #pid = 1000;

  constructor(random: Random) {
    this.random = random;
  }

  /** Time the machine was awake. */
  get awake(): number {
    return this.now - this.sleptMs;
  }

  startLife(fate: Fate): void {
    this.life += 1;
    this.isDead = false;
    this.isFull = false;
    this.#fate = fate;
    this.#moments = 0;
  }

  /** Between two processes nothing goes wrong. */
  rest(): void {
    this.isDead = false;
    this.isFull = false;
    this.#fate = { dieAt: undefined, how: "kill", fullAt: undefined };
  }

  tell(deed: Deed): void {
    this.timeline.push({ at: this.now, life: this.life, ...deed });
  }

  /** A moment at which the runner may die or the disk fill up. */
  danger(point: string): void {
    if (this.isDead) throw new Killed(point);
    this.#moments += 1;
    if (this.#moments === this.#fate.fullAt) {
      this.isFull = true;
      this.tell({ type: "disk-full" });
      this.onFull();
    }
    if (this.#moments === this.#fate.dieAt) this.die(point);
  }

  /** True when the runner dies at the very next moment: for a write that is cut in the middle. */
  isLastMoment(): boolean {
    return !this.isDead && this.#moments + 1 === this.#fate.dieAt;
  }

  die(point: string): never {
    const { how } = this.#fate;
    this.isDead = true;
    this.tell({ type: "killed", how, point });
    for (const [pid, { waiting }] of this.processes) {
      if (waiting || how === "power") this.processes.delete(pid);
    }
    throw new Killed(point);
  }

  isPowerGone(): boolean {
    return this.isDead && this.#fate.how === "power";
  }

  advance(ms: number): void {
    this.now += ms;
    this.#pauses += 1;
    if (this.#pauses > PAUSES_MAX) throw new Stuck("the world was asked too often");
  }

  sleep(ms: number): void {
    this.now += ms;
    this.sleptMs += ms;
    this.sleeps += 1;
    this.tell({ type: "slept", ms });
  }

  spawn(kind: PretendProcess["kind"]): PretendProcess {
    this.#pid += this.random.between(1, 9);
    const child = { pid: this.#pid, kind, waiting: kind === "agent" };
    this.processes.set(child.pid, child);
    return child;
  }

  countAlive(kind?: PretendProcess["kind"]): number {
    return [...this.processes.values()].filter((p) => kind === undefined || p.kind === kind).length;
  }
}
