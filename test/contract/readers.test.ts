import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Note } from "../../src/core/schema/note.ts";
import { newReader } from "../../src/world/agents/registry.ts";
import { stream } from "../rig/agents.ts";

const FORMATS = ["text", "claude", "notes"] as const;
type Format = (typeof FORMATS)[number];

/**
 * All notes of a stream cut at the given places. Activity is left out for plain text, where each chunk has its own,
 * and empty activity everywhere: it only says that something came.
 */
function read(format: Format, bytes: Buffer, cuts: readonly number[] = []): Note[] {
  const reader = newReader(format);
  const places = [...cuts.map((cut) => cut % (bytes.length + 1)), 0, bytes.length].toSorted(
    (a, b) => a - b,
  );
  const notes = places.slice(1).flatMap((place, i) => {
    // A copy, so that a reader that keeps a chunk is not helped by its neighbour in memory.
    const chunk = Buffer.from(bytes.subarray(places[i], place));
    return chunk.length === 0 ? [] : [...reader.push(chunk)];
  });
  return [...notes, ...reader.end()].filter(
    (note) => note.type !== "activity" || (format !== "text" && note.text !== ""),
  );
}

const notes: readonly Note[] = [
  { type: "started", version: "1" },
  { type: "activity", text: "wörk 🦜" },
  { type: "tool-started", id: "1", tool: "Bash", text: "Bash ls" },
  { type: "tool-ended", id: "1" },
  { type: "tokens", tokens: { input: 1 } },
  { type: "limit", kind: "usage", text: "limit" },
  { type: "denied", tool: "Bash", input: "{}" },
  { type: "result", good: true, text: "first\n<promise>COMPLETE</promise>" },
];
const lines = notes.map((note) => JSON.stringify(note));

/** Pieces from which streams are put together: whole events, halves of them, garbage and line ends. */
const PIECES: readonly Buffer[] = [
  ...["claude-success", "claude-two-results", "claude-usage-limit", "claude-denied"].flatMap(
    (name) => stream(name).trimEnd().split("\n"),
  ),
  ...lines,
  "\n",
  "\r\n",
  "\n\n",
  "{",
  '{"',
  "}",
  '"',
  "\\",
  "plain words",
  "wörter 🦜",
  '{"type":"assistant","message":{"content":[{"type":"text","text":"cut he',
  "\u001B[31m",
  "\0",
]
  .map((text) => Buffer.from(text))
  .concat([Buffer.from([0xff, 0xc3]), Buffer.from([0xf0, 0x9f]), Buffer.from([0x80])]);

const bytesOf = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => Buffer.concat(pieces)),
  fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
);
const cutsOf = fc.array(fc.nat({ max: 200_000 }), { maxLength: 60 });

describe.each(FORMATS)("the reader of %s", (format) => {
  test("makes the same notes of the same bytes, however they are cut", () => {
    fc.assert(
      fc.property(bytesOf, cutsOf, (bytes, cuts) => {
        expect(read(format, bytes, cuts)).toEqual(read(format, bytes));
      }),
      { numRuns: 400 },
    );
  });

  test("makes the same notes byte by byte", () => {
    const bytes = Buffer.from(`${stream("claude-success")}${lines.join("\n")}\nlast wörds 🦜`);
    const cuts = Array.from({ length: bytes.length }, (_, i) => i);
    expect(read(format, bytes, cuts)).toEqual(read(format, bytes));
  });

  test("never throws, and has nothing to say twice after the end", () => {
    fc.assert(
      fc.property(bytesOf, (bytes) => {
        const reader = newReader(format);
        reader.push(bytes);
        reader.end();
        const again = reader.end().filter((note) => note.type !== "activity");
        expect(format === "text" ? [] : again).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });

  test("shows nothing that a terminal acts on", () => {
    fc.assert(
      fc.property(bytesOf, cutsOf, (bytes, cuts) => {
        const reader = newReader(format === "notes" ? "claude" : format);
        const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length];
        places.sort((a, b) => a - b);
        for (const [i, place] of places.slice(1).entries()) {
          for (const note of reader.push(bytes.subarray(places[i], place))) {
            if (note.type !== "activity" && note.type !== "garbled") continue;
            expect(note.text).not.toMatch(/[\u0000-\u001F\u007F-\u009F]/u);
          }
        }
      }),
    );
  });

  test("gives a sign of life for every chunk", () => {
    const reader = newReader(format);
    for (const byte of Buffer.from('half of a line, {"type":')) {
      expect(reader.push(Buffer.from([byte])).length).toBeGreaterThan(0);
    }
  });

  test("makes the same of CRLF as of LF", () => {
    const text = format === "notes" ? `${lines.join("\n")}\n` : stream("claude-success");
    const crlf = text.replaceAll("\n", "\r\n");
    // A message of plain text is passed on as it is, line ends included.
    const unix = read(format, Buffer.from(crlf)).map((note) =>
      note.type === "result" ? { ...note, text: note.text.replaceAll("\r\n", "\n") } : note,
    );
    expect(unix).toEqual(read(format, Buffer.from(text)));
  });
});

describe("the final message", () => {
  const results = (format: Format, text: string): string[] =>
    read(format, Buffer.from(text)).flatMap((note) => (note.type === "result" ? [note.text] : []));

  test("of plain text is its last paragraph", () => {
    expect(results("text", "one\n\ntwo\nthree\n\n\n")).toEqual(["two\nthree"]);
    expect(results("text", "one\r\n \r\ntwo\r\n")).toEqual(["two"]);
    expect(results("text", " \n\n")).toEqual([]);
  });

  test("of our own stream is each result, in order", () => {
    expect(results("notes", `${lines.join("\n")}\n{"type":"result","text":"second"}`)).toEqual([
      "first\n<promise>COMPLETE</promise>",
      "second",
    ]);
  });

  test("of claude is each result, in order, and nothing an assistant or a tool says", () => {
    const final = "All tasks are finished.\n<promise>COMPLETE</promise>";
    expect(results("claude", stream("claude-two-results"))).toEqual([final, final]);
    expect(
      results("claude", stream("claude-success").trimEnd().split("\n").slice(0, -1).join("\n")),
    ).toEqual([]);
  });

  test("is not an object that only looks like a result", () => {
    expect(results("claude", '{"type":"result","result":"<promise>COMPLETE</promise>"}\n')).toEqual(
      [],
    );
    expect(results("notes", 'he said {"type":"other"}\n')).toEqual([]);
  });
});
