// `ralph config`: every setting in force and where it comes from, or one of them.

import { renderDiagnostics } from "../../core/view/diagnostics.ts";
import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import { EXIT_CODES } from "../../core/schema/outcome.ts";
import { findPlace } from "../../engine/project/open-project.ts";
import { nearest } from "../../std/nearest.ts";
import { resolveConfig } from "../../world/config/resolve-config.ts";
import { listSettings, type Setting } from "../../world/config/settings.ts";
import type { Handler, Io } from "./command.ts";
import { flagsOf } from "./run-order.ts";
import { renderSettings, renderValue, settingObjects } from "./settings-table.ts";

export const config: Handler = async (io, { args, options }) => {
  const { root } = findPlace(io.host, io.cwd);
  const resolved = resolveConfig(io.host, root, flagsOf(options));
  if (!resolved.ok) return refuse(io, resolved.error);
  const settings = listSettings(resolved.value);
  const isJson = options["json"] === true;
  if (args.length === 0) {
    io.out(
      isJson
        ? `${JSON.stringify({ settings: settingObjects(settings) })}\n`
        : renderSettings(settings),
    );
    return 0;
  }
  const [word, key] = args;
  if (word !== "get" || key === undefined) return refuse(io, [wrongWords(word)]);
  const setting = settings.find((one) => one.key === key);
  if (setting === undefined) return refuse(io, [unknownKey(key, settings)]);
  const [object] = settingObjects([setting]);
  io.out(`${isJson ? JSON.stringify(object) : renderValue(setting.value)}\n`);
  return 0;
};

function refuse(io: Io, diagnostics: readonly Diagnostic[]): number {
  io.err(renderDiagnostics(diagnostics));
  return EXIT_CODES["bad-input"];
}

function wrongWords(word: string | undefined): Diagnostic {
  return {
    file: "command line",
    problem: word === "get" ? "config get needs the name of a setting" : `"${word}" is no order`,
    expected: "`ralph config`, or `ralph config get KEY`",
    remedy: "`ralph config` lists the names",
  };
}

function unknownKey(key: string, settings: readonly Setting[]): Diagnostic {
  const names = settings.map((one) => one.key);
  const within = names.filter((name) => name.startsWith(`${key}.`));
  const close = nearest(key, names);
  const other = close === undefined ? "see `ralph config`" : `did you mean "${close}"?`;
  return {
    file: "command line",
    problem: `${key} is no setting`,
    expected: "a name that `ralph config` lists",
    remedy: within.length === 0 ? other : `name one of ${within.join(", ")}`,
  };
}
