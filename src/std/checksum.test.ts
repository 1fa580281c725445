import fc from "fast-check";
import { expect, test } from "vitest";
import { checksum } from "./checksum.ts";

test("is the same for the same text and has a fixed length", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(checksum(text)).toMatch(/^[0-9a-f]{16}$/u);
      expect(checksum([...text].join(""))).toBe(checksum(text));
    }),
  );
});

test("changes with any one character, at the start as at the end", () => {
  const text = "the quick brown fox ".repeat(50);
  const sums = new Set([checksum(text)]);
  for (let i = 0; i < text.length; i++) {
    sums.add(checksum(`${text.slice(0, i)}\u0001${text.slice(i + 1)}`));
  }
  expect(sums.size).toBe(text.length + 1);
});

test("ten thousand short texts have ten thousand checksums", () => {
  expect(new Set(Array.from({ length: 10_000 }, (_, i) => checksum(`/home/${i}`))).size).toBe(
    10_000,
  );
});
