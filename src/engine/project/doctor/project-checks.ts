// Checks of the project: its settings and tasks, the agent and what it may do, gates, caps, and runs that were cut off.

import type { Config } from "../../../core/schema/config.ts";
import type { Host } from "../../../world/host/host.ts";
import { runCommand } from "../../../world/host/short-command.ts";
import { listFeatures } from "../../../world/layouts/hybrid.ts";
import { programOf } from "../../../world/verify/gate-program.ts";
import { findAgentProgram } from "../agent-program.ts";
import { checkTasks } from "../check-tasks.ts";
import { findRun } from "../find-run.ts";
import { openProject } from "../open-project.ts";
import {
  type Check,
  fine,
  fromDiagnostic,
  type Look,
  note,
  type Patient,
  problem,
} from "./check.ts";

const VERSION_MS_MAX = 10_000;
export const projectChecks: readonly Check[] = [
  { name: "settings", look: lookAtSettings },
  { name: "tasks", look: lookAtTasks },
  {
    name: "agent",
    look: withConfig(async (patient, config) => await lookAtAgent(patient, config)),
  },
  {
    name: "permissions",
    look: withConfig((patient, config) => lookAtPermissions(patient, config)),
  },
  { name: "gates", look: withConfig((patient, config) => lookAtGates(patient, config)) },
  { name: "caps", look: withConfig((_, config) => lookAtCaps(config)) },
  { name: "runs", look: lookAtRuns },
];

function withConfig(
  look: (patient: Patient, config: Config) => Promise<readonly Look[]> | readonly Look[],
): Check["look"] {
  // Without settings that can be read there is nothing to say, and why has been said.
  return (patient) => (patient.config === undefined ? [] : look(patient, patient.config));
}

function lookAtSettings({ configProblems }: Patient): Look[] {
  if (configProblems.length === 0) return [fine("readable")];
  return configProblems.map((diagnostic) => fromDiagnostic("problem", diagnostic));
}

function lookAtTasks({ host, project, wanted, projectProblems }: Patient): Look[] {
  if (project === undefined) {
    // Nothing here yet is no mistake; a name that does not fit is one.
    const level = wanted === undefined ? "note" : "problem";
    return projectProblems.map((diagnostic) => fromDiagnostic(level, diagnostic));
  }
  const problems = checkTasks(host, project);
  if (problems.length > 0)
    return problems.map((diagnostic) => fromDiagnostic("problem", diagnostic));
  return [fine(project.feature.tasks.name)];
}

async function lookAtAgent({ host, place }: Patient, config: Config): Promise<Look[]> {
  const { name } = config.agent;
  const program = findAgentProgram(host, place.root, config);
  if (!program.ok) return [fromDiagnostic("problem", program.error)];
  const path = program.value;
  if (path === undefined) return [fine(`${name}, which is part of ralph`)];
  // What any other program does with this argument nobody knows.
  if (name === "command") return [fine(path)];
  const version = await askVersion(host, path, place.root);
  if (version !== undefined) return [fine(`${name} ${version} (${path})`)];
  return [problem(`${path} --version does not answer`, "make the agent work in a terminal first")];
}

async function askVersion(host: Host, path: string, cwd: string): Promise<string | undefined> {
  const env = Object.entries(host.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const answer = await runCommand(host, {
    argv: [path, "--version"],
    cwd,
    env: Object.fromEntries(env),
    input: undefined,
    timeoutMs: VERSION_MS_MAX,
    signal: undefined,
  });
  const [line = ""] = answer.stdout.toString("utf8").trim().split("\n");
  return answer.code === 0 && !answer.timedOut ? line : undefined;
}

function lookAtPermissions(
  { host }: Patient,
  { agent, permissions, allowedTools }: Config,
): Look[] {
  if (agent.name !== "claude") return [];
  if (permissions === "listed") return [fine(`edits, and the tools ${allowedTools}`)];
  if (host.machine.userId() === 0) {
    return [
      problem(
        "claude refuses to skip its permissions for root",
        "run as another user, or take --dangerously-skip-permissions away",
      ),
    ];
  }
  return [
    note(
      "the agent may do anything without asking",
      "fine in a container of its own; elsewhere list what it may use in claude.allowed_tools",
    ),
  ];
}

function lookAtGates({ host, place, project }: Patient, { gates }: Config): Look[] {
  if (gates.length === 0 && project !== undefined) {
    const remedy =
      "name commands that tell good work from bad: quality_checks in .ralph/config.yaml";
    return [note("no gates: nothing checks the work, which stays unverified", remedy)];
  }
  return gates.map(({ name, command }) => {
    const program = programOf(command);
    if (program === undefined) return fine(`${name}: ${command}`);
    const path = host.processes.locate(program, host.env["PATH"] ?? "", place.root);
    if (path !== undefined) return fine(`${name}: ${command}`);
    return problem(
      `${name}: the program "${program}" was not found`,
      `install it, or mend quality_checks.${name} in .ralph/config.yaml`,
    );
  });
}

function lookAtCaps({ agent, iterationMax, runMsMax, budget }: Config): Look[] {
  const caps = [
    `${iterationMax} iterations`,
    ...(runMsMax === undefined ? [] : ["time"]),
    ...(budget.usdMax === undefined && budget.featureUsdMax === undefined ? [] : ["money"]),
    ...(budget.tokensMax === undefined && budget.featureTokensMax === undefined ? [] : ["tokens"]),
  ];
  if (caps.length > 1 || agent.name === "scripted") return [fine(caps.join(", "))];
  return [
    note(
      `${caps.join(", ")}, but no cap on money or time`,
      "before a night alone: --max-cost, --max-time, or budget.usd and defaults.max_time in config.yaml",
    ),
  ];
}

function lookAtRuns({ host, cwd, place }: Patient): Look[] {
  const found = listFeatures(host, place.root).flatMap((feature) => {
    const project = openProject(host, cwd, feature);
    const run = project.ok ? findRun(host, project.value) : undefined;
    if (run === undefined) return [];
    if (run.problem !== undefined)
      return [note(`${feature}: ${run.problem}`, "`ralph run` starts a new one")];
    if (run.holder !== undefined) return [fine(`${feature}: run ${run.run} is under way`)];
    const isCutOff = run.state?.end === undefined;
    const remedy = `\`ralph run -f ${feature}\` goes on with it; nothing is done twice`;
    return isCutOff ? [note(`${feature}: run ${run.run} was cut off`, remedy)] : [];
  });
  return found.length > 0 ? found : [fine("none was cut off")];
}
