// Finds a promise in an agent's final message. A promise is a request to check, never an answer.

const FENCE = /^\s*(```|~~~)/u;

/**
 * True when the word stands alone on a line, bare or in `<promise>` tags, with or without `: message`.
 * Quoted lines and fenced code do not count, nor does a line that says anything else beside it.
 */
export function hasPromise(finalMessage: string, promise: string): boolean {
  const word = promise.replaceAll(/<\/?promise>/gu, "").trim();
  if (word === "") return false;
  return plainLines(finalMessage).some((line) => isPromise(line, word));
}

function plainLines(text: string): string[] {
  let inFence = false;
  return text.split(/\r?\n/u).filter((line) => {
    if (FENCE.test(line)) {
      inFence = !inFence;
      return false;
    }
    return !inFence && !line.trimStart().startsWith(">");
  });
}

function isPromise(line: string, word: string): boolean {
  const bare = line.trim();
  const tagged = /^<promise>(.*)<\/promise>$/u.exec(bare);
  const said = (tagged?.[1] ?? bare).trim();
  return said === word || said.startsWith(`${word}: `);
}
