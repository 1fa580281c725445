// Our own stream: one neutral note as JSON on each line. The scripted agent speaks it, and any wrapper may.

import { Note } from "../../core/schema/note.ts";
import { printableLine } from "../../std/printable.ts";
import { LineSplitter } from "../../std/line-splitter.ts";
import type { OutputReader } from "../host/supervise.ts";
import { parseLine } from "./json-lines.ts";

const LINE_BYTES_MAX = 8 * 1024 * 1024;

/** Reads notes, and shows every other line as activity. */
export class NotesReader implements OutputReader {
  #notes: Note[] = [];
  readonly #lines = new LineSplitter(
    (line) => this.#read(line.bytes.toString("utf8")),
    LINE_BYTES_MAX,
  );

  push(chunk: Buffer): readonly Note[] {
    this.#lines.push(chunk);
    return this.#take();
  }

  end(): readonly Note[] {
    this.#lines.end();
    return this.#take();
  }

  #read(line: string): void {
    const { objects, garbled } = parseLine(line);
    for (const object of objects) {
      const note = Note.safeParse(object);
      if (note.success) this.#notes.push(note.data);
    }
    // A line that is no note is ordinary output: shown, and nothing more.
    if (garbled)
      this.#notes.push({ type: "activity", text: printableLine(line.slice(0, 400), 200) });
  }

  #take(): readonly Note[] {
    const notes = this.#notes;
    this.#notes = [];
    return notes.length === 0 ? [{ type: "activity", text: "" }] : notes;
  }
}
