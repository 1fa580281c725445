// The README as a person takes it: its quick start is done word for word, and its tables are held against the program.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import {
  END_REASONS,
  type EndReason,
  EXIT_CODES,
  exitCodeOf,
} from "../../src/core/schema/outcome.ts";
import { TestProject } from "../rig/project.ts";

const checkout = fileURLToPath(new URL("../../", import.meta.url));
const fileOf = (path: string): string => readFileSync(`${checkout}${path}`, "utf8");
const readme = fileOf("README.md");

/** The text below a heading. */
function section(heading: string): string {
  const [, below = ""] = readme.split(`\n## ${heading}\n`);
  return below.split("\n## ")[0] ?? "";
}

/** The text of every fenced block of a language, without the indent of the list it stands in. */
function blocks(text: string, language: string): string[] {
  const found = text.matchAll(/^( *)```(\w+)\n([\s\S]*?)^ *```$/gmu);
  return [...found]
    .filter(([, , name]) => name === language)
    .map(([, indent = "", , body = ""]) => body.replaceAll(new RegExp(`^${indent}`, "gmu"), ""));
}

/** Indented lines outside of fenced blocks: what a person types. */
function typed(text: string): string[] {
  const plain = text.replaceAll(/^ *```\w+\n[\s\S]*?^ *```$/gmu, "");
  return [...plain.matchAll(/^ {4,}(\S.*)$/gmu)].map(([, line = ""]) => line);
}

/** Cells of every row of the table that has this heading. */
function rows(heading: string): string[][] {
  const lines = readme.split("\n");
  const first = lines.findIndex((line) => line.startsWith(`| ${heading} |`));
  const rest = lines.slice(first + 2);
  const end = rest.findIndex((line) => !line.startsWith("|"));
  return rest.slice(0, end).map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/u)
      .map((cell) => cell.trim()),
  );
}

const AGENT = `#!/bin/sh
grep -q 'Greet by name' || exit 1
echo 'exports.greet = (name) => "Hello, " + name + "!";' > greet.js
sed -i.old 's/"passes": false/"passes": true/' .ralph/greet/prd.json && rm .ralph/greet/prd.json.old
echo done
`;
const CHECK = `node -e 'if (require("./greet.js").greet("Ada") !== "Hello, Ada!") process.exit(1)'`;

describe("quick start", () => {
  const text = section("Use it in your project");
  const [install = "", init = "", ...start] = typed(text);
  const [story = ""] = blocks(text, "json");
  const [checks = "", agent = ""] = blocks(text, "yaml");

  /** A repository that nobody has set up for ralph, an empty home, and a shell in it that is opened anew each time. */
  function newcomer(): { project: TestProject; type: (command: string, where?: string) => string } {
    const project = new TestProject();
    project.write("package.json", JSON.stringify({ scripts: { test: CHECK } }));
    project.write("my-agent.sh", AGENT);
    execFileSync("chmod", ["+x", "my-agent.sh"], { cwd: project.root });
    project.commitAll();
    const type = (command: string, where = project.root): string => {
      const shell = '[ ! -f "$HOME/.bashrc" ] || . "$HOME/.bashrc"; eval "$1"';
      const { status, stdout, stderr } = spawnSync("bash", ["-c", shell, "bash", command], {
        cwd: where,
        env: project.environment({ SHELL: "/bin/bash" }),
        encoding: "utf8",
      });
      expect(status, `${command}: ${stdout}${stderr}`).toBe(0);
      return stdout;
    };
    return { project, type };
  }

  test("E1 E16 done word for word, it ends with a finished feature", () => {
    const { project, type } = newcomer();
    // What is built is tested here already, and not built again beside other tests.
    const [build, ...others] = install.split(" && ");
    expect(build).toBe("npm run build");
    type(others.join(" && "), checkout);
    type(init);
    const list = JSON.parse(project.read(".ralph/greet/prd.json")) as object;
    const stories = JSON.parse(story) as object;
    project.write(".ralph/greet/prd.json", JSON.stringify({ ...list, ...stories }, null, 2));
    project.config(`${project.read(".ralph/config.yaml")}\n${checks}\n${agent}`);
    expect(start).toEqual(["ralph doctor", "ralph run"]);
    const [, said = ""] = start.map((command) => type(command));
    expect(said).toMatch(/iteration 1: accepted STORY-001 Greet by name \(\S+, 1\/1 gates/u);
    expect(said).toContain("ended: complete (exit 0)");
    expect(project.git("log", "--format=%s", "feature/greet")).toContain("STORY-001");
    type("ralph uninstall --global");
    expect(existsSync(`${project.home}/.ralph`)).toBe(false);
  });

  test("the list is a whole one by itself, and has no field that the format does not know", () => {
    const { project, type } = newcomer();
    type(install.split(" && ").slice(1).join(" && "), checkout);
    project.write(".ralph/greet/prd.json", story);
    project.config(`${checks}${agent}`);
    expect(type("ralph validate")).toContain("in order");
    const schema = JSON.parse(fileOf("schemas/prd.schema.json")) as {
      properties: { userStories: { items: { properties: object } } };
    };
    const known = new Set(Object.keys(schema.properties.userStories.items.properties));
    const { userStories } = JSON.parse(story) as { userStories: object[] };
    const unknown = userStories.flatMap((one) => Object.keys(one).filter((key) => !known.has(key)));
    expect(unknown).toEqual([]);
  });
});

test("every npm script that is named is there", () => {
  const { scripts } = JSON.parse(fileOf("package.json")) as { scripts: Record<string, string> };
  const used = [...readme.matchAll(/npm (?:run ([\w:]+)|(start))/gu)];
  const named = used.map(([, run, other]) => run ?? other ?? "");
  expect(named.length).toBeGreaterThan(2);
  expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
});

test("every file that is linked to is there", () => {
  const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/gu)].map(([, path = ""]) => path);
  expect(links.length).toBeGreaterThan(10);
  expect(links.filter((path) => !existsSync(`${checkout}${path}`))).toEqual([]);
});

