import fc from "fast-check";
import { expect, test } from "vitest";
import { Tail } from "./tail.ts";

test("keeps the last bytes of any number of chunks", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: fc.constantFrom("a", "b", "c", "\n"), maxLength: 30 }), {
        maxLength: 60,
      }),
      fc.integer({ min: 1, max: 40 }),
      (chunks, max) => {
        const tail = new Tail(max);
        for (const chunk of chunks) tail.push(Buffer.from(chunk));
        expect(tail.text()).toBe(chunks.join("").slice(-max));
        // Asking does not change the answer.
        expect(tail.text()).toBe(chunks.join("").slice(-max));
      },
    ),
  );
});

test("goes on after it was asked", () => {
  const tail = new Tail(4);
  tail.push(Buffer.from("abcdef"));
  expect(tail.text()).toBe("cdef");
  tail.push(Buffer.from("gh"));
  expect(tail.text()).toBe("efgh");
});

test("drops a character that was cut at the front", () => {
  const tail = new Tail(4);
  tail.push(Buffer.from("xx🦜yz"));
  expect(tail.text()).toBe("yz");
});

test("is empty at first", () => {
  expect(new Tail(4).text()).toBe("");
});
