// Runs one gate under the supervisor and reports what it said: the whole in a log, the first failing lines in the fact.

import { join } from "node:path";
import type { Gate } from "../../core/schema/config.ts";
import type { GatePhase } from "../../core/schema/effect.ts";
import type { GateResult } from "../../core/schema/event.ts";
import { printableLine } from "../../std/printable.ts";
import { Tail } from "../../std/tail.ts";
import { slug } from "../../std/text.ts";
import type { Host } from "../host/host.ts";
import { supervise, type OutputReader } from "../host/supervise.ts";

/** One run of one gate. */
export interface GateOrder {
  readonly gate: Gate;
  /** Why it runs; also part of its log's name. */
  readonly phase: GatePhase;
  readonly tree: string;
  readonly env: Readonly<Record<string, string>>;
  readonly variable: string;
  /** Folder for `<name>.log`, `<name>.baseline.log` and `<name>.again.log`. */
  readonly logs: string;
  readonly signal: AbortSignal;
}

const LINES_MAX = 20;
const LINE_MAX = 300;
const HEAD_BYTES = 256 * 1024;
const TAIL_BYTES = 64 * 1024;
const LOG_MODE = 0o600;
const SILENT: OutputReader = { push: () => [], end: () => [] };
// Words that begin the part of an output worth reading; without one the end is shown.
const FAILING =
  /\b(?:error|fail(?:ed|ure|ing)?|not ok|assert\w*|expected|exception|panic|fatal|cannot|undefined)\b|✗|✖|×/iu;

/** Undefined when it was cut short by a stop: it then says nothing about the work. */
export async function runGate(host: Host, order: GateOrder): Promise<GateResult | undefined> {
  const { gate, phase } = order;
  host.files.makeFolder(order.logs, 0o700);
  const kind = phase === "check" ? "" : `.${phase}`;
  const path = join(order.logs, `${slug(gate.name)}${kind}.log`);
  host.files.remove(path);
  const log = host.files.openAppender(path, LOG_MODE);
  const head: Buffer[] = [];
  let headBytes = 0;
  const tail = new Tail(TAIL_BYTES);
  try {
    const end = await supervise(host, {
      // The one place where a shell runs: the command is the user's own.
      argv: ["/bin/sh", "-c", gate.command],
      cwd: order.tree,
      env: order.env,
      stdinFile: undefined,
      variable: order.variable,
      limits: { graceMs: 0, wallMs: gate.timeoutMs },
      signal: order.signal,
      reader: SILENT,
      onBytes: (_, chunk) => {
        log.write(chunk);
        if (headBytes < HEAD_BYTES) head.push(chunk.subarray(0, HEAD_BYTES - headBytes));
        headBytes += chunk.length;
        tail.push(chunk);
      },
      onNote: () => undefined,
      onStarted: () => undefined,
    });
    if (end.terminated?.cause === "stop") return undefined;
    const passed = end.code === 0 && end.terminated === undefined;
    return {
      name: gate.name,
      passed,
      code: end.code,
      timedOut: end.terminated !== undefined,
      durationMs: end.durationMs,
      lines: passed ? [] : failingLines(Buffer.concat(head).toString("utf8"), tail.text()),
      phase,
    };
  } finally {
    log.close();
  }
}

/** From the first line that looks like a failure, wherever it stands; without one the end is shown. */
function failingLines(head: string, tail: string): string[] {
  for (const lines of [linesOf(head), linesOf(tail)]) {
    const first = lines.findIndex((line) => FAILING.test(line));
    if (first !== -1) return lines.slice(first, first + LINES_MAX);
  }
  return linesOf(tail).slice(-LINES_MAX);
}

function linesOf(text: string): string[] {
  return text
    .split(/\r?\n/u)
    .map((line) => printableLine(line, LINE_MAX))
    .filter((line) => line !== "");
}
