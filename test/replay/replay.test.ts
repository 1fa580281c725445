// Logs written by every released version, folded by today's code: a run begun with an older program goes on with this one.

import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { reduce } from "../../src/core/loop/reduce.ts";
import type { RunState } from "../../src/core/loop/state.ts";
import { parseEvent } from "../../src/core/schema/parse-event.ts";

const folder = new URL("./", import.meta.url);
const logs = readdirSync(folder).filter((name) => name.endsWith(".ndjson"));

function fold(text: string): RunState | undefined {
  let state: RunState | undefined;
  for (const line of text.split("\n").filter((part) => part !== "")) {
    const parsed = parseEvent(line);
    if (!parsed.ok) throw new Error(parsed.error);
    if (parsed.value.kind === "unknown")
      throw new Error(`an event of ${line} is not known any more`);
    state = reduce(state, parsed.value.event);
  }
  return state;
}

test.each(logs)("the log of %s is read to its end", (name) => {
  const state = fold(readFileSync(new URL(name, folder), "utf8"));
  expect(state?.end).toMatchObject({ reason: "complete", exitCode: 0 });
  expect(state?.accepted).toEqual({
    "STORY-001": "verified",
    "STORY-002": "verified",
    "STORY-003": "verified",
  });
  expect(state?.charged).toBe(4);
});

test("an event of a later version is kept and ignored", () => {
  const [line = ""] = readFileSync(new URL("0.1.0.ndjson", folder), "utf8").split("\n");
  const later = JSON.stringify({ ...(JSON.parse(line) as object), seq: 2, type: "moon-landed" });
  expect(parseEvent(later)).toEqual({ ok: true, value: { kind: "unknown", seq: 2 } });
});

test("a known event of the wrong shape is an error, never ignored", () => {
  const [line = ""] = readFileSync(new URL("0.1.0.ndjson", folder), "utf8").split("\n");
  const broken = JSON.stringify({ ...(JSON.parse(line) as object), feature: 7 });
  expect(parseEvent(broken)).toMatchObject({ ok: false });
});
