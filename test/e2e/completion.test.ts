import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pty from "@lydell/node-pty";
import { describe, expect, test } from "vitest";
import { cli, TestProject, until } from "../rig/project.ts";

/** A project with two features, and `ralph` on the PATH. */
function given(): { project: TestProject; env: Record<string, string> } {
  const project = new TestProject();
  for (const name of ["checkout", "search"])
    project.write(`.ralph/${name}/prd.json`, '{"userStories": [{"id": "A", "title": "T"}]}\n');
  const bin = join(project.home, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "ralph"), `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`);
  chmodSync(join(bin, "ralph"), 0o755);
  const env = project.environment({ PATH: `${bin}:${process.env["PATH"] ?? ""}` });
  return { project, env };
}

/** What bash would offer for this line, by the machinery that `complete` uses. */
function inBash(
  place: { project: TestProject; env: Record<string, string> },
  words: string[],
): string[] {
  const quoted = words.map((word) => `'${word}'`).join(" ");
  const script = `set -u; eval "$(ralph completion bash)"; eval "$(ralph completion bash)"
COMP_WORDS=(ralph ${quoted}); COMP_CWORD=${words.length}
$(complete -p ralph | sed 's/.*-F \\([^ ]*\\) .*/\\1/'); printf '%s\\n' "\${COMPREPLY[@]+"\${COMPREPLY[@]}"}"`;
  const { project, env } = place;
  const out = execFileSync("bash", ["--norc", "-c", script], {
    cwd: project.root,
    env,
    encoding: "utf8",
  });
  return out.split("\n").filter((line) => line !== "");
}

const has = (shell: string): boolean => spawnSync(shell, ["-c", "true"]).status === 0;

describe("completion", () => {
  test("bash completes commands, options, values and features", () => {
    const place = given();
    expect(inBash(place, ["st"])).toEqual(["status", "stop"]);
    expect(inBash(place, ["run", "--max-t"])).toEqual(["--max-time", "--max-tokens"]);
    expect(inBash(place, ["run", "-f", ""])).toEqual(["checkout", "search"]);
    expect(inBash(place, ["run", "--feature", "=", "se"])).toEqual(["search"]);
    expect(inBash(place, ["completion", "z"])).toEqual(["zsh"]);
    expect(inBash(place, ["nonsense", ""])).toEqual([]);
  });

  test("what is typed is never run", () => {
    const place = given();
    const words = ["run", "$(touch pwned)", "`touch pwned`", "; touch pwned", ""];
    inBash(place, words);
    expect(place.project.exists("pwned")).toBe(false);
  });

  test("the key works in a bash that a person sits at", async () => {
    const { project, env } = given();
    const shell = pty.spawn("bash", ["--norc", "-i"], {
      cols: 100,
      rows: 20,
      cwd: project.root,
      env: { ...env, PS1: "ready> ", TERM: "xterm" },
    });
    let text = "";
    shell.onData((data) => (text += data));
    await until("the prompt", () => text.includes("ready>"));
    shell.write('eval "$(ralph completion bash)"; echo loaded\r');
    await until("the script", () => /^loaded/mu.test(text));
    shell.write("ralph statu\t--js\t");
    await until("both words", () => text.includes("ralph status --json"));
    shell.kill();
  });

  test.skipIf(!has("zsh"))("zsh takes the script", () => {
    const { project, env } = given();
    const script =
      'autoload -Uz compinit; compinit -u; eval "$(ralph completion zsh)"; print $_comps[ralph]';
    const out = execFileSync("zsh", ["-fc", script], { cwd: project.root, env, encoding: "utf8" });
    expect(out.trim()).toBe("_ralph");
  });

  test.skipIf(!has("fish"))("fish completes features", () => {
    const { project, env } = given();
    const script = "ralph completion fish | source; complete -C 'ralph run -f '";
    const out = execFileSync("fish", ["-c", script], { cwd: project.root, env, encoding: "utf8" });
    expect(out).toContain("checkout");
  });

  test("a shell we do not know is a mistake that is explained", async () => {
    const { project } = given();
    const { code, stderr } = await project.ralph(["completion", "bsh"]);
    expect(code).toBe(64);
    expect(stderr).toContain("did you mean bash?");
  });
});
