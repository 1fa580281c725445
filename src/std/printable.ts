// Makes foreign text safe to show: nothing in it can move the cursor, colour the screen or ring the bell.

// A whole escape sequence goes; a lone control character becomes a space.
const ESCAPES =
  /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[PX^_][^\u001B]*(?:\u001B\\)?|[ -/]*[0-~])/gu;
const CONTROLS =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;

/** Multi-line text without anything a terminal would act on. */
export function printable(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(ESCAPES, "").replaceAll(CONTROLS, " ");
}

/** The same as one line of at most `max` characters, with an ellipsis where it was cut. */
export function printableLine(text: string, max: number): string {
  const line = printable(text).replaceAll(/\s+/gu, " ").trim();
  return line.length <= max ? line : `${line.slice(0, Math.max(0, max - 1))}…`;
}
