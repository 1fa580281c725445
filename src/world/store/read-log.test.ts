import { mkdirSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { newFolder, testHost } from "../../../test/rig/host.ts";
import { renderRunId, type RunId } from "../../core/schema/ids.ts";
import { readEvents } from "./read-log.ts";
import { runPaths } from "./run-paths.ts";

const run: RunId = renderRunId(0, "abcd");
const line = (seq: number, more: object = {}): string =>
  `${JSON.stringify({ v: 1, seq, at: seq, run, type: "wait-ended", ...more })}\n`;

function read(bytes: string | Buffer, from = 0) {
  const paths = runPaths(newFolder(), run);
  mkdirSync(paths.folder, { recursive: true });
  writeFileSync(paths.events, bytes);
  const seqs: number[] = [];
  const end = readEvents(testHost(), paths, from, (_, { seq }) => seqs.push(seq));
  return { seqs, end };
}

test("every whole line is handed on, from any offset", () => {
  const [first, second, third] = [line(1), line(2), line(3)];
  const text = first + second + third;
  expect(read(text)).toEqual({ seqs: [1, 2, 3], end: { ok: true, value: text.length } });
  expect(read(text, first.length).seqs).toEqual([2, 3]);
});

test("a missing file has no events", () => {
  const paths = runPaths(newFolder(), run);
  expect(readEvents(testHost(), paths, 0, () => undefined)).toEqual({ ok: true, value: 0 });
});

test("a last line without its end is torn, wherever it was cut", () => {
  const whole = line(1) + line(2);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: line(3).length - 1 }), (cut) => {
      const { seqs, end } = read(whole + line(3).slice(0, cut));
      expect(seqs).toEqual([1, 2]);
      expect(end).toEqual({ ok: true, value: whole.length });
    }),
    { numRuns: 30 },
  );
});

test("a broken last line with its end is torn, a broken line before others is damage", () => {
  expect(read(`${line(1)}\0\0\0\n`)).toEqual({
    seqs: [1],
    end: { ok: true, value: line(1).length },
  });
  const { seqs, end } = read(`${line(1)}{broken\n${line(3)}`);
  expect(seqs).toEqual([1]);
  expect(end).toMatchObject({
    ok: false,
    error: expect.stringContaining(`damaged at byte ${line(1).length}`) as string,
  });
});

test("an event of a later version is passed over and keeps its number", () => {
  expect(read(line(1) + line(2, { type: "from-the-future", x: 1 }) + line(3)).seqs).toEqual([
    1, 2, 3,
  ]);
});

test("lines are found across the pieces a large file is read in", () => {
  const lines = Array.from({ length: 3000 }, (_, n) => line(n + 1, { detail: "ü".repeat(300) }));
  expect(read(lines.join("")).seqs).toHaveLength(3000);
});

test("a line without end is not read into memory for ever", () => {
  expect(read("x".repeat(4 * 1024 * 1024)).end).toMatchObject({ ok: false });
});
