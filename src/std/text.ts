// Small things about text that the language lacks: bounded cuts, safe names, positions.

/** At most `max` characters, with a visible mark where something was cut. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, Math.max(0, max - 1))}…`;
}

/** A name that is safe in paths and refs; never empty, at most 60 characters. */
export function slug(text: string): string {
  const safe = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .replaceAll(/^-+|-+$/gu, "")
    .slice(0, 60);
  return safe === "" ? "unnamed" : safe;
}

/** `1 task`, `2 tasks`: a number with its word. */
export function count(number: number, word: string, plural: string = `${word}s`): string {
  return `${number} ${number === 1 ? word : plural}`;
}

/** Line and column, both from 1, of an offset in a text. */
export function positionAt(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  return { line, column: offset - before.lastIndexOf("\n") };
}
