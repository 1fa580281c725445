// Every setting by the name it has in config.yaml: its value in force, and where that comes from. For people who ask;
// a run itself does without.

import { BRANCH_PREFIX, type Config } from "../../core/schema/config.ts";
import { writeDuration } from "../../std/duration.ts";
import type { ConfigFile } from "./config-file.ts";
import { locateKey } from "./parse-config.ts";
import type { ConfigFlags, ConfigLayer, ResolvedConfig } from "./resolve-config.ts";

/** Where a value comes from. */
export type SettingSource =
  | { readonly kind: "flag" | "environment"; readonly name: string }
  | { readonly kind: "file"; readonly name: string; readonly line: number }
  | { readonly kind: "default" };

/** One setting as it is in force. */
export interface Setting {
  readonly key: string;
  /** As it would be written in the file; undefined where nothing is set and there is no default. */
  readonly value: string | number | boolean | readonly string[] | undefined;
  readonly source: SettingSource;
}

interface Row {
  readonly key: string;
  readonly value?: (config: Config) => Setting["value"];
  /** The same for a duration, in milliseconds. */
  readonly ms?: (config: Config) => number | undefined;
  readonly flag?: readonly [keyof ConfigFlags, string];
  readonly variable?: string;
}

const ROWS: readonly Row[] = [
  { key: "agent.name", value: ({ agent }) => agent.name, flag: ["agent", "--agent"] },
  { key: "agent.command", value: ({ agent }) => agent.command },
  { key: "agent.arguments", value: ({ agent }) => agent.arguments },
  { key: "agent.model", value: ({ agent }) => agent.model },
  { key: "agent.output", value: ({ agent }) => agent.output },
  {
    key: "defaults.max_iterations",
    value: ({ iterationMax }) => iterationMax,
    flag: ["iterationMax", "--max-iterations"],
    variable: "MAX_ITERATIONS",
  },
  {
    key: "defaults.timeout_minutes",
    ms: ({ clocks }) => clocks.wallMs,
    flag: ["timeoutMs", "--timeout"],
    variable: "TIMEOUT_MINUTES",
  },
  {
    key: "defaults.rate_limit_per_hour",
    value: ({ callsPerHourMax }) => callsPerHourMax,
    flag: ["callsPerHourMax", "--rate-limit"],
    variable: "RATE_LIMIT_PER_HOUR",
  },
  {
    key: "defaults.max_time",
    ms: ({ runMsMax }) => runMsMax,
    flag: ["runMsMax", "--max-time"],
  },
  { key: "defaults.pause_between", ms: ({ pauseMs }) => pauseMs },
  { key: "clocks.start", ms: ({ clocks }) => clocks.startMs },
  { key: "clocks.idle", ms: ({ clocks }) => clocks.idleMs },
  { key: "clocks.after_result", ms: ({ clocks }) => clocks.graceMs },
  { key: "quality_checks" },
  { key: "gates.timeout", ms: ({ gateTimeoutMs }) => gateTimeoutMs },
  {
    key: "circuit_breaker.no_progress_threshold",
    value: ({ breaker }) => breaker.idleMax,
    flag: ["idleMax", ""],
    variable: "CB_NO_PROGRESS_THRESHOLD",
  },
  {
    key: "circuit_breaker.same_error_threshold",
    value: ({ breaker }) => breaker.sameErrorMax,
    flag: ["sameErrorMax", ""],
    variable: "CB_SAME_ERROR_THRESHOLD",
  },
  { key: "completion.promise", value: ({ promise }) => promise },
  { key: "completion.consecutive_done_signals", value: ({ parking }) => parking.rejectedMax },
  { key: "completion.consecutive_test_loops", value: ({ parking }) => parking.testOnlyMax },
  { key: "stuck.warn_after", value: ({ parking }) => parking.warnAfter },
  { key: "stuck.defer_after", value: ({ parking }) => parking.deferAfter },
  { key: "budget.usd", value: ({ budget }) => budget.usdMax, flag: ["usdMax", "--max-cost"] },
  {
    key: "budget.tokens",
    value: ({ budget }) => budget.tokensMax,
    flag: ["tokensMax", "--max-tokens"],
  },
  { key: "budget.feature_usd", value: ({ budget }) => budget.featureUsdMax },
  { key: "budget.feature_tokens", value: ({ budget }) => budget.featureTokensMax },
  {
    key: "claude.dangerously_skip_permissions",
    value: ({ permissions }) => permissions === "skip",
    flag: ["skipPermissions", "--dangerously-skip-permissions"],
  },
  { key: "claude.allowed_tools", value: ({ allowedTools }) => allowedTools },
  { key: "branch.prefix", value: ({ branch }) => branch?.prefix ?? BRANCH_PREFIX },
  { key: "branch.auto_create", value: ({ branch }) => branch?.autoCreate },
  {
    key: "archive",
    value: ({ archive }) => archive !== false,
    flag: ["archive", "--no-archive"],
  },
  { key: "limits.wait", ms: ({ limitWaitMs }) => limitWaitMs },
  { key: "limits.margin", ms: ({ limitMarginMs }) => limitMarginMs },
  { key: "limits.on_limit", value: ({ onLimit }) => onLimit, flag: ["onLimit", "--on-limit"] },
  { key: "prompt.tokens", value: ({ promptTokensMax }) => promptTokensMax },
  { key: "prompt.template", value: ({ promptTemplate }) => promptTemplate },
  { key: "record.keep_iterations", value: ({ keepIterations }) => keepIterations },
];

