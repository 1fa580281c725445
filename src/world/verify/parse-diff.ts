// Reads the text of `git diff` into files with their removed and added lines. Which of them matter is not known here.

/** One file that a diff names. */
export interface DiffFile {
  /** The path it has now, or had when it is deleted. */
  readonly path: string;
  /** The path it had before; undefined unless it was renamed. */
  readonly oldPath: string | undefined;
  readonly status: "added" | "changed" | "deleted" | "renamed";
  /** Lines without their sign and line end, in the order of the file. */
  readonly removed: readonly string[];
  /** Lines without their sign and line end, in the order of the file. */
  readonly added: readonly string[];
}

interface Section {
  /** What follows `diff --git `. */
  readonly title: string;
  readonly head: string[];
  readonly removed: string[];
  readonly added: string[];
}

const TITLE = "diff --git ";
const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/u;
const ESCAPED: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  t: "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
};

/** A file of which only the mode changed is left out: no line of it is another. */
export function parseDiff(text: string): DiffFile[] {
  const sections: Section[] = [];
  let section: Section | undefined;
  // Only the counts of a hunk tell a removed line `-- a` from the head of a file.
  let oldLeft = 0;
  let newLeft = 0;
  for (const line of text.split("\n")) {
    if (line.startsWith(TITLE)) {
      section = { title: line.slice(TITLE.length), head: [], removed: [], added: [] };
      sections.push(section);
      oldLeft = 0;
      newLeft = 0;
      continue;
    }
    if (oldLeft <= 0 && newLeft <= 0) {
      const hunk = HUNK.exec(line);
      oldLeft = hunk === null ? 0 : Number(hunk[1] ?? 1);
      newLeft = hunk === null ? 0 : Number(hunk[2] ?? 1);
      if (hunk === null) section?.head.push(line);
      continue;
    }
    // It says that the last line has no end, and is no line itself.
    if (line.startsWith("\\")) continue;
    if (!line.startsWith("+")) oldLeft -= 1;
    if (!line.startsWith("-")) newLeft -= 1;
    const content = line.endsWith("\r") ? line.slice(1, -1) : line.slice(1);
    if (line.startsWith("-")) section?.removed.push(content);
    if (line.startsWith("+")) section?.added.push(content);
  }
  return sections.map(fileOf).filter((file) => file !== undefined);
}

function fileOf(section: Section): DiffFile | undefined {
  const { head, removed, added } = section;
  const has = (prefix: string): boolean => head.some((line) => line.startsWith(prefix));
  const renamedFrom = findName(head, "rename from ");
  const path = findName(head, "rename to ") ?? findSide(head) ?? parseTitle(section.title);
  if (path === undefined) return undefined;
  if (renamedFrom !== undefined) {
    return { path, oldPath: renamedFrom, status: "renamed", removed, added };
  }
  if (has("new file mode ") || has("copy from ")) {
    return { path, oldPath: undefined, status: "added", removed, added };
  }
  if (has("deleted file mode ")) {
    return { path, oldPath: undefined, status: "deleted", removed, added };
  }
  if (has("old mode ") && !has("index ")) return undefined;
  return { path, oldPath: undefined, status: "changed", removed, added };
}

function findName(head: readonly string[], prefix: string): string | undefined {
  const line = head.find((text) => text.startsWith(prefix));
  if (line === undefined) return undefined;
  // git ends a name that holds a space with a tab, for the sake of old patch programs.
  return unquote(line.slice(prefix.length).replace(/\t$/u, ""));
}

function findSide(head: readonly string[]): string | undefined {
  const sides = [findName(head, "+++ "), findName(head, "--- ")];
  return sides.find((name) => name !== undefined && name !== "/dev/null")?.slice(2);
}

/** Both names are the same here, for a rename says its names elsewhere: `a/x b/x`, each perhaps in quotes. */
function parseTitle(title: string): string | undefined {
  const middle = (title.length - 1) / 2;
  if (title[middle] !== " ") return undefined;
  return unquote(title.slice(0, middle)).slice(2);
}

/** Undoes the quotes git puts around a name with a quote, a backslash or a control character in it. */
function unquote(name: string): string {
  if (!name.startsWith('"') || !name.endsWith('"') || name.length < 2) return name;
  const parts = name.slice(1, -1).match(/\\[0-7]{3}|\\.|[^\\]+/gsu) ?? [];
  // An octal escape is a byte, and only several of them together may be a character.
  return Buffer.concat(parts.map(bytesOf)).toString("utf8");
}

function bytesOf(part: string): Buffer {
  if (!part.startsWith("\\")) return Buffer.from(part);
  const escape = part.slice(1);
  if (escape.length === 3) return Buffer.from([Number.parseInt(escape, 8)]);
  return Buffer.from(ESCAPED[escape] ?? escape);
}
