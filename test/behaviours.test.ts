import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const root = new URL("../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), "utf8");

const rows = read("docs/behaviours.md")
  .split("\n")
  .flatMap((line) => /^\| ([A-Z]\d+) \|.*\| (.*) \|$/u.exec(line)?.slice(1, 3) ?? [])
  .reduce<[string, string[]][]>((all, cell, i, cells) => {
    const files = [...(cells[i + 1] ?? "").matchAll(/`([^`]+)`/gu)].map((match) => match[1] ?? "");
    return i % 2 === 0 ? [...all, [cell, files]] : all;
  }, []);

test("the table has every row of process and state that is built", () => {
  const ids = rows.map(([id]) => id);
  expect(ids).toEqual(expect.arrayContaining(["P1", "P2", "P3", "P4", "P5", "P6", "P7", "P8"]));
  expect(ids).toEqual(expect.arrayContaining(["S1", "S2", "S5", "S6", "S7"]));
});

test.each(rows)("%s has a test under its own name where the table says", (id, files) => {
  const [file = ""] = files;
  expect(read(file)).toMatch(new RegExp(`["\`](?:[A-Z]\\d+ )*${id} `, "u"));
  // Every other file that is named is there.
  for (const other of files) expect(read(other).length).toBeGreaterThan(0);
});
