// Finds a signal in an agent's final message. A promise is a request to check, never an answer.

/** Opens a code block; only as many of the same sign close it. */
const FENCE = /^\s*(`{3,}(?!.*`)|~{3,})(.*)$/u;
/** Markdown's other way to show code. */
const INDENTED = /^(?: {4}|\t)/u;

/**
 * True when the word stands alone on a line, bare or in `<promise>` tags, with or without `: message`.
 * Quoted lines and code do not count, nor does a line that says anything else beside it.
 */
export function hasPromise(finalMessage: string, promise: string): boolean {
  return findSignal(finalMessage, promise) !== undefined;
}

/** What follows the signal's word on its line, perhaps nothing; undefined where the word is not said. */
export function findSignal(finalMessage: string, signal: string): string | undefined {
  const word = signal.replaceAll(/<\/?promise>/gu, "").trim();
  if (word === "") return undefined;
  for (const line of plainLines(finalMessage)) {
    const message = messageOf(line, word);
    if (message !== undefined) return message;
  }
  return undefined;
}

/** The lines of a text that are neither quoted nor code. */
export function plainLines(text: string): string[] {
  let opened = "";
  return text.split(/\r?\n/u).filter((line) => {
    const [, fence = "", rest = ""] = FENCE.exec(line) ?? [];
    if (opened !== "") {
      if (fence.startsWith(opened) && rest.trim() === "") opened = "";
      return false;
    }
    opened = fence;
    return fence === "" && !INDENTED.test(line) && !line.trimStart().startsWith(">");
  });
}

function messageOf(line: string, word: string): string | undefined {
  const bare = line.trim();
  const tagged = /^<promise>(.*)<\/promise>$/u.exec(bare);
  const said = (tagged?.[1] ?? bare).trim();
  if (said === word) return "";
  return said.startsWith(`${word}: `) ? said.slice(word.length + 2).trim() : undefined;
}
