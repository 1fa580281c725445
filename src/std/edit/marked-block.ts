// A block of our own between two marks in a text that is somebody else's: put in, renewed, and taken out again so that
// every other byte is as it was.

/** The two lines around a block. */
export interface Marks {
  readonly start: string;
  readonly end: string;
}

/** The text with the block at its end, or in the place of the one that is there. */
export function putBlock(text: string, marks: Marks, lines: readonly string[]): string {
  const block = `${[marks.start, ...lines, marks.end].join("\n")}\n`;
  const found = findBlock(text, marks);
  if (found !== undefined) return text.slice(0, found.from) + block + text.slice(found.to);
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  return text + gap + block;
}

/**
 * The text without the block. `gap` tells whether the line end before it is ours: it was put there when the text did
 * not end with one, and goes too unless something has been written after the block since.
 */
export function takeBlock(text: string, marks: Marks, gap: "ours" | "theirs"): string {
  const found = findBlock(text, marks);
  if (found === undefined) return text;
  const before = text.slice(0, found.from);
  const after = text.slice(found.to);
  const isGapOurs = gap === "ours" && after === "" && before.endsWith("\n");
  return (isGapOurs ? before.slice(0, -1) : before) + after;
}

export function hasBlock(text: string, marks: Marks): boolean {
  return findBlock(text, marks) !== undefined;
}

/** From the start of the first mark's line to behind the last one's; undefined unless both are whole lines in order. */
function findBlock(text: string, { start, end }: Marks): { from: number; to: number } | undefined {
  const from = findLine(text, start, 0);
  if (from === undefined) return undefined;
  const last = findLine(text, end, from);
  if (last === undefined) return undefined;
  const to = last + end.length;
  return { from, to: text[to] === "\n" ? to + 1 : to };
}

function findLine(text: string, line: string, since: number): number | undefined {
  for (let at = text.indexOf(line, since); at !== -1; at = text.indexOf(line, at + 1)) {
    const isStart = at === 0 || text[at - 1] === "\n";
    const next = text[at + line.length];
    if (isStart && (next === undefined || next === "\n")) return at;
  }
  return undefined;
}
