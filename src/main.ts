// Argv in, exit code out. The only signal handlers, the only exit, and the only place where a defect of ours is caught.

import { fileURLToPath } from "node:url";
import type { StopSignal } from "./core/schema/outcome.ts";
import { wrapLines } from "./std/wrap.ts";
import type { Io, Screen, Shell } from "./ui/cli/command.ts";

const SIGNALS: readonly StopSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];
/** What a shell calls an internal software error. */
const DEFECT_EXIT_CODE = 70;
/** What is printed faster than anyone reads waits in memory; above this it counts as behind. */
const BEHIND_BYTES = 1024 * 1024;

const COLOURS = { good: "green", warning: "yellow", bad: "red", dim: "dim" } as const;

const shell: Shell = {
  argv: process.argv.slice(2),
  version: __RALPH_VERSION__,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(forPeople(text)),
  open: openIo,
};

/** All on standard error is for people. Text without the end of a line belongs to one that is written over. */
function forPeople(text: string): string {
  const screen = text.includes("\n") ? screenOf(process.stderr) : undefined;
  return screen === undefined ? text : wrapLines(text, screen.columns() - 1);
}

/** Everything else: what `--version` and `--help` do not have to wait for. */
async function openIo(): Promise<Io> {
  const { realHost } = await import("./world/host/host.ts");
  return {
    ...shell,
    host: realHost(process.env),
    cwd: process.cwd(),
    self: [process.execPath, process.argv[1] ?? ""],
    templates: fileURLToPath(new URL("../templates", import.meta.url)),
    // Not by way of process.stdin: only looking at that opens it.
    terminal: () => (process.getBuiltinModule("node:tty").isatty(0) ? "interactive" : "none"),
    onLine,
    screen: (stream) => screenOf(stream === "out" ? process.stdout : process.stderr),
    outAndWait: (text) => new Promise((resolve) => process.stdout.write(text, () => resolve())),
    isBehind: () => process.stdout.writableLength + process.stderr.writableLength > BEHIND_BYTES,
    onSignal,
    exitNow: (code) => process.exit(code),
    tellParent: (message) => {
      // With a callback a parent that is already gone is no error; without one it would end this process.
      process.send?.(message, undefined, undefined, () => undefined);
      process.channel?.unref();
    },
  };
}

/** A terminal that cannot move its cursor is none. */
function screenOf(stream: NodeJS.WriteStream): Screen | undefined {
  if (!stream.isTTY || process.env["TERM"] === "dumb") return undefined;
  const { styleText } = process.getBuiltinModule("node:util");
  return {
    columns: () => (stream.columns > 0 ? stream.columns : 80),
    // It asks the stream and the environment (NO_COLOR, FORCE_COLOR) whether there are colours at all.
    paint: (style, text) => styleText(COLOURS[style], text, { stream }),
  };
}

/** The one question that needs no command line parser is answered without loading it. */
async function answer(): Promise<number> {
  const [only, ...more] = shell.argv;
  if (more.length === 0 && (only === "--version" || only === "-V")) {
    shell.out(`${shell.version}\n`);
    return 0;
  }
  const { callCommand } = await import("./ui/cli/parse-command-line.ts");
  return await callCommand(shell);
}

function onLine(listener: (line: string) => void): () => void {
  const { stdin } = process;
  let rest = "";
  const take = (chunk: Buffer | string): void => {
    const lines = (rest + chunk.toString()).split("\n");
    rest = (lines.pop() ?? "").slice(-1_000);
    for (const line of lines) listener(line);
  };
  // A terminal that has gone has nothing more to say.
  const ignore = (): void => undefined;
  stdin.on("data", take).on("error", ignore).resume();
  return () => {
    stdin.off("data", take).pause();
  };
}

function onSignal(listener: (signal: StopSignal) => void): () => void {
  const handlers = SIGNALS.map((signal) => [signal, () => listener(signal)] as const);
  for (const [signal, handler] of handlers) process.on(signal, handler);
  return () => {
    for (const [signal, handler] of handlers) process.off(signal, handler);
  };
}

function reportDefect(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(
    `ralph has a defect and stopped. Nothing is lost: \`ralph run\` goes on from the record.\n` +
      `version ${__RALPH_VERSION__}, arguments ${JSON.stringify(process.argv.slice(2))}\n${text}\n`,
  );
}

// A closed terminal or pipe must not end a run: what cannot be shown any more is dropped.
process.stdout.on("error", () => undefined);
process.stderr.on("error", () => undefined);

try {
  process.exitCode = await answer();
} catch (error) {
  reportDefect(error);
  process.exitCode = DEFECT_EXIT_CODE;
}
// Open handles of a defect must not keep the process alive; what was printed is flushed first.
process.stdout.write("", () => process.exit());
