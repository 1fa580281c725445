// Cuts a byte stream into lines with a hard cap per line, so that one endless line cannot fill the memory.

const NEWLINE = 10;
const RETURN = 13;

/** What the splitter hands on: the bytes of one line, without its line end. */
export interface Line {
  readonly bytes: Buffer;
  /** True when the line was longer than the cap; `bytes` then holds its beginning only. */
  readonly cut: boolean;
}

/** Takes chunks of any size and hands on lines. */
export class LineSplitter {
  readonly #onLine: (line: Line) => void;
  readonly #lineBytesMax: number;
  #parts: Buffer[] = [];
  #size = 0;
  #cut = false;

  constructor(onLine: (line: Line) => void, lineBytesMax: number) {
    this.#onLine = onLine;
    this.#lineBytesMax = lineBytesMax;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, from);
      if (end === -1) break;
      this.#keep(chunk.subarray(from, end));
      this.#emit();
      from = end + 1;
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from));
  }

  /** The last line, where the stream did not end in a line end. */
  end(): void {
    if (this.#size > 0 || this.#cut) this.#emit();
  }

  #keep(part: Buffer): void {
    const room = this.#lineBytesMax - this.#size;
    if (part.length > room) this.#cut = true;
    if (room <= 0 || part.length === 0) return;
    const kept = part.length > room ? part.subarray(0, room) : part;
    this.#parts.push(kept);
    this.#size += kept.length;
  }

  #emit(): void {
    const [only] = this.#parts;
    const whole =
      this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts);
    const bytes = whole.at(-1) === RETURN ? whole.subarray(0, -1) : whole;
    const cut = this.#cut;
    this.#parts = [];
    this.#size = 0;
    this.#cut = false;
    this.#onLine({ bytes, cut });
  }
}
