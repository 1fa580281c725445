// Keeps the last bytes of a stream of any length in a bounded buffer.

/** The end of a stream. */
export class Tail {
  readonly #bytesMax: number;
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  push(chunk: Buffer): void {
    if (chunk.length >= this.#bytesMax) {
      this.#chunks = [chunk.subarray(chunk.length - this.#bytesMax)];
      this.#size = this.#bytesMax;
      return;
    }
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    // Compacting only at twice the size keeps the cost per byte constant.
    if (this.#size > 2 * this.#bytesMax || this.#chunks.length > 256) this.#compact();
  }

  /** The kept bytes as text; a character cut at the front is dropped. */
  text(): string {
    this.#compact();
    const bytes = this.#chunks[0] ?? Buffer.alloc(0);
    let from = 0;
    while (from < bytes.length && from < 4 && (at(bytes, from) & 0xc0) === 0x80) from++;
    return bytes.toString("utf8", from);
  }

  #compact(): void {
    const whole = Buffer.concat(this.#chunks);
    const kept = whole.length > this.#bytesMax ? whole.subarray(-this.#bytesMax) : whole;
    this.#chunks = [Buffer.from(kept)];
    this.#size = kept.length;
  }
}

function at(bytes: Buffer, index: number): number {
  return bytes[index] ?? 0;
}
