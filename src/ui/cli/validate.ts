// `ralph validate`: says what is wrong with what was written for a run, and whether it would start.

import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import { EXIT_CODES } from "../../core/schema/outcome.ts";
import { renderDiagnostics } from "../../core/view/diagnostics.ts";
import { validateProject } from "../../engine/run/validate.ts";
import { count } from "../../std/text.ts";
import type { Handler } from "./command.ts";
import { textOf } from "./run-order.ts";

export const validate: Handler = async (io, { options }) => {
  const { feature, errors, warnings } = await validateProject(io.host, {
    cwd: io.cwd,
    feature: textOf(options, "feature"),
    templates: io.templates,
    self: io.self,
  });
  const code = errors.length === 0 ? 0 : EXIT_CODES["bad-input"];
  if (options["json"] === true) {
    const object = { valid: code === 0, feature: feature ?? null, errors, warnings };
    io.out(`${JSON.stringify(object)}\n`);
    return code;
  }
  if (warnings.length > 0) io.err(renderDiagnostics(warnings.map(markWarning)));
  if (errors.length > 0) {
    io.err(renderDiagnostics(errors));
    return code;
  }
  const beside = warnings.length === 0 ? "" : `, with ${count(warnings.length, "warning")}`;
  io.out(`${feature ?? ""}: settings, task list, agent, gates and prompt are in order${beside}\n`);
  return code;
};

function markWarning(warning: Diagnostic): Diagnostic {
  return { ...warning, problem: `warning: ${warning.problem}` };
}
