// What belongs into a home folder, and its exact removal: settings, templates, a launcher, completion, and one marked
// block in the shell's start file. Plans are made first, so that they can be shown instead of being carried out.

import { dirname, join } from "node:path";
import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import { Installed } from "../../core/schema/installed.ts";
import { COMPLETION_SCRIPTS } from "../../core/view/completion-script.ts";
import { checksum } from "../../std/checksum.ts";
import { hasBlock, type Marks, putBlock, takeBlock } from "../../std/edit/marked-block.ts";
import { err, ok, type Result } from "../../std/result.ts";
import { shellQuote } from "../../std/shell-quote.ts";
import type { Host } from "../../world/host/host.ts";
import { findShell, type LoginShell } from "./shell-start.ts";

/** One thing to do, or to leave as it is. */
export type Change =
  | { readonly what: "write"; readonly path: string; readonly text: string; readonly mode: number }
  | { readonly what: "remove"; readonly path: string }
  /** A folder that goes only if nothing is left in it. */
  | { readonly what: "remove-folder"; readonly path: string }
  | { readonly what: "keep"; readonly path: string; readonly why: string };

/** What an installation is made from. */
export interface InstallOrder {
  readonly templates: string;
  /** How this program is started: node and the script. */
  readonly self: readonly string[];
}

const MARKS: Marks = {
  start: "# >>> ralph >>> written by `ralph install --global`",
  end: "# <<< ralph <<< taken away by `ralph uninstall --global`",
};
const LIST = ".installed.json";
const TEMPLATES = ["prompt.md", "prompt-tdd.md"];
const FILE_MODE = 0o644;
const PROGRAM_MODE = 0o755;

export function planInstall(host: Host, order: InstallOrder): Result<Change[], Diagnostic[]> {
  const home = homeOf(host);
  if (home === undefined) return err([noHome()]);
  const base = join(home, ".ralph");
  const before = readList(host, base);
  const shell = findShell(host, home);
  const changes: Change[] = [];
  const files: { path: string; sum: string }[] = [];
  for (const { name, text, mode } of filesOf(host, order, shell)) {
    const path = join(base, name);
    const known = before?.files.find((file) => file.path === name)?.sum;
    const now = host.files.readText(path);
    // What is not as we left it belongs to the person.
    const isTheirs = now !== undefined && now !== text && checksum(now) !== known;
    if (isTheirs) changes.push({ what: "keep", path, why: "it is yours" });
    else if (now !== text) changes.push({ what: "write", path, text, mode });
    const isOurs = !isTheirs && (now === undefined || known !== undefined || now !== text);
    if (isOurs) files.push({ path: name, sum: checksum(text) });
    else if (known !== undefined) files.push({ path: name, sum: known });
  }
  const start = shell === undefined ? undefined : planStartFile(host, shell, before);
  changes.push(...(start?.changes ?? []));
  const list: Installed = {
    v: 1,
    files,
    ...(start === undefined ? {} : { startFile: start.entry }),
  };
  const text = `${JSON.stringify(list)}\n`;
  const path = join(base, LIST);
  if (host.files.readText(path) !== text)
    changes.push({ what: "write", path, text, mode: FILE_MODE });
  return ok(changes);
}

export function planUninstall(host: Host): Result<Change[], Diagnostic[]> {
  const home = homeOf(host);
  if (home === undefined) return err([noHome()]);
  const base = join(home, ".ralph");
  const list = readList(host, base);
  const changes: Change[] = [];
  for (const { path: name, sum } of list?.files ?? []) {
    const path = join(base, name);
    const now = host.files.readText(path);
    if (now === undefined) continue;
    const isChanged = checksum(now) !== sum;
    changes.push(
      isChanged ? { what: "keep", path, why: "you have changed it" } : { what: "remove", path },
    );
  }
  changes.push(...planStartFileBack(host, home, list));
  if (list === undefined) return ok(changes);
  changes.push({ what: "remove", path: join(base, LIST) });
  const folders = ["bin", "completions", "templates"].map((name) => join(base, name));
  changes.push(...[...folders, base].map((path) => ({ what: "remove-folder", path }) as const));
  return ok(changes);
}

