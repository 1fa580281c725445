import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { prdSchema } from "./prd-schema.ts";

const text = (path: string): string =>
  readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

test("the committed schema is what the code generates; `npm run build` writes it", () => {
  expect(JSON.parse(text("schemas/prd.schema.json"))).toEqual(prdSchema());
});

interface Described {
  readonly properties: Readonly<Record<string, { title?: string; description?: string }>>;
}

test("every key has a title and a description, and is in the documentation", () => {
  const list = prdSchema() as unknown as Described & {
    properties: { userStories: { items: Described } };
  };
  const story = list.properties.userStories.items;
  for (const { properties } of [list, story]) {
    for (const [key, { title, description }] of Object.entries(properties)) {
      expect(title?.split(".").at(-1), `title of ${key}`).toBe(key);
      expect(description, `description of ${key}`).toMatch(/\w/u);
      expect(text("docs/formats/prd.md"), `documentation of ${key}`).toContain(`${key}\``);
    }
  }
});
