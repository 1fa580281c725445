// `ralph completion` prints what a shell needs; `ralph complete` is what the shell then asks at every press of the key.

import { COMPLETION_SCRIPTS } from "../../core/view/completion-script.ts";
import { renderDiagnostics } from "../../core/view/diagnostics.ts";
import { EXIT_CODES } from "../../core/schema/outcome.ts";
import { listFeaturesAt } from "../../engine/project/open-project.ts";
import { nearest } from "../../std/nearest.ts";
import { printableLine } from "../../std/printable.ts";
import type { Handler } from "./command.ts";
import { commands } from "./commands.ts";
import { SHELLS, suggest } from "./suggest.ts";

const TEXT_MAX = 80;

export const completion: Handler = async (io, { args }) => {
  const wanted = args[0] ?? "";
  const shell = SHELLS.find((name) => name === wanted);
  if (shell !== undefined) {
    await io.outAndWait(COMPLETION_SCRIPTS[shell]);
    return 0;
  }
  const meant = nearest(wanted, SHELLS);
  const remedy = meant === undefined ? "name one of these" : `did you mean ${meant}?`;
  const problem = `there is no completion for the shell "${wanted}"`;
  const expected = `one of ${SHELLS.join(", ")}`;
  io.err(renderDiagnostics([{ file: "command line", problem, expected, remedy }]));
  return EXIT_CODES["bad-input"];
};

export const complete: Handler = async (io, { args }) => {
  const features = (): readonly string[] => listFeaturesAt(io.host, io.cwd);
  const found = suggest({ words: args, commands, features });
  const lines =
    found === "files"
      ? [":files"]
      : found.map(({ word, text }) => `${word}\t${printableLine(text, TEXT_MAX)}`);
  await io.outAndWait(lines.map((line) => `${line}\n`).join(""));
  return 0;
};
