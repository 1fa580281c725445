// Breaks a line between words so that it fits a width, and sets off what goes on in the next one.

const ESCAPE = /\u001B\[[\d;]*m/gu;

/** Lines of at most `columns` characters where words allow it; all but the first begin with `indent` spaces. */
export function wrapWords(text: string, columns: number, indent: number): string {
  const margin = " ".repeat(indent);
  const lines: string[] = [];
  let line = "";
  // What a line begins with is kept: it may be set off itself.
  for (const part of text.split(/(?<=\S)(?= )/u)) {
    const isFirst = line === "";
    if (isFirst || widthOf(line) + widthOf(part) <= columns) {
      line += part;
      continue;
    }
    lines.push(line);
    line = margin + part.trimStart();
  }
  return [...lines, line].join("\n");
}

/** Every line of a text for itself; what goes on is set off by two more spaces than its line begins with. */
export function wrapLines(text: string, columns: number): string {
  const fit = (line: string): string => {
    const margin = line.length - line.trimStart().length;
    return wrapWords(line, columns, margin + 2);
  };
  return text.split("\n").map(fit).join("\n");
}

/** Colours take no room. */
function widthOf(text: string): number {
  return text.replaceAll(ESCAPE, "").length;
}
