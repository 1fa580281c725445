import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder, testHost } from "../../../test/rig/host.ts";
import { ConfigFile } from "./config-file.ts";
import { type ConfigFlags, resolveConfig } from "./resolve-config.ts";

interface Sources {
  readonly project?: string;
  readonly home?: string;
  readonly env?: Record<string, string>;
  readonly flags?: ConfigFlags;
}

function resolve(sources: Sources) {
  const folder = newFolder();
  const write = (base: string, text: string | undefined): string => {
    mkdirSync(join(folder, base, ".ralph"), { recursive: true });
    if (text !== undefined) writeFileSync(join(folder, base, ".ralph", "config.yaml"), text);
    return join(folder, base);
  };
  const home = write("home", sources.home);
  const host = testHost({ env: { HOME: home, ...sources.env } });
  return resolveConfig(host, write("tree", sources.project), sources.flags ?? {});
}

function config(sources: Sources) {
  const resolved = resolve(sources);
  if (!resolved.ok) throw new Error(JSON.stringify(resolved.error));
  return resolved.value.config;
}

test("without any setting the defaults hold", () => {
  expect(config({})).toEqual({
    agent: { name: "claude", arguments: [] },
    iterationMax: 20,
    clocks: { startMs: 120_000, idleMs: 600_000, graceMs: 10_000, wallMs: 900_000 },
    gates: [],
    promise: "<promise>COMPLETE</promise>",
    permissions: "listed",
    allowedTools: "Read,Write,Edit,Glob,Grep,Bash",
    limitWaitMs: 3_600_000,
    limitMarginMs: 30_000,
    pauseMs: 0,
    keepIterations: 100,
    promptTokensMax: 12_000,
    gateTimeoutMs: 900_000,
    callsPerHourMax: 100,
    breaker: { idleMax: 3, sameErrorMax: 5 },
    parking: { rejectedMax: 2, testOnlyMax: 3, warnAfter: 3, deferAfter: 6 },
    budget: {},
    onLimit: "ask",
    promptTemplate: "default",
  });
});

/** Every key that acts, with a value and the path in the settings it must change. */
const ACTING: [string, string, unknown][] = [
  ["defaults: {max_iterations: 7}", "iterationMax", 7],
  ["defaults: {timeout_minutes: 3}", "clocks.wallMs", 180_000],
  ["defaults: {max_time: 1h}", "runMsMax", 3_600_000],
  ["defaults: {pause_between: 2}", "pauseMs", 2_000],
  ["agent: scripted", "agent.name", "scripted"],
  ["agent: {name: scripted}", "agent.name", "scripted"],
  ["agent: {command: ./x}", "agent.command", "./x"],
  ["agent: {arguments: [--fast]}", "agent.arguments", ["--fast"]],
  ["agent: {model: opus}", "agent.model", "opus"],
  ["agent: {output: text}", "agent.output", "text"],
  ["clocks: {start: 1}", "clocks.startMs", 1_000],
  ["clocks: {idle: 2}", "clocks.idleMs", 2_000],
  ["clocks: {after_result: 3}", "clocks.graceMs", 3_000],
  [
    "quality_checks: {tests: npm test}",
    "gates",
    [{ name: "tests", command: "npm test", timeoutMs: 900_000 }],
  ],
  [
    "gates: {timeout: 1}\nquality_checks: {t: x}",
    "gates",
    [{ name: "t", command: "x", timeoutMs: 60_000 }],
  ],
  [
    "quality_checks: {t: {command: x, timeout: 30s}}",
    "gates",
    [{ name: "t", command: "x", timeoutMs: 30_000 }],
  ],
  ["defaults: {rate_limit_per_hour: 5}", "callsPerHourMax", 5],
  ["circuit_breaker: {no_progress_threshold: 4}", "breaker.idleMax", 4],
  ["circuit_breaker: {same_error_threshold: 6}", "breaker.sameErrorMax", 6],
  ["completion: {consecutive_done_signals: 7}", "parking.rejectedMax", 7],
  ["completion: {consecutive_test_loops: 8}", "parking.testOnlyMax", 8],
  ["stuck: {warn_after: 9}", "parking.warnAfter", 9],
  ["stuck: {defer_after: 10}", "parking.deferAfter", 10],
  ["budget: {usd: 2.5}", "budget.usdMax", 2.5],
  ["budget: {tokens: 5000}", "budget.tokensMax", 5000],
  ["budget: {feature_usd: 20}", "budget.featureUsdMax", 20],
  ["budget: {feature_tokens: 70000}", "budget.featureTokensMax", 70_000],
  ["completion: {promise: FERTIG}", "promise", "FERTIG"],
  ["claude: {dangerously_skip_permissions: true}", "permissions", "skip"],
  ["claude: {allowed_tools: Read}", "allowedTools", "Read"],
  ["limits: {wait: 5}", "limitWaitMs", 300_000],
  ["limits: {margin: 5}", "limitMarginMs", 5_000],
  ["limits: {on_limit: exit}", "onLimit", "exit"],
  ["prompt: {tokens: 900}", "promptTokensMax", 900],
  ["prompt: {template: tdd}", "promptTemplate", "tdd"],
  ["record: {keep_iterations: 4}", "keepIterations", 4],
  ["branch: {prefix: x}", "branch", { prefix: "x" }],
  ["branch: {auto_create: true}", "branch", { autoCreate: true }],
  ["archive: false", "archive", false],
];
function at(value: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((found, key) => (found as Record<string, unknown>)[key], value);
}

