import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { CHECKERS } from "./checkers.ts";
import { PLANTED } from "./planted.ts";
import { simulate, simulateTwice } from "./simulate.ts";

/** A bug that this many seeds do not bring to light is not caught. */
const SEEDS_MAX = 1500;

/** The first seed whose run breaks the rule. */
async function firstCaught(checker: string, plant: (typeof PLANTED)[number]["plant"]) {
  const run = checker === "deterministic" ? simulateTwice : simulate;
  for (let seed = 1; seed <= SEEDS_MAX; seed++) {
    const { violations } = await run(seed, plant);
    if (violations.some((violation) => violation.checker === checker)) return seed;
  }
  return undefined;
}

describe("a planted bug is caught by its checker", () => {
  test.each(PLANTED)("$checker: $name", async ({ checker, plant }) => {
    expect(await firstCaught(checker, plant)).toBeDefined();
  });
});

test("every checker has a planted bug", () => {
  expect(new Set(PLANTED.map(({ checker }) => checker))).toEqual(new Set(Object.keys(CHECKERS)));
});

test("docs/simulation.md tells every rule, its checker and its planted bugs", () => {
  const table = readFileSync(new URL("../../docs/simulation.md", import.meta.url), "utf8");
  for (const [checker, rule] of Object.entries(CHECKERS)) {
    const bugs = PLANTED.filter((bug) => bug.checker === checker).map(({ name }) => name);
    expect(table).toContain(`| ${rule} | \`${checker}\` | ${bugs.join("<br>")} |`);
  }
});
