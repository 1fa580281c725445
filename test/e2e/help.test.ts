import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { commands } from "../../src/ui/cli/commands.ts";
import { TestProject } from "../rig/project.ts";

const shown = commands.filter(({ visibility }) => visibility === "shown").map(({ name }) => name);

const { version } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
) as { version: string };

describe("help", () => {
  test("help names every command and fits 80 columns", async () => {
    const project = new TestProject({ git: false });
    const { code, stdout, stderr } = await project.ralph(["help"]);
    expect([code, stderr]).toEqual([0, ""]);
    for (const name of shown) expect(stdout).toMatch(new RegExp(`^  ${name}( |$)`, "mu"));
    expect(stdout).not.toContain("scripted-agent");
    expect(stdout).toContain("Start here:");
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    expect((await project.ralph([])).stdout).toBe(stdout);
    expect((await project.ralph(["--help"])).stdout).toBe(stdout);
  });

  test.each(shown)("help %s shows its options with examples", async (name) => {
    const project = new TestProject({ git: false });
    const { code, stdout } = await project.ralph(["help", name]);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^Usage: ralph ${name}`, "u"));
    expect(stdout).toMatch(/\nExamples:\n  \S/u);
  });

  test.each([
    ["a command", ["stauts"], "did you mean status?"],
    ["help of one", ["help", "demmo"], "did you mean demo?"],
    ["an option", ["run", "--max-iteratons", "3"], "did you mean --max-iterations?"],
  ])("%s that is written wrong is put right", async (_, argv, words) => {
    const project = new TestProject({ git: false });
    const { code, stderr, stdout } = await project.ralph(argv);
    expect([code, stdout]).toEqual([64, ""]);
    expect(stderr).toContain(words);
  });

  test("--version is the version and nothing else", async () => {
    const project = new TestProject({ git: false });
    expect((await project.ralph(["--version"])).stdout).toBe(`${version}\n`);
  });
});
