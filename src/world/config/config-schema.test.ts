import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { JsonSchema } from "../../std/json-schema.ts";
import { configSchema } from "./config-schema.ts";
import { SETTING_KEYS } from "./settings.ts";

const text = (path: string): string =>
  readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

/** Dotted names of all keys below a schema, with what each of them is. */
function keysOf(schema: JsonSchema, path: readonly string[] = []): [string, JsonSchema][] {
  const variants = [schema, ...((schema["anyOf"] as JsonSchema[] | undefined) ?? [])];
  return variants.flatMap((variant) =>
    Object.entries((variant["properties"] as Record<string, JsonSchema> | undefined) ?? {}).flatMap(
      ([key, inner]): [string, JsonSchema][] => {
        const name = [...path, key];
        return [[name.join("."), inner], ...keysOf(inner, name)];
      },
    ),
  );
}

const keys = keysOf(configSchema());
const leaves = keys
  .map(([key]) => key)
  .filter((key) => !keys.some(([k]) => k.startsWith(`${key}.`)));

test("the committed schema is what the code generates; `npm run build` writes it", () => {
  expect(JSON.parse(text("schemas/config.schema.json"))).toEqual(configSchema());
});

test.each(keys)("%s has a title and a description", (key, schema) => {
  expect(schema).toMatchObject({ title: key, description: expect.stringMatching(/\w/u) });
});

test("a duration is a text or a number", () => {
  const durations = keys.filter(([, { description }]) => /bare number/u.test(String(description)));
  expect(durations.map(([, { type }]) => type)).toEqual(durations.map(() => ["string", "number"]));
  expect(durations.length).toBeGreaterThan(8);
});

test.each(leaves)("docs/formats/config.md names %s", (key) => {
  expect(text("docs/formats/config.md")).toContain(`\`${key}\``);
});

test("every key of the file is a setting that `ralph config` shows, and no other", () => {
  expect([...SETTING_KEYS].toSorted()).toEqual(leaves.toSorted());
});
