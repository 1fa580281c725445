// What a check of `ralph doctor` is: a name and one look at the place. Looks change nothing.

import type { DoctorFinding, FindingLevel } from "../../../core/view/doctor-report.ts";
import type { Config } from "../../../core/schema/config.ts";
import type { Diagnostic } from "../../../core/schema/diagnostic.ts";
import type { Host } from "../../../world/host/host.ts";
import type { Place, Project } from "../open-project.ts";

/** All that checks look at; what could not be read is missing, and said once. */
export interface Patient {
  readonly host: Host;
  readonly cwd: string;
  readonly place: Place;
  readonly project: Project | undefined;
  /** The feature that was named, where one was. */
  readonly wanted: string | undefined;
  readonly projectProblems: readonly Diagnostic[];
  readonly config: Config | undefined;
  readonly configProblems: readonly Diagnostic[];
}

/** What one look says, without the name of its check. */
export type Look = Omit<DoctorFinding, "check">;

/** One check. */
export interface Check {
  readonly name: string;
  readonly look: (patient: Patient) => Promise<readonly Look[]> | readonly Look[];
}

export function fine(text: string): Look {
  return { level: "ok", text, remedy: undefined };
}

export function note(text: string, remedy: string): Look {
  return { level: "note", text, remedy };
}

export function problem(text: string, remedy: string): Look {
  return { level: "problem", text, remedy };
}

export function fromDiagnostic(
  level: FindingLevel,
  { file, line, problem: text, expected, remedy }: Diagnostic,
): Look {
  const where = line === undefined ? file : `${file}:${line}`;
  return { level, text: `${where}: ${text} (expected ${expected})`, remedy };
}

/** True when a version such as `2.39.5` is at least another one. */
export function isAtLeast(version: string, least: string): boolean {
  const [have = [], need = []] = [version, least].map((text) => text.split(".").map(Number));
  for (const [i, wanted] of need.entries()) {
    const part = have[i] ?? 0;
    if (part !== wanted) return part > wanted;
  }
  return true;
}
