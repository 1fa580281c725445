import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder, testHost } from "../../../test/rig/host.ts";
import { SETTING_NAMES } from "../../core/view/setting-names.ts";
import { type ConfigFlags, resolveConfig } from "./resolve-config.ts";
import { listSettings, type Setting } from "./settings.ts";

interface Sources {
  readonly project?: string;
  readonly home?: string;
  readonly env?: Record<string, string>;
  readonly flags?: ConfigFlags;
}

function settings(sources: Sources): (key: string) => Setting | undefined {
  const all = listAll(sources);
  return (key) => all.find((one) => one.key === key);
}

function listAll(sources: Sources): readonly Setting[] {
  const folder = newFolder();
  for (const [base, text] of [
    ["home", sources.home],
    ["tree", sources.project],
  ] as const) {
    mkdirSync(join(folder, base, ".ralph"), { recursive: true });
    if (text !== undefined) writeFileSync(join(folder, base, ".ralph", "config.yaml"), text);
  }
  const host = testHost({ env: { HOME: join(folder, "home"), ...sources.env } });
  const resolved = resolveConfig(host, join(folder, "tree"), sources.flags ?? {});
  if (!resolved.ok) throw new Error(JSON.stringify(resolved.error));
  return listSettings(resolved.value);
}

const MAX = "defaults.max_iterations";
const project = "agent: scripted\ndefaults:\n  max_iterations: 7\n";
const home = "defaults: {max_iterations: 9, timeout_minutes: 1h}\n";

test("each value is told with the strongest source that has it", () => {
  const env = { MAX_ITERATIONS: "5" };
  const all = { project, home, env, flags: { iterationMax: 3 } };
  const source = (sources: Sources) => settings(sources)(MAX);
  expect(source(all)).toEqual({
    key: MAX,
    value: 3,
    source: { kind: "flag", name: "--max-iterations" },
  });
  expect(source({ ...all, flags: {} })).toMatchObject({
    value: 5,
    source: { kind: "environment", name: "MAX_ITERATIONS" },
  });
  expect(source({ project, home })).toMatchObject({
    value: 7,
    source: { kind: "file", name: ".ralph/config.yaml", line: 3 },
  });
  expect(source({ home })).toMatchObject({
    value: 9,
    source: { kind: "file", name: "~/.ralph/config.yaml", line: 1 },
  });
  expect(source({})).toMatchObject({ value: 20, source: { kind: "default" } });
});

test("a key beside one that the project sets comes from the global file", () => {
  expect(settings({ project, home })("defaults.timeout_minutes")).toMatchObject({
    value: "1h",
    source: { kind: "file", name: "~/.ralph/config.yaml" },
  });
});

test.each([
  ["agent: scripted\n", "scripted", 1],
  ["# a comment\nagent:\n  name: scripted\n", "scripted", 3],
  ["agent:\n  command: ./x\n", "command", 2],
])("%j names the agent %s in line %i", (text, value, line) => {
  expect(settings({ project: text })("agent.name")).toMatchObject({ value, source: { line } });
});

test("an agent of another kind in the global file lends nothing to the project's", () => {
  const found = settings({ project: "agent: {model: opus}\n", home: "agent: scripted\n" });
  expect(found("agent.name")).toMatchObject({ value: "claude", source: { kind: "default" } });
});

test("gates are told one by one, durations as they would be written", () => {
  const text = "quality_checks:\n  tests: npm test\n  lint: {command: npx lint, timeout: 90s}\n";
  const found = settings({ project: `${text}limits: {wait: 90}\n` });
  expect(found("quality_checks.lint")).toMatchObject({ value: "npx lint", source: { line: 3 } });
  expect(found("limits.wait")?.value).toBe("90m");
  expect(found("defaults.pause_between")?.value).toBe("0s");
  expect(settings({})("quality_checks")?.value).toBeUndefined();
});

test("what a person reads about a changed setting is what `ralph config` calls it, or a group of it", () => {
  const keys = listAll({ project: "quality_checks: {tests: 'true'}\n" }).map(({ key }) => key);
  const words = Object.values(SETTING_NAMES).flatMap((name) => name.split(" and "));
  const isKnown = (word: string): boolean =>
    keys.some((key) => key === word || key.startsWith(`${word}.`));
  expect(words.filter((word) => !isKnown(word))).toEqual([]);
  const isNamed = (key: string): boolean =>
    words.some((word) => key === word || key.startsWith(`${word}.`));
  expect(keys.filter((key) => !isNamed(key))).toEqual([]);
});
