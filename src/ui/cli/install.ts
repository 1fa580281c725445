// `ralph install --global` and its exact opposite: makes the plan, and shows or carries it out.

import { join } from "node:path";
import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import { renderDiagnostics } from "../../core/view/diagnostics.ts";
import { EXIT_CODES } from "../../core/schema/outcome.ts";
import {
  carryOut,
  type Change,
  planInstall,
  planUninstall,
  startLines,
} from "../../engine/project/install.ts";
import type { Result } from "../../std/result.ts";
import type { Call, Handler, Io } from "./command.ts";

export const install: Handler = async (io, call) => {
  const { templates, self } = io;
  const plan = planInstall(io.host, { templates, self });
  const code = finish(io, call, plan);
  if (code !== 0) return code;
  const hasNoShell = !/\/(?:bash|zsh|fish)$/u.test(io.host.env["SHELL"] ?? "");
  const lines = startLines(io.host).map((line) => `  ${line}\n`);
  if (hasNoShell) io.out(`your shell is not known here; its start file needs:\n${lines.join("")}`);
  else if (call.options["dryRun"] !== true) io.out("open a new shell, and `ralph` is there\n");
  if (hasLoginGap(io)) io.out(LOGIN_GAP);
  return 0;
};

const LOGIN_GAP = `a login shell does not read ~/.bashrc here; for those put into ~/.profile:
  [ -n "$BASH_VERSION" ] && . ~/.bashrc
`;

/** A login bash reads the first of three files, and ~/.bashrc only if that one says so. */
function hasLoginGap({ host }: Io): boolean {
  const { SHELL: shell = "", HOME: home = "" } = host.env;
  if (!shell.endsWith("/bash")) return false;
  const read = [".bash_profile", ".bash_login", ".profile"]
    .map((name) => host.files.readText(join(home, name)))
    .find((text) => text !== undefined);
  return !(read ?? "").includes("bashrc");
}

export const uninstall: Handler = async (io, call) => finish(io, call, planUninstall(io.host));

function finish(io: Io, { options }: Call, plan: Result<Change[], Diagnostic[]>): number {
  const problems = options["global"] === true ? (plan.ok ? [] : plan.error) : [notGlobal()];
  if (problems.length > 0 || !plan.ok) {
    io.err(renderDiagnostics(problems));
    return EXIT_CODES["bad-input"];
  }
  const isShown = options["dryRun"] === true;
  if (!isShown) carryOut(io.host, plan.value);
  io.out(plan.value.map((change) => wordsFor(io, change, isShown ? "would" : "did")).join(""));
  if (plan.value.length === 0) io.out("nothing to do: all is as it should be\n");
  return 0;
}

function wordsFor(io: Io, change: Change, tense: "would" | "did"): string {
  if (change.what === "keep") return `kept     ${change.path}: ${change.why}\n`;
  const isThere = io.host.files.kind(change.path) !== undefined;
  if (change.what === "remove-folder") {
    // A folder that still holds something is the person's.
    if (tense === "did" && !isThere) return `removed  ${change.path}\n`;
    return "";
  }
  if (tense === "did")
    return `${change.what === "write" ? "wrote  " : "removed"}  ${change.path}\n`;
  return `would ${change.what} ${change.path}\n${change.what === "write" ? indented(io, change) : ""}`;
}

/** Lines that a file of the person's would get; files of our own are long, and there to be read. */
function indented(io: Io, { path, text }: Change & { what: "write" }): string {
  if (path.includes("/.ralph/")) return "";
  const now = new Set((io.host.files.readText(path) ?? "").split("\n"));
  const lines = text.split("\n").filter((line) => line !== "" && !now.has(line));
  return lines.map((line) => `      ${line}\n`).join("");
}

function notGlobal(): Diagnostic {
  return {
    file: "command line",
    problem: "it is not said where to",
    expected: "--global: your home folder, for all projects",
    remedy: "ralph install --global (with --dry-run it only shows what it would do)",
  };
}
