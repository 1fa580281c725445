import { describe, expect, test } from "vitest";
import { renderViolations } from "./checkers.ts";
import { Random } from "./random.ts";
import { simulateTwice } from "./simulate.ts";

const SEEDS = 3000;
const BATCH = 250;

describe("every rule holds, and each seed writes the same log twice", () => {
  const batches = Array.from({ length: SEEDS / BATCH }, (_, i) => ({
    from: i * BATCH + 1,
    to: (i + 1) * BATCH,
  }));
  test.each(batches)("seeds $from to $to", async ({ from, to }) => {
    const failures: string[] = [];
    for (let seed = from; seed <= to; seed++) {
      const { violations } = await simulateTwice(seed);
      if (violations.length > 0) failures.push(renderViolations(seed, violations));
    }
    expect(failures.slice(0, 5).join("\n")).toBe("");
  });
});

describe("the generator", () => {
  const first = (random: Random, count: number): number[] =>
    Array.from({ length: count }, () => random.next());

  test("gives the same numbers for the same seed, on every machine", () => {
    expect(first(new Random(68), 3)).toEqual(first(new Random(68), 3));
    expect(new Random(1).between(0, 1_000_000)).toBe(968_378);
  });

  test("gives other numbers for the next seed", () => {
    expect(first(new Random(68), 3)).not.toEqual(first(new Random(69), 3));
  });

  test("stays within its bounds and reaches both", () => {
    const random = new Random(3);
    const seen = new Set(Array.from({ length: 500 }, () => random.between(2, 5)));
    expect(seen).toEqual(new Set([2, 3, 4, 5]));
  });

  test("picks by weight and never what has none", () => {
    const random = new Random(5);
    const seen = Array.from({ length: 1000 }, () =>
      random.weighted({ often: 9, seldom: 1, never: 0 }),
    );
    const often = seen.filter((word) => word === "often").length;
    expect(often).toBeGreaterThan(800);
    expect(often).toBeLessThan(980);
    expect(seen).not.toContain("never");
  });

  test("a fork does not depend on how much the others use", () => {
    const [a, b] = [new Random(9), new Random(9)];
    const [forkA, forkB] = [a.fork(), b.fork()];
    first(a, 10);
    expect(first(forkA, 5)).toEqual(first(forkB, 5));
  });
});
