import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Ended, TestProject } from "../rig/project.ts";

/** A home with this in its shell's start file; undefined means there is none. */
function given(shell: string, file: string, text: string | undefined) {
  const project = new TestProject({ git: false, env: { SHELL: `/bin/${shell}` } });
  const path = join(project.home, file);
  if (text !== undefined) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const ralph = async (...args: string[]): Promise<Ended> => await project.ralph(args);
  return { project, path, ralph, base: join(project.home, ".ralph") };
}

/** Every file of a home, with its bytes. */
function picture(home: string): Record<string, string> {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((one) =>
    one.isFile(),
  );
  const paths = files.map((one) => join(one.parentPath, one.name)).toSorted();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(path, "latin1")]));
}

const START_FILES: [string, string, string | undefined][] = [
  ["bash", ".bashrc", "alias a=b\n"],
  ["bash", ".bashrc", "alias a=b"],
  ["bash", ".bashrc", ""],
  ["bash", ".bashrc", undefined],
  ["bash", ".bashrc", "# caf\u00E9\r\nalias a=b\r\n\n\n"],
  ["zsh", ".zshrc", "setopt autocd\n"],
  ["fish", ".config/fish/config.fish", "set -g x 1\n"],
  ["fish", ".config/fish/config.fish", undefined],
];

const { version } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
) as { version: string };

describe("install", () => {
  test.each(START_FILES)(
    "E16 uninstall gives back every byte: %s, %s, %j",
    async (shell, file, text) => {
      const { project, path, ralph } = given(shell, file, text);
      const before = picture(project.home);
      expect((await ralph("install", "--global")).code).toBe(0);
      expect(readFileSync(path, "utf8")).toContain(".ralph/bin");
      expect((await ralph("uninstall", "--global")).code).toBe(0);
      expect(picture(project.home)).toEqual(before);
      expect(existsSync(join(project.home, ".ralph"))).toBe(false);
    },
  );

  test("E16 install puts settings, templates, a launcher and completion where they belong", async () => {
    const { project, base, ralph } = given("bash", ".bashrc", "alias a=b\n");
    const { stdout } = await ralph("install", "--global");
    for (const file of [
      "config.yaml",
      "templates/prompt.md",
      "bin/ralph",
      "completions/ralph.bash",
    ]) {
      expect(existsSync(join(base, file))).toBe(true);
      expect(stdout).toContain(join(base, file));
    }
    const env = { HOME: project.home, PATH: "/usr/bin:/bin", TERM: "xterm" };
    const script = 'type -t a; ralph --version; complete -p ralph; printf %s "$PATH"';
    const said = execFileSync("bash", ["-ic", `${script}; . ~/.bashrc; printf '\\n%s' "$PATH"`], {
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).split("\n");
    expect(said.slice(0, 3)).toEqual(["alias", version, "complete -F _ralph ralph"]);
    expect(said[3]).toBe(`${base}/bin:/usr/bin:/bin`);
    // Read once more, the start file adds nothing.
    expect(said[4]).toBe(said[3]);
  });

  test("E16 install twice is install once", async () => {
    const { project, ralph } = given("bash", ".bashrc", "alias a=b");
    await ralph("install", "--global");
    const once = picture(project.home);
    const { stdout } = await ralph("install", "--global");
    expect(stdout).toContain("nothing to do");
    expect(picture(project.home)).toEqual(once);
    await ralph("uninstall", "--global");
    expect(picture(project.home)).toEqual({ [join(project.home, ".bashrc")]: "alias a=b" });
  });

  test("E16 what its owner has changed is kept, and said", async () => {
    const { project, path, base, ralph } = given("bash", ".bashrc", "one");
    mkdirSync(base);
    writeFileSync(join(base, "notes.txt"), "mine");
    await ralph("install", "--global");
    writeFileSync(join(base, "config.yaml"), "agent: command\n");
    writeFileSync(path, `${readFileSync(path, "utf8")}two\n`);
    const again = await ralph("install", "--global");
    expect(again.stdout).toContain(`kept     ${join(base, "config.yaml")}`);
    const { stdout } = await ralph("uninstall", "--global");
    expect(stdout).toContain(`kept     ${join(base, "config.yaml")}: you have changed it`);
    expect(picture(project.home)).toEqual({
      [path]: "one\ntwo\n",
      [join(base, "config.yaml")]: "agent: command\n",
      [join(base, "notes.txt")]: "mine",
    });
  });

  test("E16 settings that were there before are not touched by either", async () => {
    const { base, ralph } = given("zsh", ".zshrc", "x\n");
    mkdirSync(base);
    writeFileSync(join(base, "config.yaml"), "agent: scripted\n");
    await ralph("install", "--global");
    expect(readFileSync(join(base, "config.yaml"), "utf8")).toBe("agent: scripted\n");
    await ralph("uninstall", "--global");
    expect(readFileSync(join(base, "config.yaml"), "utf8")).toBe("agent: scripted\n");
  });

  test("E16 --dry-run shows the block and changes nothing", async () => {
    const { project, ralph } = given("bash", ".bashrc", "alias a=b\n");
    const before = picture(project.home);
    const { code, stdout } = await ralph("install", "--global", "--dry-run");
    expect(code).toBe(0);
    expect(stdout).toMatch(/would write .*\.bashrc\n {6}# >>> ralph >>>/u);
    expect(picture(project.home)).toEqual(before);
    await ralph("install", "--global");
    const installed = picture(project.home);
    const back = await ralph("uninstall", "--global", "--dry-run");
    expect(back.stdout).toMatch(/would remove .*bin\/ralph/u);
    expect(picture(project.home)).toEqual(installed);
  });

  test("E16 a login shell that would not find it is told of, and only such a one", async () => {
    const { project, ralph } = given("bash", ".bashrc", "");
    expect((await ralph("install", "--global")).stdout).toContain("a login shell does not read");
    const finds = (): string => {
      const env = { HOME: project.home, PATH: "/usr/bin:/bin" };
      return execFileSync("bash", ["-lc", "command -v ralph || true"], { env, encoding: "utf8" });
    };
    expect(finds()).toBe("");
    writeFileSync(join(project.home, ".profile"), '[ -n "$BASH_VERSION" ] && . ~/.bashrc\n');
    expect(finds()).toContain(".ralph/bin/ralph");
    expect((await ralph("install", "--global")).stdout).not.toContain("login shell");
  });

  test("E16 an unknown shell is told what it needs, and its files stay as they are", async () => {
    const { project, ralph } = given("tcsh", ".tcshrc", "x\n");
    const { code, stdout } = await ralph("install", "--global");
    expect(code).toBe(0);
    expect(stdout).toContain("your shell is not known here");
    expect(readFileSync(join(project.home, ".tcshrc"), "utf8")).toBe("x\n");
  });

  test("E16 without --global nothing happens and it says why", async () => {
    const { project, ralph } = given("bash", ".bashrc", "x\n");
    const { code, stderr } = await ralph("install");
    expect(code).toBe(64);
    expect(stderr).toContain("--global");
    expect(existsSync(join(project.home, ".ralph"))).toBe(false);
  });
});
