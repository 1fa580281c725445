// `ralph doctor`: what would keep a run from working here, and what to do about it.

import {
  DOCTOR_INDENT,
  type DoctorReport,
  renderDoctor,
  reportDoctor,
} from "../../core/view/doctor-report.ts";
import { examine } from "../../engine/project/doctor.ts";
import { wrapWords } from "../../std/wrap.ts";
import type { Handler, Io } from "./command.ts";

const PROBLEM_EXIT_CODE = 1;

export const doctor: Handler = async (io, { options }) => {
  const feature = typeof options["feature"] === "string" ? options["feature"] : undefined;
  const report = reportDoctor(await examine(io.host, io.cwd, feature));
  await io.outAndWait(options["json"] === true ? `${JSON.stringify(report)}\n` : shown(io, report));
  return report.ok ? 0 : PROBLEM_EXIT_CODE;
};

/** On a terminal a long line goes on under its own words. */
function shown(io: Io, report: DoctorReport): string {
  const screen = io.screen("out");
  const text = renderDoctor(report, screen?.paint);
  if (screen === undefined) return text;
  const fit = (line: string): string => wrapWords(line, screen.columns() - 1, DOCTOR_INDENT);
  return text.split("\n").map(fit).join("\n");
}
