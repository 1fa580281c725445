// Makes the settings of a run from all their sources: flags, environment, project, global, default, in this order.

import { join } from "node:path";
import type { AgentConfig, AgentName, Budget, Config, Gate } from "../../core/schema/config.ts";
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
  readonly callsPerHourMax?: number;
  readonly idleMax?: number;
  readonly sameErrorMax?: number;
  readonly usdMax?: number;
  readonly tokensMax?: number;
  readonly agent?: string;
  readonly skipPermissions?: boolean;
  /** A finished feature is not archived. */
  readonly archive?: false;
  readonly onLimit?: Config["onLimit"];
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
  limitMarginMs: 30_000,
  onLimit: "ask",
  keepIterations: 100,
  promptTokensMax: 12_000,
  promptTemplate: "default",
  callsPerHourMax: 100,
  breaker: { idleMax: 3, sameErrorMax: 5 },
  parking: { rejectedMax: 2, testOnlyMax: 3, warnAfter: 3, deferAfter: 6 },
} as const;
/** Agents with an event stream say something at once and go on doing so; plain programs may be silent to the end. */
const STREAM_CLOCKS = { startMs: 2 * MINUTE_MS, idleMs: 10 * MINUTE_MS } as const;

/** One file of settings that was read. */
export interface ConfigLayer {
  /** The file as a person would write it. */
  readonly name: string;
  readonly text: string;
  readonly file: ConfigFile;
}

/** The settings of a run, and what they were made of. */
export interface ResolvedConfig {
  readonly config: Config;
  /** The files, the strongest last; where in them a value stands is found out only when somebody asks. */
  readonly layers: readonly ConfigLayer[];
  readonly flags: ConfigFlags;
  readonly environment: ConfigFlags;
}

/** `project` stands for the project's file where that is not to be believed. */
export function resolveConfig(
  host: Host,
  tree: string,
  flags: ConfigFlags,
  project?: { readonly text: string | undefined },
): Result<ResolvedConfig, Diagnostic[]> {
  const home = host.env["HOME"];
  const sources = [
    ...(home === undefined
      ? []
      : [
          {
            path: join(home, ".ralph", "config.yaml"),
            name: "~/.ralph/config.yaml",
            instead: undefined,
          },
        ]),
    { path: join(tree, ".ralph", "config.yaml"), name: ".ralph/config.yaml", instead: project },
  ];
  const problems: Diagnostic[] = [];
  const layers: ConfigLayer[] = [];
  let file: ConfigFile = {};
  for (const { path, name, instead } of sources) {
    const text = instead === undefined ? host.files.readText(path) : instead.text;
    if (text === undefined) continue;
    const parsed = parseConfig(text, name);
    if (!parsed.ok) {
      problems.push(...parsed.error);
      continue;
    }
    file = merge(file, parsed.value);
    layers.push({ name, text, file: parsed.value });
  }
  const env = readEnvironment(host);
  if (!env.ok) problems.push(...env.error);
  const agent = resolveAgent(file, flags);
  if (!agent.ok) problems.push(agent.error);
  if (problems.length > 0 || !env.ok || !agent.ok) return err(problems);
  const config = assemble(file, { ...env.value, ...flags }, agent.value);
  return ok({ config, layers, flags, environment: env.value });
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
    limitMarginMs: file.limits?.margin ?? DEFAULTS.limitMarginMs,
    onLimit: flags.onLimit ?? file.limits?.on_limit ?? DEFAULTS.onLimit,
    pauseMs: defaults?.pause_between ?? 0,
    keepIterations: file.record?.keep_iterations ?? DEFAULTS.keepIterations,
    promptTokensMax: file.prompt?.tokens ?? DEFAULTS.promptTokensMax,
    promptTemplate: file.prompt?.template ?? DEFAULTS.promptTemplate,
    ...layingBy(file, flags),
    ...guardLimits(file, flags),
  };
}

/** The branch of a feature, and what becomes of it in the end; what is not set is left out. */
function layingBy({ branch, archive }: ConfigFile, flags: ConfigFlags) {
  const { prefix, auto_create: autoCreate } = branch ?? {};
  const named = {
    ...(prefix === undefined ? {} : { prefix }),
    ...(autoCreate === undefined ? {} : { autoCreate }),
  };
  const isKept = flags.archive === false || archive === false;
  return {
    ...(branch === undefined ? {} : { branch: named }),
    ...(isKept ? { archive: false as const } : {}),
  };
}

/** What stops, holds or lays aside; every number has a key. */
function guardLimits(file: ConfigFile, flags: ConfigFlags) {
  const { defaults, circuit_breaker: circuit, completion, stuck } = file;
  const { breaker, parking } = DEFAULTS;
  return {
    gateTimeoutMs: gateTimeout(file),
    callsPerHourMax:
      flags.callsPerHourMax ?? defaults?.rate_limit_per_hour ?? DEFAULTS.callsPerHourMax,
    breaker: {
      idleMax: flags.idleMax ?? circuit?.no_progress_threshold ?? breaker.idleMax,
      sameErrorMax: flags.sameErrorMax ?? circuit?.same_error_threshold ?? breaker.sameErrorMax,
    },
    parking: {
      rejectedMax: completion?.consecutive_done_signals ?? parking.rejectedMax,
      testOnlyMax: completion?.consecutive_test_loops ?? parking.testOnlyMax,
      warnAfter: stuck?.warn_after ?? parking.warnAfter,
      deferAfter: stuck?.defer_after ?? parking.deferAfter,
    },
    budget: budgetOf(file, flags),
  };
}

function budgetOf({ budget }: ConfigFile, flags: ConfigFlags): Budget {
  const limits = {
    usdMax: flags.usdMax ?? budget?.usd,
    tokensMax: flags.tokensMax ?? budget?.tokens,
    featureUsdMax: budget?.feature_usd,
    featureTokensMax: budget?.feature_tokens,
  };
  // A limit that is not set is left out, so that two settings without it are equal.
  const set = Object.entries(limits).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set);
}

function gatesOf(file: ConfigFile): Gate[] {
  return Object.entries(file.quality_checks ?? {}).map(([name, check]) => {
    const { command, timeout } =
      typeof check === "string" ? { command: check, timeout: undefined } : check;
    return { name, command, timeoutMs: timeout ?? gateTimeout(file) };
  });
}

function gateTimeout(file: ConfigFile): number {
  return file.gates?.timeout ?? DEFAULTS.gateTimeoutMs;
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
  const counts = {
    iterationMax: readCount(host, "MAX_ITERATIONS", problems),
    callsPerHourMax: readCount(host, "RATE_LIMIT_PER_HOUR", problems),
    idleMax: readCount(host, "CB_NO_PROGRESS_THRESHOLD", problems),
    sameErrorMax: readCount(host, "CB_SAME_ERROR_THRESHOLD", problems),
  };
  const timeout = host.env["TIMEOUT_MINUTES"];
  const timeoutMs = timeout === undefined ? undefined : parseDuration(timeout, "m");
  if (timeout !== undefined && timeoutMs === undefined)
    problems.push(badVariable("TIMEOUT_MINUTES", timeout));
  if (problems.length > 0) return err(problems);
  const told = Object.entries(counts).filter(([, value]) => value !== undefined);
  const flags: ConfigFlags = Object.fromEntries(told);
  return ok({ ...flags, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
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
