// Makes the settings of a run from all their sources: flags, environment, project, global, default, in this order.

import { join } from "node:path";
import type { AgentConfig, AgentName, Config, Gate } from "../../core/schema/config.ts";
import { AGENT_NAMES } from "../../core/schema/config.ts";
import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import { nearest } from "../../std/nearest.ts";
import { parseDuration } from "../../std/duration.ts";
import { err, ok, type Result } from "../../std/result.ts";
import type { Host } from "../host/host.ts";
import { parseConfig } from "./parse-config.ts";
import type { ConfigFile } from "./config-file.ts";

/** Settings given on the command line, already checked there. */
export interface ConfigFlags {
  readonly iterationMax?: number;
  readonly timeoutMs?: number;
  readonly runMsMax?: number;
  readonly agent?: string;
  readonly skipPermissions?: boolean;
}

const MINUTE_MS = 60_000;
const DEFAULTS = {
  iterationMax: 20,
  wallMs: 15 * MINUTE_MS,
  graceMs: 10_000,
  gateTimeoutMs: 15 * MINUTE_MS,
  promise: "<promise>COMPLETE</promise>",
  allowedTools: "Read,Write,Edit,Glob,Grep,Bash",
  limitWaitMs: 60 * MINUTE_MS,
  keepIterations: 100,
  promptTokensMax: 12_000,
} as const;
/** Agents with an event stream say something at once and go on doing so; plain programs may be silent to the end. */
const STREAM_CLOCKS = { startMs: 2 * MINUTE_MS, idleMs: 10 * MINUTE_MS } as const;

/** The settings of a run, and what a person should know about them. */
export interface ResolvedConfig {
  readonly config: Config;
  readonly notices: readonly string[];
}

export function resolveConfig(
  host: Host,
  tree: string,
  flags: ConfigFlags,
): Result<ResolvedConfig, Diagnostic[]> {
  const home = host.env["HOME"];
  const sources = [
    ...(home === undefined
      ? []
      : [{ path: join(home, ".ralph", "config.yaml"), name: "~/.ralph/config.yaml" }]),
    { path: join(tree, ".ralph", "config.yaml"), name: ".ralph/config.yaml" },
  ];
  const problems: Diagnostic[] = [];
  let file: ConfigFile = {};
  for (const { path, name } of sources) {
    const text = host.files.readText(path);
    if (text === undefined) continue;
    const parsed = parseConfig(text, name);
    if (parsed.ok) file = merge(file, parsed.value);
    else problems.push(...parsed.error);
  }
  const env = readEnvironment(host);
  if (!env.ok) problems.push(...env.error);
  const agent = resolveAgent(file, flags);
  if (!agent.ok) problems.push(agent.error);
  if (problems.length > 0 || !env.ok || !agent.ok) return err(problems);
  const config = assemble(file, { ...env.value, ...flags }, agent.value);
  return ok({ config, notices: inertKeys(file) });
}

function assemble(file: ConfigFile, flags: ConfigFlags, agent: AgentConfig): Config {
  const { defaults, clocks, completion, claude } = file;
  const isStream = (agent.output ?? (agent.name === "command" ? "text" : "stream")) !== "text";
  const startMs = clocks?.start ?? (isStream ? STREAM_CLOCKS.startMs : undefined);
  const idleMs = clocks?.idle ?? (isStream ? STREAM_CLOCKS.idleMs : undefined);
  const runMsMax = flags.runMsMax ?? defaults?.max_time;
  const skips = flags.skipPermissions ?? claude?.dangerously_skip_permissions ?? false;
  return {
    agent,
    iterationMax: flags.iterationMax ?? defaults?.max_iterations ?? DEFAULTS.iterationMax,
    ...(runMsMax === undefined ? {} : { runMsMax }),
    clocks: {
      ...(startMs === undefined ? {} : { startMs }),
      ...(idleMs === undefined ? {} : { idleMs }),
      graceMs: clocks?.after_result ?? DEFAULTS.graceMs,
      wallMs: flags.timeoutMs ?? defaults?.timeout_minutes ?? DEFAULTS.wallMs,
    },
    gates: gatesOf(file),
    promise: completion?.promise ?? DEFAULTS.promise,
    permissions: skips ? "skip" : "listed",
    allowedTools: claude?.allowed_tools ?? DEFAULTS.allowedTools,
    limitWaitMs: file.limits?.wait ?? DEFAULTS.limitWaitMs,
    pauseMs: defaults?.pause_between ?? 0,
    keepIterations: file.record?.keep_iterations ?? DEFAULTS.keepIterations,
    promptTokensMax: file.prompt?.tokens ?? DEFAULTS.promptTokensMax,
  };
}

