// Settings as lines for people and as objects for programs; `ralph config` and `ralph run --dry-run` show the same.

import { printableLine } from "../../std/printable.ts";
import type { Setting, SettingSource } from "../../world/config/settings.ts";

const VALUE_MAX = 60;
/** A longer value moves only its own source to the right, so that most lines fit a terminal of 80 columns. */
const VALUE_COLUMN_MAX = 16;

export function renderSettings(settings: readonly Setting[]): string {
  const rows = settings.map(({ key, value, source }) => [
    key,
    value === undefined ? "none" : printableLine(renderValue(value), VALUE_MAX),
    renderSource(source),
  ]);
  const width = (column: number): number =>
    Math.max(0, ...rows.map((row) => row[column]?.length ?? 0));
  const [keys, values] = [width(0), Math.min(width(1), VALUE_COLUMN_MAX)];
  return rows
    .map(
      ([key = "", value = "", source = ""]) =>
        `${key.padEnd(keys)}  ${value.padEnd(values)}  ${source}\n`,
    )
    .join("");
}

/** One value as it would be written in the file. */
export function renderValue(value: Setting["value"]): string {
  if (value === undefined) return "";
  return typeof value === "object" ? `[${value.join(", ")}]` : String(value);
}

export function settingObjects(settings: readonly Setting[]) {
  return settings.map(({ key, value, source }) => ({ key, value: value ?? null, source }));
}

function renderSource(source: SettingSource): string {
  switch (source.kind) {
    case "flag":
      return `flag ${source.name}`;
    case "environment":
      return `environment ${source.name}`;
    case "file":
      return `${source.name}:${source.line}`;
    case "default":
      return "default";
  }
}
