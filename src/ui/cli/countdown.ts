// On a terminal a wait shows the time that is left, on one line that is written over; elsewhere its start is said once.

import { renderDuration } from "../../std/duration.ts";
import type { Timer } from "../../world/host/host.ts";
import type { Io } from "./command.ts";

const TICK_MS = 1_000;
/** Back to the start of the line, and clear it. */
const CLEAR = "\r\u001B[K";

/** The countdown of one run. */
export class Countdown {
  readonly #io: Io;
  #timer: Timer | undefined;

  constructor(io: Io) {
    this.#io = io;
  }

  start(until: number): void {
    this.stop();
    if (this.#io.screen() === "none") return;
    this.#tick(until);
  }

  stop(): void {
    if (this.#timer === undefined) return;
    this.#timer.cancel();
    this.#timer = undefined;
    this.#io.out(CLEAR);
  }

  #tick(until: number): void {
    const { host, out } = this.#io;
    const left = Math.max(0, until - host.clock.now());
    out(`${CLEAR}${renderDuration(left)} to wait; Ctrl+C stops`);
    this.#timer = host.clock.after(TICK_MS, () => this.#tick(until));
  }
}
