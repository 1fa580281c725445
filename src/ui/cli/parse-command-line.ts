// Turns the command line into a call of one handler, by the table in commands.ts. Mistakes become diagnostics.

import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import { renderDiagnostics } from "../../core/view/diagnostics.ts";
import { EXIT_CODES } from "../../core/schema/outcome.ts";
import { DURATION_EXPECTED, parseDuration } from "../../std/duration.ts";
import { nearest } from "../../std/nearest.ts";
import type { CommandRow, Handler, Io, OptionRow, OptionValues, Shell } from "./command.ts";
import { commands } from "./commands.ts";

const PROMISE =
  "Runs a coding agent again and again, each time as a fresh process, until a list of work is really done.";
const START = `
Start here:
  ralph demo              see it work: no account, no network, a few seconds
  ralph init <feature>    write down what is to be done
  ralph doctor            see whether all is ready
  ralph run               work through it; \`ralph status\` shows where it stands`;

/** Parses, loads the handler and calls it; returns the exit code. */
export async function callCommand(shell: Shell): Promise<number> {
  let code = 0;
  const program = new Command("ralph")
    .description(PROMISE)
    .version(shell.version, "-V, --version")
    .helpCommand("help [command]", "show help for a command")
    .exitOverride()
    // Options are in the help of each command; here they would only take the room.
    .configureHelp({ subcommandTerm: (command) => `${command.name()} ${termOf(command)}`.trim() })
    .configureOutput({ writeOut: shell.out, writeErr: () => undefined })
    .addHelpText("after", START);
  for (const row of rowsFor(shell.argv[0])) {
    addCommand(program, row, async (args, options) => {
      const [handler, io]: [Handler, Io] = await Promise.all([row.load(), shell.open()]);
      code = await handler(io, { args, options });
    });
  }
  try {
    if (shell.argv.length === 0) {
      program.outputHelp();
      return 0;
    }
    await program.parseAsync([...shell.argv], { from: "user" });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    shell.err(renderDiagnostics([explain(error, shell.argv)]));
    return EXIT_CODES["bad-input"];
  }
}

/** A command that is named is all that is needed; making the others takes longer than reading a run. */
function rowsFor(name: string | undefined): readonly CommandRow[] {
  const named = commands.find((row) => row.name === name);
  return named === undefined ? commands : [named];
}

function termOf(command: Command): string {
  return command.registeredArguments
    .map((one) => (one.required ? `<${one.name()}>` : `[${one.name()}]`))
    .join(" ");
}

function addCommand(
  program: Command,
  row: CommandRow,
  call: (args: string[], options: OptionValues) => Promise<void>,
): void {
  const command = program
    .command(`${row.name} ${row.args}`.trim(), { hidden: row.visibility === "hidden" })
    .description(row.summary)
    .exitOverride()
    .addHelpText(
      "after",
      `\nExamples:\n${row.examples.map((example) => `  ${example}`).join("\n")}`,
    );
  for (const option of row.options) command.addOption(toOption(option));
  command.action(async () => await call(command.args, optionValues(command)));
}

function toOption(row: OptionRow): Option {
  const option = new Option(row.flags, row.text);
  switch (row.kind) {
    case "count":
      return option.argParser(parseCount);
    case "minutes":
      return option.argParser(parseMinutes);
    case "amount":
      return option.argParser(parseAmount);
    case "flag":
      return option;
    case "text": {
      const { choices } = row;
      return choices === undefined
        ? option
        : option.argParser((text) => parseChoice(text, choices));
    }
  }
}

function parseChoice(text: string, choices: readonly string[]): string {
  if (!choices.includes(text))
    throw new InvalidArgumentError(`expected one of ${choices.join(", ")}`);
  return text;
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,6}$/u.test(text))
    throw new InvalidArgumentError("expected a whole number above zero");
  return Number(text);
}

function parseAmount(text: string): number {
  const amount = /^\d{1,7}(?:\.\d{1,4})?$/u.test(text) ? Number(text) : 0;
  if (amount <= 0) throw new InvalidArgumentError("expected an amount above zero, such as 2.50");
  return amount;
}

function parseMinutes(text: string): number {
  const ms = parseDuration(text, "m");
  if (ms === undefined) throw new InvalidArgumentError(`expected ${DURATION_EXPECTED}`);
  return ms;
}

function optionValues(command: Command): OptionValues {
  const values: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(command.opts<Record<string, unknown>>())) {
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
      values[name] = value;
  }
  return values;
}

/** Commander's sentence, taken apart into problem, expectation and remedy. */
function explain(error: CommanderError, argv: readonly string[]): Diagnostic {
  const [first = "", second = ""] = error.message.replace(/^error: /u, "").split("\n");
  const known = commands.find((row) => row.name === argv[0]);
  const help = known === undefined ? "ralph --help" : `ralph ${known.name} --help`;
  const meant = /Did you mean (?:one of )?(.+)\?/u.exec(second)?.[1];
  // `help` of something unknown has no sentence of its own.
  if (first === "(outputHelp)") return unknownCommand(argv.at(-1) ?? "");
  const [problem = first, expected] = first.split(/\. (?=expected )/u);
  return {
    file: "command line",
    problem: problem.replace(/\.$/u, ""),
    expected: expected?.replace(/^expected /u, "") ?? `what \`${help}\` lists`,
    remedy: meant === undefined ? `see \`${help}\`` : `did you mean ${meant}?`,
  };
}

function unknownCommand(name: string): Diagnostic {
  const shown = commands.filter((row) => row.visibility === "shown").map((row) => row.name);
  const meant = nearest(name, shown);
  return {
    file: "command line",
    problem: `unknown command '${name}'`,
    expected: `one of ${shown.join(", ")}`,
    remedy: meant === undefined ? "see `ralph --help`" : `did you mean ${meant}?`,
  };
}
