// The throw-away project of `ralph demo`: a small program to write, its stories, and an agent with a script.

import { join, resolve } from "node:path";
import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import { err, ok, type Result } from "../../std/result.ts";
import { runGit } from "../../world/git/run-git.ts";
import type { Host } from "../../world/host/host.ts";

/** What makes a demo. */
export interface DemoOrder {
  readonly cwd: string;
  /** Where the person wants it; a new folder in the temporary one where absent. */
  readonly folder: string | undefined;
  readonly templates: string;
}

/** Its files: where they come from in templates/demo, and where they go. */
const FILES: readonly (readonly [string, string])[] = [
  ["project/package.json", "package.json"],
  ["project/README.md", "README.md"],
  ["project/todo.js", "todo.js"],
  ["config.yaml", ".ralph/config.yaml"],
  ["prd.json", ".ralph/todo/prd.json"],
  ["scenario.yaml", ".ralph/todo/scenario.yaml"],
];

const COMMANDS: readonly (readonly string[])[] = [
  ["init", "--quiet", "--initial-branch", "main"],
  // Of this repository alone: who has no identity yet needs none to watch.
  ["config", "user.name", "ralph demo"],
  ["config", "user.email", "demo@localhost"],
  ["config", "commit.gpgsign", "false"],
  ["add", "--all"],
  ["commit", "--quiet", "--message", "Five stories to do"],
];

/** What of the person's environment a demo gets: no settings of theirs may change how it goes. */
const KEPT_VARIABLES = ["PATH", "LANG", "LC_ALL", "TERM", "TMPDIR", "NO_COLOR", "FORCE_COLOR"];

/** The machine as the demo sees it; `node` is found even where only this program knows its place. */
export function demoHost(host: Host, nodeFolder: string): Host {
  const kept = KEPT_VARIABLES.map((name) => [name, host.env[name]] as const);
  const env = Object.fromEntries(kept.filter(([, value]) => value !== undefined));
  return { ...host, env: { ...env, PATH: `${env["PATH"] ?? "/usr/bin:/bin"}:${nodeFolder}` } };
}

/** The folder of the project, which is left for looking around. */
export async function makeDemo(
  host: Host,
  order: DemoOrder,
): Promise<Result<string, Diagnostic[]>> {
  const root =
    order.folder === undefined
      ? join(host.env["TMPDIR"] ?? "/tmp", `ralph-demo-${host.random(6)}`)
      : resolve(order.cwd, order.folder);
  const kind = host.files.kind(root);
  if (kind !== undefined && (kind !== "folder" || host.files.list(root).length > 0))
    return err([taken(root)]);
  for (const [from, to] of FILES) {
    const text = host.files.readText(join(order.templates, "demo", from)) ?? "";
    host.files.makeFolder(join(root, to, ".."), 0o755);
    host.files.replace(join(root, to), text, { mode: 0o644, durability: "cached" });
  }
  for (const args of COMMANDS) {
    const answer = await runGit(host, { tree: root, args });
    if (answer.code !== 0) return err([gitFailed(args, answer.stderr)]);
  }
  return ok(root);
}

/** One line a commit, the newest first. */
export async function readDemoCommits(host: Host, root: string): Promise<string[]> {
  const answer = await runGit(host, { tree: root, args: ["log", "--format=%h %s"] });
  return answer.stdout.toString("utf8").trim().split("\n");
}

function taken(root: string): Diagnostic {
  return {
    file: "command line",
    problem: `${root} is not empty`,
    expected: "a new or empty folder for the demo",
    remedy: "name another one, or leave --keep out for a folder in the temporary one",
  };
}

function gitFailed(args: readonly string[], said: string): Diagnostic {
  return {
    file: "git",
    problem: `git ${args[0] ?? ""} failed: ${said}`,
    expected: "git 2.31 or newer on the PATH",
    remedy: "see what `ralph doctor` says",
  };
}