export function carryOut(host: Host, changes: readonly Change[]): void {
  for (const change of changes) {
    const { path } = change;
    if (change.what === "write") {
      host.files.makeFolder(dirname(path), 0o755);
      host.files.replace(path, change.text, { mode: change.mode, durability: "synced" });
    }
    if (change.what === "remove") host.files.remove(path);
    if (change.what === "remove-folder" && host.files.list(path).length === 0)
      host.files.remove(path);
  }
}

/** The lines a shell needs, for a person whose shell we do not know. */
export function startLines(host: Host): readonly string[] {
  const home = homeOf(host) ?? "~";
  return findShell(host, home)?.lines ?? ['export PATH="$HOME/.ralph/bin:$PATH"'];
}

interface FileToWrite {
  readonly name: string;
  readonly text: string;
  readonly mode: number;
}

function filesOf(host: Host, order: InstallOrder, shell: LoginShell | undefined): FileToWrite[] {
  const read = (...path: string[]): string =>
    host.files.readText(join(order.templates, ...path)) ?? "";
  return [
    { name: "config.yaml", text: read("home", "config.yaml"), mode: FILE_MODE },
    ...TEMPLATES.map((name) => ({
      name: join("templates", name),
      text: read(name),
      mode: FILE_MODE,
    })),
    { name: join("bin", "ralph"), text: launcher(order.self), mode: PROGRAM_MODE },
    ...(shell === undefined
      ? []
      : [
          {
            name: join("completions", `ralph.${shell.name}`),
            text: COMPLETION_SCRIPTS[shell.name],
            mode: FILE_MODE,
          },
        ]),
  ];
}

/** A program of a few lines: where ralph itself lies is written in it, and said when it lies there no more. */
function launcher(self: readonly string[]): string {
  const [node = "", script = ""] = self.map(shellQuote);
  return `#!/bin/sh
# Written by \`ralph install --global\`.
if [ ! -f ${script} ]; then
  printf 'ralph is not in %s any more; install it again, then: ralph install --global\\n' ${script} >&2
  exit 127
fi
if [ -x ${node} ]; then
  exec ${node} ${script} "$@"
fi
exec node ${script} "$@"
`;
}

function planStartFile(
  host: Host,
  { path, lines }: LoginShell,
  before: Installed | undefined,
): { changes: Change[]; entry: NonNullable<Installed["startFile"]> } {
  const now = host.files.readText(path);
  const text = putBlock(now ?? "", MARKS, lines);
  const isKnown = before?.startFile?.path === path && hasBlock(now ?? "", MARKS);
  const entry =
    isKnown && before.startFile !== undefined
      ? before.startFile
      : ({
          path,
          existed: now !== undefined,
          gap: now === undefined || now === "" || now.endsWith("\n") ? "theirs" : "ours",
        } as const);
  const changes: Change[] = text === now ? [] : [{ what: "write", path, text, mode: FILE_MODE }];
  return { changes, entry };
}

function planStartFileBack(host: Host, home: string, list: Installed | undefined): Change[] {
  const path = list?.startFile?.path ?? findShell(host, home)?.path;
  const now = path === undefined ? undefined : host.files.readText(path);
  if (path === undefined || now === undefined) return [];
  if (!hasBlock(now, MARKS)) {
    const why = "our block is not in it any more";
    return list?.startFile === undefined ? [] : [{ what: "keep", path, why }];
  }
  const text = takeBlock(now, MARKS, list?.startFile?.gap ?? "theirs");
  const isOurs = text === "" && list?.startFile?.existed === false;
  if (!isOurs) return [{ what: "write", path, text, mode: FILE_MODE }];
  const folders = [dirname(path), dirname(dirname(path))].filter((one) =>
    one.startsWith(`${home}/`),
  );
  const emptied = folders.map((one) => ({ what: "remove-folder", path: one }) as const);
  return [{ what: "remove", path }, ...emptied];
}

function readList(host: Host, base: string): Installed | undefined {
  try {
    const parsed = Installed.safeParse(JSON.parse(host.files.readText(join(base, LIST)) ?? ""));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

function homeOf(host: Host): string | undefined {
  const home = host.env["HOME"] ?? "";
  return home === "" || host.files.kind(home) !== "folder" ? undefined : home;
}

function noHome(): Diagnostic {
  return {
    file: "environment",
    problem: "HOME names no folder",
    expected: "the path of your home folder in HOME",
    remedy: "set HOME, then start again; nothing was changed",
  };
}
