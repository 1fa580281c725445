// The line at the bottom of a terminal that is written over: what the run does, or how long it still waits. Elsewhere
// there is none, and nothing of it is ever written.

import { type LiveView, renderLiveView } from "../../core/view/live-view.ts";
import type { Timer } from "../../world/host/host.ts";
import type { Io, Screen } from "./command.ts";

const TICK_MS = 1_000;
/** An agent that talks without pause is shown this often. */
const REDRAW_MS = 100;
/** Where the cursor rests while the line is shown. A terminal that becomes narrower breaks the line in two or more and
 * keeps the cursor at its first character, so that all of it can still be cleared. */
const START = "\r";
/** Clears the line and whatever it was broken into. */
const CLEAR = `${START}\u001B[J`;
/** While it is off, a terminal cuts what is too wide instead of going on in the next line. */
const WRAP_OFF = "\u001B[?7l";
const WRAP_ON = "\u001B[?7h";

/** The live line of one run. */
export class LiveLine {
  readonly #io: Io;
  readonly #screen: Screen | undefined;
  readonly #print: (text: string) => void;
  #view: LiveView | undefined;
  #timer: Timer | undefined;
  #drawnAt = 0;
  #isShown = false;

  constructor(io: Io, stream: "out" | "err") {
    this.#io = io;
    this.#screen = io.screen(stream);
    this.#print = io[stream];
  }

  /** Takes the newest view; undefined takes the line away. */
  show(view: LiveView | undefined): void {
    if (this.#screen === undefined) return;
    this.#view = view;
    if (view === undefined) return this.clear();
    const wait = REDRAW_MS - (this.#io.host.clock.now() - this.#drawnAt);
    if (wait <= 0 || !this.#isShown) this.#draw();
    else this.#plan(wait);
  }

  /** Before any other line: what follows stands at the start of a line of its own. */
  clear(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (!this.#isShown) return;
    this.#isShown = false;
    this.#print(CLEAR);
  }

  #draw(): void {
    if (this.#view === undefined || this.#screen === undefined) return;
    const now = this.#io.host.clock.now();
    this.#drawnAt = now;
    // Whoever does not keep up with reading is not given more of what is only for the moment.
    if (!this.#io.isBehind()) {
      const text = renderLiveView(this.#view, now, this.#screen.columns() - 1);
      const line = `${WRAP_OFF}${this.#screen.paint("dim", text)}${WRAP_ON}`;
      this.#print(`${CLEAR}${line}${START}`);
      this.#isShown = true;
    }
    this.#plan(TICK_MS);
  }

  #plan(ms: number): void {
    this.#timer?.cancel();
    this.#timer = this.#io.host.clock.after(ms, () => this.#draw());
  }
}
