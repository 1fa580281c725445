// What `ralph doctor` found, as one object for programs and as lines for people.

import { printableLine } from "../../std/printable.ts";
import { count } from "../../std/text.ts";
import { type Paint, type Style, unpainted } from "./paint.ts";

/** `problem` keeps a run from working; `note` is worth knowing before a long one. */
export type FindingLevel = "ok" | "note" | "problem";

/** One thing that was looked at. */
export interface DoctorFinding {
  readonly check: string;
  readonly level: FindingLevel;
  readonly text: string;
  /** What to do; absent where nothing has to be done. */
  readonly remedy: string | undefined;
}

/** The object `ralph doctor --json` prints. Fields are only ever added. */
export interface DoctorReport {
  readonly ok: boolean;
  readonly problems: number;
  readonly notes: number;
  readonly findings: readonly DoctorFinding[];
}

const LINE_MAX = 300;
const STYLES: Readonly<Record<FindingLevel, Style>> = {
  ok: "good",
  note: "warning",
  problem: "bad",
};
/** Where the words of a finding begin. */
export const DOCTOR_INDENT = 9;

export function reportDoctor(findings: readonly DoctorFinding[]): DoctorReport {
  const countOf = (level: FindingLevel): number =>
    findings.filter((finding) => finding.level === level).length;
  const problems = countOf("problem");
  return { ok: problems === 0, problems, notes: countOf("note"), findings };
}

export function renderDoctor(report: DoctorReport, paint: Paint = unpainted): string {
  const lines = report.findings.flatMap(({ check, level, text, remedy }) => {
    const head = `${paint(STYLES[level], level.padEnd(DOCTOR_INDENT))}${check}: ${printableLine(text, LINE_MAX)}`;
    const what =
      remedy === undefined
        ? []
        : [`${" ".repeat(DOCTOR_INDENT)}to do: ${printableLine(remedy, LINE_MAX)}`];
    return [head, ...what];
  });
  return `${[...lines, "", verdict(report)].join("\n")}\n`;
}

function verdict({ problems, notes }: DoctorReport): string {
  const worth = notes === 0 ? "" : `, ${count(notes, "note")}`;
  if (problems > 0)
    return `${count(problems, "problem")}${worth}: mend what is called a problem first`;
  return notes === 0 ? "all is well" : `no problem${worth}`;
}
