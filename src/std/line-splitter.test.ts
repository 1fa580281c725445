import fc from "fast-check";
import { expect, test } from "vitest";
import { LineSplitter } from "./line-splitter.ts";

function split(chunks: readonly (string | Buffer)[], max = 1000): { text: string; cut: boolean }[] {
  const lines: { text: string; cut: boolean }[] = [];
  const splitter = new LineSplitter(
    ({ bytes, cut }) => lines.push({ text: bytes.toString("latin1"), cut }),
    max,
  );
  for (const chunk of chunks)
    splitter.push(typeof chunk === "string" ? Buffer.from(chunk, "latin1") : chunk);
  splitter.end();
  return lines;
}

const whole = (...texts: string[]) => texts.map((text) => ({ text, cut: false }));

test("hands on lines without their ends", () => {
  expect(split(["one\ntwo\r\n\nfour"])).toEqual(whole("one", "two", "", "four"));
  expect(split(["one\n"])).toEqual(whole("one"));
  expect(split([])).toEqual([]);
});

test("puts a line together from many chunks, also where a chunk ends between CR and LF", () => {
  expect(split(["o", "n", "e\r", "\nt", "wo"])).toEqual(whole("one", "two"));
});

test("keeps a return inside a line", () => {
  expect(split(["a\rb\n"])).toEqual(whole("a\rb"));
});

test("cuts a line at the cap, says so, and begins the next one afresh", () => {
  expect(split(["abcdef", "ghi\nok\n"], 4)).toEqual([
    { text: "abcd", cut: true },
    { text: "ok", cut: false },
  ]);
  expect(split(["abcd\nabcde"], 4)).toEqual([
    { text: "abcd", cut: false },
    { text: "abcd", cut: true },
  ]);
});

test("makes the same lines of the same bytes, however they are cut", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\n", "\r", "ü"), maxLength: 80 });
  fc.assert(
    fc.property(
      text,
      fc.array(fc.nat(80), { maxLength: 10 }),
      fc.integer({ min: 1, max: 20 }),
      (input, cuts, max) => {
        const bytes = Buffer.from(input, "latin1");
        const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length];
        places.sort((a, b) => a - b);
        const chunks = places.slice(1).map((place, i) => bytes.subarray(places[i], place));
        expect(split(chunks, max)).toEqual(split([bytes], max));
        const expected = input.endsWith("\n") ? input.slice(0, -1).split("\n") : input.split("\n");
        expect(split([bytes])).toEqual(
          input === "" ? [] : whole(...expected.map((line) => line.replace(/\r$/u, ""))),
        );
      },
    ),
  );
});
