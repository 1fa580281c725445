// Turns a line of the log into an event. The only place where a line of an older version is brought up to date.

import { err, ok, type Result } from "../../std/result.ts";
import { Envelope, Fact, isKnownType, type Event } from "./event.ts";
import { parseJson } from "../../std/parse-json.ts";

/** An event we know, or one of a later version that is kept in the file and ignored. */
export type ParsedEvent =
  | { readonly kind: "known"; readonly seq: number; readonly event: Event }
  | { readonly kind: "unknown"; readonly seq: number };

export function parseEvent(line: string): Result<ParsedEvent, string> {
  const json = parseJson(line);
  const envelope = Envelope.safeParse(json);
  if (!envelope.success) return err("this line is no event");
  const { v, seq, at, run, iteration, effect } = envelope.data;
  const fact = Fact.safeParse(json);
  if (!fact.success) {
    return isKnownType(envelope.data.type)
      ? err(`event ${seq} (${envelope.data.type}) is not of the shape it should have`)
      : ok({ kind: "unknown", seq });
  }
  const place = {
    v,
    seq,
    at,
    run,
    ...(iteration === undefined ? {} : { iteration }),
    ...(effect === undefined ? {} : { effect }),
  };
  return ok({ kind: "known", seq, event: { ...fact.data, ...place } });
}

export function renderEvent(event: Event): string {
  return `${JSON.stringify(event)}\n`;
}
