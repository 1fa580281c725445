import { expect, test } from "vitest";
import { commands } from "./commands.ts";
import { suggest } from "./suggest.ts";

const features = (): string[] => ["checkout", "search"];

function words(...typed: string[]): string[] | "files" {
  const found = suggest({ words: typed, commands, features });
  return found === "files" ? found : found.map(({ word }) => word);
}

test("the first word is a command that is shown, or help", () => {
  const all = words("");
  expect(all).toContain("run");
  expect(all).toContain("help");
  expect(all).not.toContain("scripted-agent");
  expect(words("sta")).toEqual(["status"]);
  expect(words("--v")).toEqual(["--version"]);
  expect(words("help", "wh")).toEqual(["why"]);
  expect(words("nonsense", "")).toEqual([]);
});

test("options of the command, those used left out", () => {
  expect(words("stop", "-")).toEqual(["--now", "--help"]);
  expect(words("stop", "--now", "-")).toEqual(["--help"]);
  expect(words("run", "--max-i")).toEqual(["--max-iterations"]);
  expect(words("run", "-f", "checkout", "-f")).toEqual([]);
});

test.each([
  ["a word of its own", ["run", "-f", ""], ["checkout", "search"]],
  ["a beginning", ["run", "--feature", "se"], ["search"]],
  ["joined, as zsh and fish send it", ["run", "--feature=c"], ["--feature=checkout"]],
  ["cut in three, as bash sends it", ["run", "--feature", "=", "c"], ["checkout"]],
  ["cut, with nothing after it", ["run", "--feature", "="], ["checkout", "search"]],
])("a feature by %s", (_, typed, expected) => {
  expect(words(...typed)).toEqual(expected);
});

test("agents, choices, shells, files and numbers", () => {
  expect(words("run", "--on-limit", "")).toEqual(["ask", "wait", "exit"]);
  expect(words("run", "--agent", "c")).toEqual(["claude", "command"]);
  expect(words("completion", "")).toEqual(["bash", "zsh", "fish"]);
  expect(words("completion", "bash", "")).toEqual(["--help"]);
  expect(words("demo", "--keep", "")).toBe("files");
  expect(words("run", "-n", "")).toEqual([]);
});