test.each(ACTING)("%s sets %s", (project, path, expected) => {
  expect(at(config({ project }), path)).toEqual(expected);
  expect(at(config({}), path)).not.toEqual(expected);
  expect(at(config({ home: project }), path), "from the user's own file").toEqual(expected);
});

test("no key of the file is missing from the list above", () => {
  const listed = ACTING.map(([text]) => text).join("\n");
  for (const [name, section] of Object.entries(ConfigFile.shape)) {
    expect(listed).toContain(`${name}: `);
    const inner = section.def.innerType.def;
    const keys = "shape" in inner ? Object.keys(inner.shape) : [];
    for (const key of keys)
      expect(listed, `${name}.${key}`).toMatch(new RegExp(`${name}: \\{.*${key}: `, "u"));
  }
});

test("a flag beats the environment, which beats the project, which beats the user's own file", () => {
  const home = "defaults: {max_iterations: 1, timeout_minutes: 1}";
  const project = "defaults: {max_iterations: 2}";
  const env = { MAX_ITERATIONS: "3", TIMEOUT_MINUTES: "4" };
  const flags = { iterationMax: 5 };
  expect(config({ home }).iterationMax).toBe(1);
  expect(config({ home, project })).toMatchObject({ iterationMax: 2, clocks: { wallMs: 60_000 } });
  expect(config({ home, project, env })).toMatchObject({
    iterationMax: 3,
    clocks: { wallMs: 240_000 },
  });
  expect(config({ home, project, env, flags }).iterationMax).toBe(5);
  const guards = {
    RATE_LIMIT_PER_HOUR: "11",
    CB_NO_PROGRESS_THRESHOLD: "12",
    CB_SAME_ERROR_THRESHOLD: "13",
  };
  expect(config({ env: guards })).toMatchObject({
    callsPerHourMax: 11,
    breaker: { idleMax: 12, sameErrorMax: 13 },
  });
  expect(config({ env: guards, flags: { callsPerHourMax: 14 } }).callsPerHourMax).toBe(14);
  expect(config({ flags: { usdMax: 1, tokensMax: 2 } }).budget).toEqual({
    usdMax: 1,
    tokensMax: 2,
  });
  const all = { timeoutMs: 7, runMsMax: 8, skipPermissions: true };
  expect(
    config({ project: "claude: {dangerously_skip_permissions: false}", flags: all }),
  ).toMatchObject({
    clocks: { wallMs: 7 },
    runMsMax: 8,
    permissions: "skip",
  });
});

test("an agent named on the command line does not get another one's command", () => {
  const project = "agent: {name: command, command: ./x, arguments: [a]}";
  expect(config({ project, flags: { agent: "scripted" } }).agent).toEqual({
    name: "scripted",
    arguments: [],
  });
  expect(config({ project }).agent).toEqual({ name: "command", command: "./x", arguments: ["a"] });
});

test("a plain program may be silent to the end: no start and no idle clock unless set", () => {
  expect(config({ project: "agent: {command: ./x}" }).clocks).toEqual({
    graceMs: 10_000,
    wallMs: 900_000,
  });
  expect(config({ project: "agent: {command: ./x, output: claude}" }).clocks).toMatchObject({
    idleMs: 600_000,
  });
});

test("mistakes of all sources are told at once", () => {
  const resolved = resolve({
    home: "x: 1",
    project: "y: 1",
    env: { MAX_ITERATIONS: "-1", TIMEOUT_MINUTES: "soon" },
    flags: { agent: "cluade" },
  });
  expect(!resolved.ok && resolved.error.map(({ file }) => file)).toEqual([
    "~/.ralph/config.yaml",
    ".ralph/config.yaml",
    "environment",
    "environment",
    "command line",
  ]);
});
