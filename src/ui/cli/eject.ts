// `ralph eject`: a template of ours as a file of the project, and how to go back.

import { renderDiagnostics } from "../../core/view/diagnostics.ts";
import { EXIT_CODES } from "../../core/schema/outcome.ts";
import { ejectTemplate } from "../../engine/project/eject-template.ts";
import { findPlace } from "../../engine/project/open-project.ts";
import { EJECTED } from "../../world/layouts/hybrid.ts";
import type { Handler } from "./command.ts";
import { fitted } from "./fitted.ts";

export const eject: Handler = async (io, { options }) => {
  const ejected = ejectTemplate(io.host, findPlace(io.host, io.cwd), {
    templates: io.templates,
    template: options["tdd"] === true ? "tdd" : "default",
    existing: options["force"] === true ? "replace" : "refuse",
  });
  if (!ejected.ok) {
    io.err(renderDiagnostics(ejected.error));
    return EXIT_CODES["bad-input"];
  }
  const back = `rm ${EJECTED}`;
  const words = [
    `wrote ${EJECTED}: every run here uses it, where a feature has no prompt.md of its own`,
    `  ${"ralph validate".padEnd(back.length)}   says what is wrong with it`,
    `  ${back}   goes back to ours`,
    "",
  ];
  io.out(fitted(io, words.join("\n")));
  return 0;
};
