// `ralph init`: makes a new feature and says what to do next.

import { relative } from "node:path";
import { EXIT_CODES } from "../../core/schema/outcome.ts";
import { renderDiagnostics } from "../../core/view/diagnostics.ts";
import { initFeature, type MadeFeature } from "../../engine/project/init-feature.ts";
import { printable } from "../../std/printable.ts";
import { isDiskError } from "../../world/host/files.ts";
import type { Call, Handler, Io } from "./command.ts";
import { fitted } from "./fitted.ts";

export const init: Handler = async (io, call) => {
  try {
    return await make(io, call);
  } catch (error) {
    if (!isDiskError(error) || !(error instanceof Error)) throw error;
    io.err(printable(`nothing was made, this folder cannot be written: ${error.message}\n`));
    return EXIT_CODES.disk;
  }
};

async function make(io: Io, { args, options }: Call): Promise<number> {
  const issue = options["fromIssue"];
  const made = await initFeature(io.host, {
    cwd: io.cwd,
    feature: args[0] ?? "",
    issue: typeof issue === "string" ? issue : undefined,
    template: options["tdd"] === true ? "tdd" : "default",
    templates: io.templates,
  });
  if (!made.ok) {
    io.err(renderDiagnostics(made.error));
    return EXIT_CODES["bad-input"];
  }
  io.out(fitted(io, printable(words(io, made.value))));
  return 0;
}

function words(io: Io, made: MadeFeature): string {
  const { place, feature, fromIssue, files, branch } = made;
  const name = feature.feature;
  const here = relative(io.host.files.real(io.cwd) ?? io.cwd, place.root);
  const where = here === "" ? "" : ` in ${place.root}`;
  const stories = fromIssue === undefined ? "" : ` with ${storyWords(fromIssue)} from the issue`;
  const git =
    place.repository === undefined
      ? ["This is no git repository: nothing will be committed. `git init` helps."]
      : [`\`ralph run\` will work on the branch ${branch}; the list's branchName says so.`];
  return [
    `${name} was made${where}${stories}:`,
    ...files.map((file) => `  ${file}`),
    ...git,
    "Next:",
    ...nextSteps(made).map((step, i) => `  ${i + 1}. ${step}`),
    "",
  ].join("\n");
}

function nextSteps({ feature, fromIssue, gates }: MadeFeature): string[] {
  const edit =
    fromIssue === undefined ? "write down what is to be done" : "look the stories through";
  const check = "say how good work is told from bad: quality_checks in .ralph/config.yaml";
  return [
    `${edit}: ${feature.tasks.name}`,
    ...(gates === 0 ? [check] : []),
    `ralph validate -f ${feature.feature}`,
    `ralph run -f ${feature.feature}`,
  ];
}

function storyWords(number: number): string {
  return number === 1 ? "1 story" : `${number} stories`;
}
