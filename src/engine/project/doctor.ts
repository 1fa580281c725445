// Looks at machine, git and project the way a run would need them, and collects what was found. Changes nothing.

import type { DoctorFinding } from "../../core/view/doctor-report.ts";
import { resolveConfig } from "../../world/config/resolve-config.ts";
import type { Host } from "../../world/host/host.ts";
import type { Check, Patient } from "./doctor/check.ts";
import { gitChecks } from "./doctor/git-checks.ts";
import { machineChecks } from "./doctor/machine-checks.ts";
import { projectChecks } from "./doctor/project-checks.ts";
import { findPlace, openProject } from "./open-project.ts";

const CHECKS: readonly Check[] = [...machineChecks, ...gitChecks, ...projectChecks];

export async function examine(
  host: Host,
  cwd: string,
  feature: string | undefined,
): Promise<DoctorFinding[]> {
  const patient = openPatient(host, cwd, feature);
  const findings: DoctorFinding[] = [];
  for (const { name, look } of CHECKS) {
    for (const found of await look(patient)) findings.push({ check: name, ...found });
  }
  return findings;
}

function openPatient(host: Host, cwd: string, feature: string | undefined): Patient {
  const place = findPlace(host, cwd);
  const project = openProject(host, cwd, feature);
  const config = resolveConfig(host, place.root, {});
  return {
    host,
    cwd,
    place,
    project: project.ok ? project.value : undefined,
    wanted: feature,
    projectProblems: project.ok ? [] : project.error,
    config: config.ok ? config.value.config : undefined,
    configProblems: config.ok ? [] : config.error,
  };
}