describe("tables", () => {
  /** What stands in a cell after `ralph`, one entry for each call. */
  const calls = rows("command").flatMap(([cell = ""]) =>
    [...cell.matchAll(/`ralph ([^`]+)`/gu)].map(([, words = ""]) => words),
  );

  test("the commands are those of `ralph help`, each way", async () => {
    const { stdout } = await new TestProject({ git: false }).ralph(["help"]);
    const [, list = ""] = stdout.split("\nCommands:\n");
    const offered = [...(list.split("\n\n")[0] ?? "").matchAll(/^ {2}([a-z][\w-]*)/gmu)];
    const names = offered.map(([, name]) => name).filter((name) => name !== "help");
    expect(new Set(calls.map((words) => words.split(" ")[0]))).toEqual(new Set(names));
    expect(readme).toContain("`ralph help <command>`");
  });

  test("the options are those of the command", async () => {
    const project = new TestProject({ git: false });
    const asked = calls.map(async (words) => {
      const [name = "", ...rest] = words.split(/[\s[\]]+/u);
      const { stdout } = await project.ralph(["help", name]);
      return rest
        .filter((word) => word.startsWith("--") && !new RegExp(`^ .*${word}\\b`, "mu").test(stdout))
        .map((word) => `${name} ${word}`);
    });
    expect((await Promise.all(asked)).flat()).toEqual([]);
    expect(calls.join(" ")).toContain("--");
  });

  /** How each end is told; a new reason needs its words. */
  const WORDS: Readonly<Record<Exclude<EndReason, "stopped">, string>> = {
    complete: "complete",
    "iterations-used-up": "iterations used up",
    "circuit-open": "circuit breaker is open",
    "needs-human": "a person is needed",
    "usage-limit": "usage limit was reached",
    "budget-used-up": "time, tokens or money used up",
    "agent-unusable": "the agent cannot be used",
    "bad-input": "a mistake in a flag, the config or the task list",
    locked: "another run works in this tree",
    disk: "the disk is full or read-only",
  };

  test("the exit codes are those of a run, each way", () => {
    const table = new Map(
      rows("code").flatMap(([codes = "", meaning = ""]) =>
        codes.split(", ").map((code): [number, string] => [Number(code), meaning]),
      ),
    );
    for (const reason of END_REASONS) {
      if (reason === "stopped") continue;
      expect(table.get(EXIT_CODES[reason])).toContain(WORDS[reason]);
    }
    const stopped = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) =>
      exitCodeOf("stopped", signal),
    );
    expect([...table.keys()].slice(-3)).toEqual(stopped);
    const DEFECT = 70;
    const real = new Set([...Object.values(EXIT_CODES), DEFECT, ...stopped]);
    expect(new Set(table.keys())).toEqual(real);
  });
});
