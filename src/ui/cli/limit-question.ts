// The question at a usage limit, at a terminal: the run says when it asks and until when, a typed line is the answer.

import type { Control } from "../../core/schema/control.ts";
import type { Event } from "../../core/schema/event.ts";
import type { Io } from "./command.ts";

/** Listens to the keyboard while the run asks, and only then. */
export class LimitQuestion {
  readonly #io: Io;
  readonly #say: (line: string) => void;
  #close: (() => void) | undefined;
  #send: (control: Control) => void = () => undefined;

  constructor(io: Io, say: (line: string) => void) {
    this.#io = io;
    this.#say = say;
  }

  /** Who gets the answer. */
  answerTo(send: (control: Control) => void): void {
    this.#send = send;
  }

  event(event: Event): void {
    if (event.type === "wait-started" && event.question !== undefined) this.#open();
    if (event.type === "wait-ended" || event.type === "run-ended") this.#stop();
  }

  #open(): void {
    this.#stop();
    // A job in the background that reads from its terminal is stopped by the kernel.
    if (!this.#io.host.processes.isForeground()) return;
    this.#close = this.#io.onLine((line) => this.#take(line));
  }

  #take(line: string): void {
    const word = line.trim().toLowerCase();
    const answer = (["wait", "exit"] as const).find((one) => word !== "" && one.startsWith(word));
    if (answer === undefined) return this.#say("w to wait, e to exit");
    this.#send({ type: "answer", answer, from: "a person" });
  }

  #stop(): void {
    this.#close?.();
    this.#close = undefined;
  }
}
