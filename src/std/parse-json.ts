// JSON from outside, which may be anything: what is none is told by a value, not by an exception.

/** Undefined where the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
