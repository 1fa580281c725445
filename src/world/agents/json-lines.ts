// Gets the JSON objects out of one line of a stream, also when two share the line or one was cut by the next.

const OBJECTS_MAX = 100;
const STARTS_MAX = 1000;

/** The objects of a line in order, and whether anything in it could not be read. */
export interface LineObjects {
  readonly objects: readonly Record<string, unknown>[];
  readonly garbled: boolean;
}

export function parseLine(line: string): LineObjects {
  const text = line.trim();
  if (text === "") return { objects: [], garbled: false };
  const whole = parseObject(text);
  return whole === undefined ? salvage(text) : { objects: [whole], garbled: false };
}

/** Tries every `{"` as the start of an object; one that is whole is taken and skipped over. */
function salvage(text: string): LineObjects {
  const objects: Record<string, unknown>[] = [];
  let at = text.indexOf('{"');
  let clean = at === 0;
  for (let starts = 0; at !== -1 && starts < STARTS_MAX && objects.length < OBJECTS_MAX; starts++) {
    const end = objectEnd(text, at);
    const object = end === -1 ? undefined : parseObject(text.slice(at, end));
    if (object !== undefined) objects.push(object);
    const from = object === undefined ? at + 1 : end;
    const next = text.indexOf('{"', from);
    if (object === undefined || next !== from)
      clean &&= object !== undefined && next === -1 && text.slice(from).trim() === "";
    at = next;
  }
  return { objects, garbled: !clean || objects.length === 0 };
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