/** The names of all settings. */
export const SETTING_KEYS: readonly string[] = ROWS.map(({ key }) => key);

/** Every setting in the order of the documentation; each gate is a line of its own. */
export function listSettings(resolved: ResolvedConfig): Setting[] {
  return ROWS.flatMap((row) =>
    row.key === "quality_checks" ? listGates(resolved) : [settingOf(row, resolved)],
  );
}

function settingOf(row: Row, resolved: ResolvedConfig): Setting {
  const { key, flag } = row;
  const value = valueOf(row, resolved);
  if (value === undefined) return { key, value, source: { kind: "default" } };
  const [name, option = ""] = flag ?? [];
  if (name !== undefined && resolved.flags[name] !== undefined)
    return { key, value, source: { kind: "flag", name: option } };
  if (name !== undefined && resolved.environment[name] !== undefined)
    return { key, value, source: { kind: "environment", name: row.variable ?? "" } };
  const source = inFiles(resolved.layers, key.split(".")) ?? { kind: "default" };
  return { key, value, source };
}

function valueOf(row: Row, { config }: ResolvedConfig): Setting["value"] {
  if (row.value !== undefined) return row.value(config);
  if (row.ms !== undefined) {
    const ms = row.ms(config);
    return ms === undefined ? undefined : writeDuration(ms);
  }
  return undefined;
}

function listGates({ config, layers }: ResolvedConfig): Setting[] {
  if (config.gates.length === 0)
    return [{ key: "quality_checks", value: undefined, source: { kind: "default" } }];
  return config.gates.map(({ name, command }) => ({
    key: `quality_checks.${name}`,
    value: command,
    source: inFiles(layers, ["quality_checks", name]) ?? { kind: "default" },
  }));
}

/** The strongest file that has the key. */
function inFiles(
  layers: readonly ConfigLayer[],
  path: readonly string[],
): SettingSource | undefined {
  for (const { name, text, file } of layersOf(layers, path[0] ?? "")) {
    const line = pathsTo(path, file)
      .map((one) => locateKey(text, one))
      .find((one) => one !== undefined);
    if (line !== undefined) return { kind: "file", name, line };
  }
  return undefined;
}

/** An agent may be named without a map, and one with a command and no name is the agent `command`. */
function pathsTo(path: readonly string[], { agent }: ConfigFile): (readonly string[])[] {
  if (path.join(".") !== "agent.name") return [path];
  return typeof agent === "string" ? [["agent"]] : [path, ["agent", "command"]];
}

/** The files that a value under this key is made of, the strongest first: a map and a single value do not mix. */
function layersOf(layers: readonly ConfigLayer[], top: string): ConfigLayer[] {
  const having = layers.filter(({ file }) => at(file, [top]) !== undefined).toReversed();
  const kind = typeof at(having[0]?.file, [top]);
  const other = having.findIndex(({ file }) => typeof at(file, [top]) !== kind);
  return other === -1 ? having : having.slice(0, other);
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === "object" && inner !== null && Object.hasOwn(inner, key)
        ? Reflect.get(inner, key)
        : undefined,
    value,
  );
}
