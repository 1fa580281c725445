// Starts one agent once and reports all that is known when it is gone. Whether that was good is decided elsewhere.

import type { ClockLimits, StreamFormat } from "../../core/schema/config.ts";
import type { AgentExit, AgentResult } from "../../core/schema/event.ts";
import type { Note } from "../../core/schema/note.ts";
import { resolve } from "node:path";
import { printable, printableLine } from "../../std/printable.ts";
import { Tail } from "../../std/tail.ts";
import { clip } from "../../std/text.ts";
import type { Appender } from "../host/files.ts";
import type { Host } from "../host/host.ts";
import { GATE_NAME, supervise } from "../host/supervise.ts";
import { newReader } from "./registry.ts";

/** One start of one agent. */
export interface AgentOrder {
  readonly argv: readonly string[];
  /** What to do when the program is missing. */
  readonly install: string;
  readonly output: StreamFormat;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly variable: string;
  readonly limits: ClockLimits;
  /** Files of the iteration: the prompt is read, the others are written. */
  readonly files: {
    readonly prompt: string;
    readonly stdout: string;
    readonly stderr: string;
    readonly notes: string;
  };
  readonly signal: AbortSignal;
  readonly onStarted: (started: { pid: number; startTime: string }) => void;
  readonly onNote: (note: Note) => void;
}

const RAW_MODE = 0o600;
const RESULT_CHARS_MAX = 8_000;
const STDERR_BYTES = 2_000;
const DENIALS_MAX = 5;
const QUESTION_MAX = 500;
const NOTES_BYTES_MAX = 1024 * 1024;

export async function runAgent(host: Host, order: AgentOrder): Promise<AgentExit> {
  const [program = "", ...args] = order.argv;
  const path = host.processes.locate(program, order.env["PATH"] ?? "", order.cwd);
  if (path === undefined) return unusable(whyMissing(host, program, order));
  const open = (file: string): LateFile => new LateFile(host, file);
  const raw = { stdout: open(order.files.stdout), stderr: open(order.files.stderr) };
  const notes = new NoteCollector(open(order.files.notes));
  const stderr = new Tail(STDERR_BYTES);
  try {
    const end = await supervise(host, {
      argv: [path, ...args],
      cwd: order.cwd,
      env: order.env,
      stdinFile: order.files.prompt,
      variable: order.variable,
      limits: order.limits,
      signal: order.signal,
      reader: newReader(order.output),
      onBytes: (stream, chunk) => {
        raw[stream].write(chunk);
        if (stream === "stderr") stderr.push(chunk);
      },
      onNote: (note) => {
        notes.take(note);
        order.onNote(note);
      },
      onStarted: order.onStarted,
    });
    const { unusable: problem = gateProblem(end, stderr.text()), terminated, ...rest } = end;
    return {
      ...rest,
      ...(terminated === undefined ? {} : { terminated }),
      ...(problem === undefined ? {} : { unusable: `the agent could not be started: ${problem}` }),
      lost: false,
      ...notes.collected(),
      stderr: printable(stderr.text()).trim(),
    };
  } finally {
    for (const file of [raw.stdout, raw.stderr]) file.close();
    notes.close();
  }
}

/** The start gate's shell says on standard error when it cannot execute the program. */
function gateProblem(
  end: { code: number | null; outputBytes: number },
  stderr: string,
): string | undefined {
  const isGate = (end.code === 126 || end.code === 127) && stderr.includes(`${GATE_NAME}:`);
  return isGate ? printableLine(stderr.replace(/^.*exec: /u, ""), 300) : undefined;
}

function whyMissing(host: Host, program: string, order: AgentOrder): string {
  const isFile = program.includes("/") && host.files.kind(resolve(order.cwd, program)) === "file";
  if (isFile) return `the program "${program}" is not executable: chmod +x ${program}`;
  const hint = program.includes(" ") ? "; arguments belong into agent.arguments" : "";
  return `the program "${program}" was not found${hint}; ${order.install}`;
}

/** What is known of an agent whose end nobody saw, because the runner died. */
export function lostAgent(): AgentExit {
  return { ...nothing(), lost: true };
}

function unusable(problem: string): AgentExit {
  return { ...nothing(), unusable: problem };
}

function nothing(): AgentExit {
  return {
    code: null,
    signal: null,
    lost: false,
    durationMs: 0,
    outputBytes: 0,
    denials: [],
    stderr: "",
    survivors: 0,
  };
}

/** A file that is made with its first byte: a silent agent leaves no empty files. */
class LateFile {
  readonly #open: () => Appender;
  #file: Appender | undefined;

  constructor(host: Host, path: string) {
    this.#open = () => host.files.openAppender(path, RAW_MODE);
  }

  write(bytes: Buffer): void {
    this.#file ??= this.#open();
    this.#file.write(bytes);
  }

  close(): void {
    this.#file?.close();
  }
}

/** Keeps what the loop needs of a stream of notes, and writes a bounded number of them down. */
class NoteCollector {
  readonly #file: LateFile;
  #bytes = 0;
  #result: AgentResult | undefined;
  #limit: AgentExit["limit"];
  #asked: string | undefined;
  readonly #denials: AgentExit["denials"] = [];

  constructor(file: LateFile) {
    this.#file = file;
  }

  take(note: Note): void {
    if (note.type === "result") this.#result = toResult(note);
    if (note.type === "limit") {
      const { kind, resetsAt, text } = note;
      this.#limit = {
        kind,
        ...(resetsAt === undefined ? {} : { resetsAt }),
        text: clip(text, 500),
      };
    }
    if (note.type === "asked") this.#asked = clip(note.question, QUESTION_MAX);
    if (note.type === "denied" && this.#denials.length < DENIALS_MAX) {
      this.#denials.push({ tool: clip(note.tool, 100), input: clip(note.input, 300) });
    }
    this.#write(note);
  }

  collected(): Pick<AgentExit, "result" | "limit" | "asked" | "denials"> {
    return {
      ...(this.#result === undefined ? {} : { result: this.#result }),
      ...(this.#limit === undefined ? {} : { limit: this.#limit }),
      ...(this.#asked === undefined ? {} : { asked: this.#asked }),
      denials: this.#denials,
    };
  }

  close(): void {
    this.#file.close();
  }

  #write(note: Note): void {
    if (this.#bytes >= NOTES_BYTES_MAX) return;
    const line = Buffer.from(`${JSON.stringify(note)}\n`);
    this.#bytes += line.length;
    if (this.#bytes < NOTES_BYTES_MAX) this.#file.write(line);
  }
}

/** The end of a long message is kept: that is where a promise stands. */
function toResult(note: Note & { type: "result" }): AgentResult {
  const { type: _, ...result } = note;
  return { ...result, text: result.text.slice(-RESULT_CHARS_MAX) };
}