/** Settings that are understood and do nothing in this version: better said than believed. */
function inertKeys(file: ConfigFile): string[] {
  const set = {
    "defaults.rate_limit_per_hour": file.defaults?.rate_limit_per_hour,
    circuit_breaker: file.circuit_breaker,
    "completion.consecutive_done_signals": file.completion?.consecutive_done_signals,
    "completion.consecutive_test_loops": file.completion?.consecutive_test_loops,
    branch: file.branch,
  };
  const names = Object.entries(set).filter(([, value]) => value !== undefined);
  return names.map(([name]) => `the setting ${name} has no effect in this version`);
}

function gatesOf(file: ConfigFile): Gate[] {
  const timeoutMs = file.gates?.timeout ?? DEFAULTS.gateTimeoutMs;
  return Object.entries(file.quality_checks ?? {}).map(([name, command]) => ({
    name,
    command,
    timeoutMs,
  }));
}

function resolveAgent(file: ConfigFile, flags: ConfigFlags): Result<AgentConfig, Diagnostic> {
  const written = typeof file.agent === "string" ? { name: file.agent } : (file.agent ?? {});
  const wanted =
    flags.agent ?? written.name ?? (written.command === undefined ? "claude" : "command");
  const name = AGENT_NAMES.find((known) => known === wanted);
  if (name === undefined) return err(unknownAgent(wanted));
  // A command configured for one agent does not fit another one named on the command line.
  const { command, arguments: args = [], model, output } = fits(written, name) ? written : {};
  if (name === "command" && command === undefined) return err(noCommand());
  return ok({
    name,
    arguments: args,
    ...(command === undefined ? {} : { command }),
    ...(model === undefined ? {} : { model }),
    ...(output === undefined ? {} : { output }),
  });
}

type WrittenAgent = Exclude<ConfigFile["agent"], string | undefined>;

function fits(written: WrittenAgent, name: AgentName): written is WrittenAgent {
  return written.name === undefined || written.name === name;
}

function unknownAgent(wanted: string): Diagnostic {
  const close = nearest(wanted, AGENT_NAMES);
  return {
    file: "command line",
    problem: `there is no agent "${wanted}"`,
    expected: `one of ${AGENT_NAMES.join(", ")}`,
    remedy:
      close === undefined
        ? "name one of these; any other program runs as agent `command`"
        : `did you mean "${close}"?`,
  };
}

function noCommand(): Diagnostic {
  return {
    file: ".ralph/config.yaml",
    problem: "the agent `command` needs to know which program to start",
    expected: "agent.command, for example `agent: {name: command, command: ./my-agent.sh}`",
    remedy: "add it to .ralph/config.yaml",
  };
}

function readEnvironment(host: Host): Result<ConfigFlags, Diagnostic[]> {
  const problems: Diagnostic[] = [];
  const iterationMax = readCount(host, "MAX_ITERATIONS", problems);
  const timeout = host.env["TIMEOUT_MINUTES"];
  const timeoutMs = timeout === undefined ? undefined : parseDuration(timeout, "m");
  if (timeout !== undefined && timeoutMs === undefined)
    problems.push(badVariable("TIMEOUT_MINUTES", timeout));
  if (problems.length > 0) return err(problems);
  return ok({
    ...(iterationMax === undefined ? {} : { iterationMax }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
}

function readCount(host: Host, name: string, problems: Diagnostic[]): number | undefined {
  const text = host.env[name];
  if (text === undefined || text === "") return undefined;
  if (/^[1-9]\d{0,6}$/u.test(text)) return Number(text);
  problems.push(badVariable(name, text));
  return undefined;
}

function badVariable(name: string, value: string): Diagnostic {
  return {
    file: "environment",
    problem: `${name} is "${value}"`,
    expected: "a whole number above zero",
    remedy: `correct it, or take it out of the environment: unset ${name}`,
  };
}

/** Settings of the second win, key by key; lists and single values are taken whole. */
function merge(first: ConfigFile, second: ConfigFile): ConfigFile {
  const merged: Record<string, unknown> = { ...first };
  for (const [key, value] of Object.entries(second)) {
    const old = merged[key];
    merged[key] = isMap(old) && isMap(value) ? { ...old, ...value } : value;
  }
  return { ...first, ...second, ...merged };
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
