// What a row of the command table is, and what a handler gets. Handlers decide nothing: they ask the engine and print.

import type { StopSignal } from "../../core/schema/outcome.ts";
import type { Paint } from "../../core/view/paint.ts";
import type { Host } from "../../world/host/host.ts";

/** The little that is needed to understand a command line and to answer a wrong one. */
export interface Shell {
  readonly argv: readonly string[];
  readonly version: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** The rest of the process, loaded once a command is really called. */
  readonly open: () => Promise<Io>;
}

/** A terminal: how wide it is now, and how it shows what is set off. */
export interface Screen {
  readonly columns: () => number;
  readonly paint: Paint;
}

/** The process around a handler; main.ts makes the real one. */
export interface Io extends Omit<Shell, "open"> {
  readonly host: Host;
  readonly cwd: string;
  /** How this program is started: node and the script. */
  readonly self: readonly string[];
  readonly templates: string;
  /** Whether a person sits in front of it. */
  readonly terminal: () => "interactive" | "none";
  /** The terminal behind a stream, on which a line can be written over; undefined where there is none. */
  readonly screen: (stream: "out" | "err") => Screen | undefined;
  /** Calls back with every line that is typed, until the returned function is called. */
  readonly onLine: (listener: (line: string) => void) => () => void;
  /** Writes to standard output and returns when it was taken. */
  readonly outAndWait: (text: string) => Promise<void>;
  /** True while much of what was printed still waits for its reader; what can be left out then should be. */
  readonly isBehind: () => boolean;
  /** Calls back with every signal instead of dying of it, until the returned function is called. */
  readonly onSignal: (listener: (signal: StopSignal) => void) => () => void;
  /** Ends the process this moment. */
  readonly exitNow: (code: number) => never;
  /** A message to the process that started this one, if it listens. */
  readonly tellParent: (message: Readonly<Record<string, string | number>>) => void;
}

/** Options by their long name in camel case, checked by the table. */
export type OptionValues = Readonly<Record<string, string | number | boolean | undefined>>;

/** What was typed after the name of the command. */
export interface Call {
  readonly args: readonly string[];
  readonly options: OptionValues;
}

/** Returns the exit code. */
export type Handler = (io: Io, call: Call) => Promise<number>;

/** One option of a command. */
export interface OptionRow {
  readonly flags: string;
  readonly text: string;
  readonly kind: "flag" | "text" | "count" | "minutes" | "amount";
  /** The only words it takes, where there are such. */
  readonly choices?: readonly string[];
}

/** One command. */
export interface CommandRow {
  readonly name: string;
  readonly args: string;
  readonly summary: string;
  readonly options: readonly OptionRow[];
  readonly examples: readonly string[];
  readonly visibility: "shown" | "hidden";
  /** Loaded only when the command is called: start-up is a feature. */
  readonly load: () => Promise<Handler>;
}
