// Gets the JSON objects out of one line of a stream, also when two share the line or one was cut by the next.

const OBJECTS_MAX = 100;
/** What one line may cost, in characters looked at: a start that leads nowhere is followed to the end of the line. */
const SCANNED_MAX = 64 * 1024 * 1024;

/** The objects of a line in order, and whether anything in it could not be read. */
export interface LineObjects {
  readonly objects: readonly Record<string, unknown>[];
  readonly garbled: boolean;
}

export function parseLine(line: string): LineObjects {
  const text = line.trim();
  if (text === "") return { objects: [], garbled: false };
  // A line that was cut is not even tried: a parser can be made to use much memory before it finds out.
  const whole = text.startsWith("{") && text.endsWith("}") ? parseObject(text) : undefined;
  return whole === undefined ? salvage(text) : { objects: [whole], garbled: false };
}

/**
 * Tries every `{"` as the start of an object; one that is whole is taken and skipped over. Of too many the last are
 * kept: what an agent says at the end of a line is its result, what stands before it may be parts of a cut event.
 */
function salvage(text: string): LineObjects {
  let objects: Record<string, unknown>[] = [];
  let clean = true;
  let understood = 0;
  let at = text.indexOf('{"');
  for (let scanned = 0; at !== -1 && scanned < SCANNED_MAX;) {
    const end = objectEnd(text, at);
    const object = end === -1 ? undefined : parseObject(text.slice(at, end));
    scanned += (end === -1 ? text.length : end) - at;
    clean &&= object !== undefined && text.slice(understood, at).trim() === "";
    if (object !== undefined) {
      objects.push(object);
      understood = end;
    }
    if (objects.length >= 2 * OBJECTS_MAX) {
      objects = objects.slice(-OBJECTS_MAX);
      clean = false;
    }
    at = text.indexOf('{"', object === undefined ? at + 1 : end);
  }
  clean &&= text.slice(understood).trim() === "";
  return { objects: objects.slice(-OBJECTS_MAX), garbled: !clean || objects.length === 0 };
}

/** The offset after the brace that closes the one at `start`; -1 where none does. */
function objectEnd(text: string, start: number): number {
  let depth = 0;
  let inString = false;
  for (let i = start; i < text.length; i++) {
    const char = text[i];
    if (inString) {
      if (char === "\\") i += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === "{") depth += 1;
    else if (char === "}") {
      depth -= 1;
      if (depth === 0) return i + 1;
    }
  }
  return -1;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
