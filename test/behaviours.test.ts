import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const root = new URL("../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), "utf8");

/** Id and files of every row of the table. */
const rows = read("docs/behaviours.md")
  .split("\n")
  .map((line) => /^\| ([A-Z]\d+) \|.*\| (.*) \|$/u.exec(line))
  .filter((match) => match !== null)
  .map(([, id = "", cell = ""]): [string, string[]] => [
    id,
    [...cell.matchAll(/`([^`]+)`/gu)].map((match) => match[1] ?? ""),
  ]);

/** Ids that open the titles of the tests in a file. */
function idsIn(path: string): string[] {
  const openings = read(path).matchAll(/\((?:\s*)["'`]((?:[A-Z]\d+ )+)/gu);
  return [...openings].flatMap((match) => (match[1] ?? "").trim().split(" "));
}

const series = (letter: string, last: number): string[] =>
  Array.from({ length: last }, (_, n) => `${letter}${n + 1}`);

test("the table has every row of process, state and truth, and those of guards and goals that are built", () => {
  const ids = rows.map(([id]) => id);
  const guards = [
    "E1",
    "E4",
    "E11",
    "E12",
    "G1",
    "G3",
    "G7",
    "E2",
    "E3",
    "E8",
    "E13",
    "E14",
    "E15",
    "E16",
    "G2",
    "G4",
    "E5",
    "E6",
    "E7",
    "E9",
    "E10",
    "G5",
    "G6",
    "L6",
  ];
  const expected = [...series("P", 8), ...series("S", 7), ...series("T", 11), ...guards];
  expect(ids).toEqual(expect.arrayContaining(expected));
  expect(new Set(ids).size).toBe(ids.length);
});

test.each(rows)("%s has tests under its own name where the table says", (id, files) => {
  const [first = "", ...others] = files;
  expect(idsIn(first)).toContain(id);
  // Programs and simulations show a row in their own ways; a test through the program is named after it.
  for (const file of others) {
    expect(read(file).length).toBeGreaterThan(0);
    const ids = file.startsWith("test/e2e/") ? idsIn(file) : [id];
    expect(ids).toContain(id);
  }
});

test("every id in the title of a test is a row that names its file", () => {
  const named = new Map(rows);
  const files = readdirSync(new URL("test/e2e/", root)).filter((name) => name.endsWith(".test.ts"));
  const unnamed = files.flatMap((name) => {
    const path = `test/e2e/${name}`;
    return [...new Set(idsIn(path))]
      .filter((id) => named.get(id)?.includes(path) !== true)
      .map((id) => `${id} ${path}`);
  });
  expect(unnamed).toEqual([]);
});
