// Plays a table of adversaries: each gets an arena, misbehaves, and is followed by the same questions.

import { expect, test } from "vitest";
import { Arena, type ArenaOptions } from "./arena.ts";
import { findWrongs, type Exception } from "./truth.ts";

/** One misbehaving agent and what has to come of it. */
export interface Adversary extends ArenaOptions {
  /** `A07 removes a story`. */
  readonly name: string;
  /** Further arguments of `ralph run`. */
  readonly args?: readonly string[];
  /** Exit codes of the run, one for every time it is started; `null` for a runner that was killed. */
  readonly ends: number | readonly (number | null)[];
  /** What a person must be able to read about it: in `why` after a failure, in the log after a success. */
  readonly tells: RegExp;
  readonly except?: readonly Exception[];
  /** Further truths. */
  readonly also?: (arena: Arena) => void | Promise<void>;
  /** A known gap: what is wrong today, as the truth shows it. When it is closed the test fails until this is taken out. */
  readonly gap?: RegExp;
  /** What a person does before the run is started again. */
  readonly between?: (arena: Arena, runs: number) => void;
}

/** Every exit code that the documentation names. */
const KNOWN_CODES = new Set([0, 1, 2, 3, 4, 64, 73, 74, 129, 130, 143]);

export function play(adversaries: readonly Adversary[]): void {
  test.each(adversaries)("$name", async (adversary) => {
    await playOne(adversary);
  });
}

async function playOne(adversary: Adversary): Promise<void> {
  const arena = new Arena(adversary);
  const ends = typeof adversary.ends === "number" ? [adversary.ends] : adversary.ends;
  const codes: (number | null)[] = [];
  let printed = "";
  while (codes.length < ends.length) {
    if (codes.length > 0) adversary.between?.(arena, codes.length);
    const { code, stdout, stderr } = await arena.run(adversary.args);
    codes.push(code);
    printed += stdout + stderr;
  }
  const { project, before, mark } = arena;
  const code = codes.at(-1) ?? null;
  const wrongs = await findWrongs(project, {
    before,
    mark,
    code,
    except: adversary.except ?? [],
  });
  const problems = [...wrongs, ...compareEnds(codes, ends)];
  const { gap } = adversary;
  const unexpected = gap === undefined ? problems : findClosed(gap, problems);
  expect(unexpected, `printed: ${printed}`).toEqual([]);
  if (gap !== undefined) return;
  await adversary.also?.(arena);
  await checkTelling(arena, adversary, code);
}

function compareEnds(
  codes: readonly (number | null)[],
  ends: readonly (number | null)[],
): string[] {
  const foreign = codes.filter((code) => code !== null && !KNOWN_CODES.has(code));
  return [
    ...foreign.map((code) => `exit ${String(code)} is in no documentation`),
    ...(codes.join() === ends.join() ? [] : [`exit ${codes.join()} instead of ${ends.join()}`]),
  ];
}

/** A gap that is not there any more must not stay in the table. */
function findClosed(gap: RegExp, problems: readonly string[]): string[] {
  if (gap.test(problems.join("\n"))) return [];
  return ["the gap is closed, or has become another one", ...problems];
}

/** The one place where the program's own words count: whether it tells what happened. */
async function checkTelling(
  arena: Arena,
  { tells }: Adversary,
  code: number | null,
): Promise<void> {
  const lines = (await arena.ask("logs", "--json", "--last", "100000")).split("\n");
  for (const line of lines.filter((one) => one !== ""))
    expect(() => JSON.parse(line) as unknown, `line: ${line}`).not.toThrow();
  const told = await arena.ask(...(code === 0 ? ["logs", "--last", "100000"] : ["why"]));
  expect(told).toMatch(tells);
}
