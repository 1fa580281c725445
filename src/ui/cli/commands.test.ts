import { describe, expect, test } from "vitest";
import type { CommandRow, Shell } from "./command.ts";
import { commands } from "./commands.ts";
import { callCommand } from "./parse-command-line.ts";

class Reached extends Error {}

/** Understood means that the handler would have been called; what was said instead otherwise. */
async function parse(argv: string[]): Promise<string> {
  let said = "";
  const shell: Shell = {
    argv,
    version: "0",
    out: () => undefined,
    err: (text) => (said += text),
    open: async () => await Promise.reject(new Reached()),
  };
  try {
    await callCommand(shell);
    return said;
  } catch (error) {
    if (error instanceof Reached) return "understood";
    throw error;
  }
}

/** Each call of ralph in a line of shell, its words without quotes. */
function callsIn(example: string): string[][] {
  const calls = [...example.matchAll(/\bralph ([^|&)>]*)/gu)].map((match) => match[1] ?? "");
  return calls.map((call) =>
    call
      .trim()
      .split(/\s+/u)
      .map((word) => word.replaceAll(/^["']|["']$/gu, "")),
  );
}

describe.each(commands.map((row): [string, CommandRow] => [row.name, row]))("%s", (_, row) => {
  test("has an example of itself", () => {
    expect(row.examples.length).toBeGreaterThan(0);
    expect(
      row.examples.some((example) => callsIn(example).some(([name]) => name === row.name)),
    ).toBe(true);
  });

  test.each(row.examples)("the example can be typed: %s", async (example) => {
    for (const argv of callsIn(example)) expect(await parse(argv)).toBe("understood");
  });

  test("its summary is one short line without a full stop", () => {
    expect(row.summary).toMatch(/^[a-z].{8,118}[^.]$/u);
  });
});

test("names and options are there once", () => {
  const names = commands.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { options } of commands) {
    const flags = options.flatMap((option) => option.flags.match(/--?[a-z-]+/gu) ?? []);
    expect(new Set(flags).size).toBe(flags.length);
  }
});
