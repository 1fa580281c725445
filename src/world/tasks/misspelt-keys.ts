// Keys of prd.json that look like one of ours with a slip of the pen. A list may have keys of its own, so this only warns.

import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import { locateJson, type JsonPath } from "../../std/edit/json-edit.ts";
import { nearest } from "../../std/nearest.ts";
import { parseStories, Prd, Story } from "./parse-prd.ts";
import { stripBom } from "./stories.ts";

const WARNINGS_MAX = 10;

/** Only for a list that can be read; `file` is the name used in messages. */
export function findMisspelt(text: string, file: string): Diagnostic[] {
  const stories = parseStories(text, file);
  if (!stories.ok) return [];
  const top = Object.keys(Prd.parse(JSON.parse(stripBom(text))));
  const places: [JsonPath, string[], string[]][] = [
    [[], top, Object.keys(Prd.shape)],
    ...stories.value.map((story, i): [JsonPath, string[], string[]] => [
      ["userStories", i],
      Object.keys(story),
      Object.keys(Story.shape),
    ]),
  ];
  const found = places.flatMap(([path, keys, known]) =>
    keys.flatMap((key) => {
      if (known.includes(key)) return [];
      const meant = nearest(
        key,
        known.filter((one) => !keys.includes(one)),
      );
      return meant === undefined ? [] : [warning(text, file, [...path, key], meant)];
    }),
  );
  return found.slice(0, WARNINGS_MAX);
}

function warning(text: string, file: string, path: JsonPath, meant: string): Diagnostic {
  return {
    file,
    ...locateJson(text, path),
    problem: `"${String(path.at(-1))}" means nothing here`,
    expected: `perhaps "${meant}"`,
    remedy: "correct it, or leave it if it is a key of your own",
  };
}
