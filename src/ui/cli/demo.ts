// `ralph demo`: a whole run in a throw-away repository, with an agent that needs no account, and what to look at then.

import { dirname } from "node:path";
import { renderDiagnostics } from "../../core/view/diagnostics.ts";
import { EXIT_CODES } from "../../core/schema/outcome.ts";
import { demoHost, makeDemo, readDemoCommits } from "../../engine/project/demo.ts";
import { printableLine } from "../../std/printable.ts";
import { shellQuote } from "../../std/shell-quote.ts";
import type { Handler, Io } from "./command.ts";
import { run } from "./run.ts";

const LINE_MAX = 200;

export const demo: Handler = async (io, { options }) => {
  const host = demoHost(io.host, dirname(io.self[0] ?? ""));
  const folder = typeof options["keep"] === "string" ? options["keep"] : undefined;
  const made = await makeDemo(host, { cwd: io.cwd, folder, templates: io.templates });
  if (!made.ok) {
    io.err(renderDiagnostics(made.error));
    return EXIT_CODES["bad-input"];
  }
  const root = made.value;
  io.out(introduction(root));
  const verbose = options["verbose"] === true;
  const code = await run(
    { ...io, host, cwd: root, argv: ["run"] },
    { args: [], options: { verbose } },
  );
  const commits = await readDemoCommits(host, root);
  io.out(`\nWhat git has now:\n${commits.map((line) => `  ${shown(line)}\n`).join("")}`);
  io.out(lookAround(io, root));
  return code;
};

function introduction(root: string): string {
  return `Five stories of a small program, worked through by a scripted agent that really
writes code and tests. No account, no network. On the way it claims what is not
true, it hangs, and it runs into a usage limit.

  ${root}

`;
}

function lookAround(io: Io, root: string): string {
  const isOnPath = io.host.processes.locate("ralph", io.host.env["PATH"] ?? "", io.cwd);
  const places = [
    `cd ${shellQuote(root)}`,
    ...(isOnPath === undefined
      ? [`alias ralph=${shellQuote(io.self.map(shellQuote).join(" "))}`]
      : []),
  ];
  const rows = [
    ["ralph status", "the stories, and what has verified them"],
    ["ralph logs", "every decision with its reason"],
    ["ralph why", "why the run ended"],
    ["node todo.js add tea", "what was built"],
    ["cat .ralph/todo/progress.txt", "what one agent leaves for the next"],
  ] as const;
  const width = Math.max(...rows.map(([command]) => command.length)) + 3;
  const lines = [...places, ...rows.map(([command, what]) => `${command.padEnd(width)}${what}`)];
  const shownLines = lines.map((line) => `  ${line}\n`).join("");
  return `\nLook around:\n${shownLines}\nThen, in a project of yours: ralph init <feature>\n`;
}

function shown(line: string): string {
  return printableLine(line, LINE_MAX);
}
