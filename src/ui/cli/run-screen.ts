// What a person sees of a run: a line for each thing worth telling, the live line on a terminal, a summary at the end.

import type { RunState } from "../../core/loop/state.ts";
import type { Event } from "../../core/schema/event.ts";
import type { Note } from "../../core/schema/note.ts";
import { isDetail, renderEventLine } from "../../core/view/event-line.ts";
import { type LiveView, viewAfterEvent, viewAfterNote } from "../../core/view/live-view.ts";
import { type Paint, unpainted } from "../../core/view/paint.ts";
import { renderSummary, SUMMARY_INDENT } from "../../core/view/summary.ts";
import { printableLine } from "../../std/printable.ts";
import { wrapWords } from "../../std/wrap.ts";
import type { Io } from "./command.ts";
import { LiveLine } from "./live-line.ts";

const NOTE_MAX = 160;
/** `12:34:56 ` */
const TIME_WIDTH = 9;

/** `verbose` shows every step and what the agent does as lines of their own, and then no live line. */
export type ScreenMode = "brief" | "verbose";

/** The screen of one run. */
export class RunScreen {
  readonly #io: Io;
  readonly #print: (text: string) => void;
  readonly #paint: Paint;
  readonly #columns: (() => number) | undefined;
  readonly #mode: ScreenMode;
  readonly #live: LiveLine;
  #view: LiveView | undefined;

  constructor(io: Io, stream: "out" | "err", mode: ScreenMode) {
    this.#io = io;
    this.#print = io[stream];
    const screen = io.screen(stream);
    this.#paint = screen?.paint ?? unpainted;
    this.#columns = screen?.columns;
    this.#mode = mode;
    this.#live = new LiveLine(io, stream);
  }

  /** One line with the time of day, as the clock on the wall has it. */
  say(line: string): void {
    this.#live.clear();
    const time = new Date(this.#io.host.clock.now()).toTimeString().slice(0, 8);
    this.#print(`${this.#fit(`${this.#paint("dim", time)} ${line}`, TIME_WIDTH)}\n`);
  }

  event(event: Event, state: RunState): void {
    // The summary says it better, and nothing comes between.
    const isShown = event.type !== "run-ended" && (this.#mode === "verbose" || !isDetail(event));
    const line = isShown ? renderEventLine(event, state, this.#paint) : undefined;
    if (line !== undefined) this.say(line);
    this.#view = viewAfterEvent(this.#view, event, state);
    this.#refresh();
  }

  note(note: Note): void {
    if (this.#mode === "brief") {
      this.#view = viewAfterNote(this.#view, note);
      return this.#refresh();
    }
    if (this.#io.isBehind()) return;
    if (note.type === "activity" || note.type === "tool-started")
      this.say(`  ${printableLine(note.text, NOTE_MAX)}`);
  }

  /** Takes the live line away until the next event, for whoever needs the terminal. */
  clear(): void {
    this.#live.clear();
  }

  end(state: RunState | undefined): void {
    this.#live.show(undefined);
    if (state === undefined) return;
    const lines = renderSummary(state, this.#paint).split("\n");
    const fitted = lines.map((line) => this.#fit(line, line.startsWith(" ") ? SUMMARY_INDENT : 2));
    this.#print(fitted.join("\n"));
  }

  /** On a terminal a long line goes on under its own words, not under the time. */
  #fit(line: string, indent: number): string {
    return this.#columns === undefined ? line : wrapWords(line, this.#columns() - 1, indent);
  }

  /** Beside lines of activity only a wait needs a line that is written over. */
  #refresh(): void {
    const isWanted = this.#mode === "brief" || this.#view?.waitsUntil !== undefined;
    this.#live.show(isWanted ? this.#view : undefined);
  }
}
